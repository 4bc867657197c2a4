import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Operation, ResponseTap, SentTraffic } from '../../../server/log/operation.ts';
import { type LogsSetup, setUpLogs } from './logs-setup.ts';

const MB = 1_000_000;
const MAX_KEPT = 256_000;

let setup: LogsSetup;

beforeEach(async () => {
  setup = await setUpLogs();
});
afterEach(() => setup.close());

const switchOn = (mostBytes = 200 * MB): Promise<void> => setup.logs.traffic.change({ isOn: true, mostBytes });

function startCall(environmentId = 1): Operation {
  return setup.logs.start({ environmentId, type: 'proxy', action: 'call' });
}

const SENT: SentTraffic = {
  body: '{"name":"Ada"}',
  headers: { 'content-type': 'application/json' },
  response: { 'content-type': 'text/plain' },
  secrets: [],
};

/** Records one exchange; the chunks are those of the response. */
async function record(operation: Operation, chunks: Array<string | Buffer>, sent: Partial<SentTraffic> = {}) {
  const tap = operation.record({ ...SENT, ...sent }) as ResponseTap;
  for (const chunk of chunks) tap.take(Buffer.from(chunk as string));
  tap.end();
  await setup.logs.flush();
  return tap.id;
}

async function read(operation: Operation, id: string) {
  const found = await setup.logs.traffic.find(1, operation.id, id);
  if (!found) throw new Error('the recording is not kept');
  return found;
}

