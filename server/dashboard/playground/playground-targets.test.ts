import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../../test/support/fake-clock.ts';
import type { LoggedOperation } from '../../log/logged-entries.ts';
import { viewResponse } from './playground-exchange.ts';
import { createPlaygroundTargets, type PlaygroundTargetDeps } from './playground-targets.ts';

const request = {
  ...{ kind: 'sync', mode: 'live', integrationKey: 'acme', connectionId: 'mine', name: 'issues' },
  ...{ variant: 'base', isFull: false },
} as const;
const operation = (id: string, variant: string, endedAt: number | null) =>
  ({ id, variant, endedAt, state: endedAt === null ? 'running' : 'success' }) as LoggedOperation;

/** Prepares a live run of a sync. `listed` are the operations of its function, newest first. */
async function prepare(clock: FakeClock, listed: (from: number | undefined) => LoggedOperation[]) {
  const deps = {
    clock,
    integrations: { find: async () => ({ id: 1, uniqueKey: 'acme' }) },
    connections: { find: async () => ({ id: 1, connectionId: 'mine' }) },
    deployments: { findActive: async () => ({}) },
    schedules: { commands: { trigger: async () => {} } },
    logs: {
      listOperations: async ({ from }: { from?: number }) => ({ operations: listed(from) }),
      findOperation: async (_environmentId: number, id: string) => operation(id, 'base', clock.now()),
    },
  } as unknown as PlaygroundTargetDeps;
  const prepared = await createPlaygroundTargets(deps).prepare({ id: 1 } as never, request as never);
  return prepared.run;
}

describe('a live sync of the playground', () => {
  it('ends with the run that was in progress, because no second one starts', async () => {
    const run = await prepare(new FakeClock(), (from) =>
      from === undefined ? [operation('earlier', 'base', null)] : [],
    );
    const started: string[] = [];

    const result = await run(new AbortController().signal, (id) => started.push(id));

    expect(started).toEqual(['earlier']);
    expect(result.recorded).toBeDefined();
  });

  it('is the run of its own variant, also when another one started later', async () => {
    const ended = [operation('other', 'large', 1), operation('own', 'base', 1)];
    const run = await prepare(new FakeClock(), (from) => (from === undefined ? [] : ended));
    const started: string[] = [];

    await run(new AbortController().signal, (id) => started.push(id));

    expect(started).toEqual(['own']);
  });
});

describe('the answer that the playground shows', () => {
  const view = (bytes: Buffer, headers: Record<string, unknown> = {}, isCut = false) =>
    viewResponse({ status: 200, headers }, bytes, isCut);

  it.each([
    ['text/plain; charset=iso-8859-1', Buffer.from('Grüße', 'latin1'), 'Grüße'],
    ['text/plain', Buffer.from('Grüße', 'latin1'), 'Grüße'],
    ['application/json', Buffer.from('{"a":"ü"}'), '{"a":"ü"}'],
    ['text/csv; charset=utf-16le', Buffer.from('ü;1', 'utf16le'), 'ü;1'],
    ['', Buffer.from('plain'), 'plain'],
  ])('is text in the charset of %s', (type, bytes, text) => {
    expect(view(bytes, { 'content-type': type })).toMatchObject({ isText: true, body: text, base64: null });
  });

  it('is bytes when it is no text', () => {
    const bytes = Buffer.from([0, 1, 2, 255]);

    expect(view(bytes, { 'content-type': 'application/octet-stream' })).toMatchObject({
      ...{ isText: false, body: '', base64: bytes.toString('base64'), sizeBytes: 4, isSizeKnown: true },
    });
    expect(view(bytes, { 'content-type': 'application/json; charset=utf-8' }).isText).toBe(false);
  });

  it('may be cut within a character, and says its size if it is known', () => {
    const bytes = Buffer.from('aü').subarray(0, 2);

    expect(view(bytes, { 'content-length': '900' }, true)).toMatchObject({
      ...{ isText: true, body: 'a', sizeBytes: 900, isSizeKnown: true, isCut: true },
    });
    expect(view(bytes, {}, true)).toMatchObject({ sizeBytes: 2, isSizeKnown: false });
  });

  it('has every header, repeated ones too', () => {
    const headers = { 'set-cookie': ['a=1', 'b=2'], etag: 'x', gone: undefined };

    expect(view(Buffer.from(''), headers).headers).toEqual([
      { name: 'set-cookie', value: 'a=1' },
      { name: 'set-cookie', value: 'b=2' },
      { name: 'etag', value: 'x' },
    ]);
  });
});
