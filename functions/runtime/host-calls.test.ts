import { describe, expect, it } from 'vitest';
import type { WireError } from './bridge.ts';
import { HostCalls } from './host-calls.ts';

describe('HostCalls', () => {
  const create = () => {
    const started: number[] = [];
    const host = new HostCalls((_kind, ...args) => void started.push(args[0] as number));
    const upload = (size: number) =>
      host.call('records.delete', { model: 'M', ids: ['x'.repeat(size)] }).catch((error: Error) => error);
    return { started, host, upload };
  };
  const MEGABYTE = 1024 * 1024;

  it('keeps large messages in the isolate until earlier ones are answered, in order', async () => {
    const { started, host, upload } = create();
    void upload(10 * MEGABYTE);
    void upload(10 * MEGABYTE);
    void upload(1);
    expect(started).toEqual([1]);

    host.settle(1, true, null);

    expect(started).toEqual([1, 2, 3]);
  });

  it('sends a message that is larger than the whole window by itself', () => {
    const { started, upload } = create();

    void upload(40 * MEGABYTE);
    void upload(1);

    expect(started).toEqual([1]);
  });

  it('rejects with an Error rebuilt from plain data, and ignores late answers', async () => {
    const { host, upload } = create();
    const failed = upload(1);
    const wire: WireError = { name: 'ConflictError', message: 'taken', code: 'conflict', status: 409 };

    host.settle(1, false, wire);
    host.settle(1, true, null);

    const error = (await failed) as unknown as Error;
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({ name: 'ConflictError', message: 'taken', code: 'conflict', status: 409 });
    expect(Object.keys(error)).toEqual(['code', 'status']);
  });
});