describe('traffic recordings', () => {
  it('record nothing unless they are switched on', async () => {
    const operation = startCall();
    expect(operation.record(SENT)).toBeUndefined();
    expect(await setup.logs.traffic.state()).toEqual({ isOn: false, mostBytes: 200 * MB, usedBytes: 0 });
  });

  it('keep both bodies, and name them in the message', async () => {
    await switchOn();
    const operation = startCall();
    const id = await record(operation, ['first ', 'second']);
    operation.log({ level: 'info', type: 'http', message: 'POST /', recordingId: id });
    await setup.logs.flush();
    expect(await read(operation, id)).toEqual({
      request: { contentType: 'application/json', sizeBytes: 14, isCut: false, bytes: Buffer.from('{"name":"Ada"}') },
      answer: { contentType: 'text/plain', sizeBytes: 12, isCut: false, bytes: Buffer.from('first second') },
    });
    const found = await setup.logs.listMessages({ environmentId: 1, operationId: operation.id });
    expect(found?.messages).toMatchObject([{ recordingId: id }]);
  });

  it('say which bodies there were not', async () => {
    await switchOn();
    const operation = startCall();
    const id = await record(operation, [], { body: undefined, response: undefined });
    expect(await read(operation, id)).toEqual({ request: null, answer: null });
  });

  it('stay on after a restart', async () => {
    await switchOn();
    const next = setup.createService();
    await next.resume();
    expect(next.start({ environmentId: 1, type: 'proxy', action: 'call' }).record(SENT)).toBeDefined();
    await next.stop();
  });

  it('keep 256 kB of a body and say that it is longer', async () => {
    await switchOn();
    const operation = startCall();
    const chunks = Array.from({ length: 10 }, () => 'x'.repeat(100_000));
    const id = await record(operation, chunks, { body: 'é'.repeat(MAX_KEPT) });
    const { request, answer: response } = await read(operation, id);
    expect(response).toMatchObject({ sizeBytes: 1_000_000, isCut: true });
    expect(response?.bytes.length).toBe(MAX_KEPT);
    expect(request).toMatchObject({ sizeBytes: 2 * MAX_KEPT, isCut: true });
    expect(request?.bytes.toString()).toBe('é'.repeat(MAX_KEPT / 2));
  });

  it('keep bytes that are no text as they are', async () => {
    await switchOn();
    const operation = startCall();
    const picture = Buffer.from(Array.from({ length: 512 }, (_, index) => index % 256));
    const id = await record(operation, [picture]);
    expect((await read(operation, id)).answer?.bytes).toEqual(picture);
  });

  it('say that an answer broke off', async () => {
    await switchOn();
    const operation = startCall();
    const tap = operation.record(SENT) as ResponseTap;
    tap.take(Buffer.from('half'));
    tap.end(true);
    await setup.logs.flush();
    expect((await read(operation, tap.id)).answer).toMatchObject({ isCut: true, bytes: Buffer.from('half') });
  });

  it('hold no secret, also where the cut divides it', async () => {
    await switchOn();
    const operation = setup.logs.start({ environmentId: 1, type: 'proxy', action: 'call', secrets: ['of-the-run'] });
    const secret = `sk-${'s'.repeat(4000)}`;
    const before = 'x'.repeat(MAX_KEPT - 2000);
    const tokens = JSON.stringify({ access_token: 'granted', note: 'of-the-run', text: `key ${secret}` });
    const id = await record(operation, [before, secret, 'y'.repeat(3000)], { body: tokens, secrets: [secret] });
    const { request, answer: response } = await read(operation, id);
    expect(request?.bytes.toString()).toBe('{"access_token":"REDACTED","note":"REDACTED","text":"key REDACTED"}');
    expect(response?.bytes.toString().slice(before.length - 3, before.length + 11)).toBe('xxxREDACTEDyyy');
  });

  it('hold no beginning of a secret at the end of what was read', async () => {
    await switchOn();
    const operation = startCall();
    const secret = `sk-${'s'.repeat(4000)}`;
    const shortened = Array.from({ length: 20 }, () => secret).join(' ');
    const filler = 'x'.repeat(MAX_KEPT + 8 * 1024 - 1000 - shortened.length);
    const id = await record(operation, [shortened, filler, secret, 'y'.repeat(9000)], { secrets: [secret] });
    expect((await read(operation, id)).answer?.bytes.indexOf('sk-')).toBe(-1);
  });

  it('remove the oldest beyond the most bytes, by what was counted', async () => {
    await switchOn();
    const operation = startCall();
    const ids: string[] = [];
    for (let index = 0; index < 6; index += 1) ids.push(await record(operation, ['x'.repeat(100_000)]));
    const { usedBytes } = await setup.logs.traffic.state();
    expect(usedBytes).toBeGreaterThan(600_000);
    await switchOn(Math.ceil(usedBytes / 2));
    const kept = await Promise.all(ids.map((id) => setup.logs.traffic.find(1, operation.id, id)));
    expect(kept.map((found) => found !== undefined)).toEqual([false, false, false, true, true, true]);
    expect((await setup.logs.traffic.state()).usedBytes).toBe(usedBytes / 2);
    const newest = await record(operation, ['x'.repeat(100_000)]);
    expect(await setup.logs.traffic.find(1, operation.id, newest)).toBeDefined();
    expect(await setup.logs.traffic.find(1, operation.id, ids[3] ?? '')).toBeUndefined();
    expect((await setup.logs.traffic.state()).usedBytes).toBe(usedBytes / 2);
  });

  it('are all removed when asked for, and switching off keeps them', async () => {
    await switchOn();
    const operation = startCall();
    const id = await record(operation, ['text']);
    await setup.logs.traffic.change({ isOn: false, mostBytes: MB });
    expect(await setup.logs.traffic.find(1, operation.id, id)).toBeDefined();
    await setup.logs.traffic.clear();
    expect(await setup.logs.traffic.find(1, operation.id, id)).toBeUndefined();
    expect((await setup.logs.traffic.state()).usedBytes).toBe(0);
  });

  it('go with their operation after the retention, and with their environment', async () => {
    await switchOn();
    const old = startCall();
    for (let index = 0; index < 30; index += 1) await record(old, ['text']);
    old.finish('success');
    const other = startCall(2);
    await record(other, ['text']);
    await setup.logs.flush();
    const ofOne = (await setup.logs.traffic.state()).usedBytes / 31;
    await setup.clock.advance(16 * 86_400_000);
    await setup.logs.removeExpired();
    expect((await setup.logs.traffic.state()).usedBytes).toBe(ofOne);
    const removeOne = () => setup.database.transaction((tx) => setup.logs.removeOfEnvironment(tx, 2));
    while (await removeOne());
    expect((await setup.logs.traffic.state()).usedBytes).toBe(0);
  });

  it('are read by their own environment and operation only', async () => {
    await switchOn();
    const operation = startCall();
    const id = await record(operation, ['text']);
    expect(await setup.logs.traffic.find(2, operation.id, id)).toBeUndefined();
    expect(await setup.logs.traffic.find(1, startCall().id, id)).toBeUndefined();
  });

  it('take a bounded part of the memory while many answers come', { tags: ['slow'] }, async () => {
    await switchOn();
    const operation = startCall();
    const taps = Array.from({ length: 200 }, () => operation.record(SENT) as ResponseTap);
    for (const tap of taps) tap.take(Buffer.alloc(MAX_KEPT, 'x'));
    const heldBefore = process.memoryUsage().arrayBuffers;
    for (const tap of taps) tap.take(Buffer.alloc(8 * 1024, 'x'));
    expect(process.memoryUsage().arrayBuffers - heldBefore).toBeLessThan(4 * MB);
    for (const tap of taps) tap.end();
    await setup.logs.flush();
    const cut = await Promise.all(taps.map((tap) => setup.logs.traffic.find(1, operation.id, tap.id)));
    expect(cut.some((found) => found?.answer?.bytes.length === 0)).toBe(true);
  });
});
