import { describe, expect, it } from 'vitest';
import type { GuestLogEntry } from '../bridge.ts';
import { HostCalls } from '../host-calls.ts';
import { MAX_JSON_BYTES } from '../shrink-json.ts';
import { FunctionLog } from './function-log.ts';

function openLog() {
  const sent: GuestLogEntry[] = [];
  const host: HostCalls = new HostCalls((_kind, ...args) => {
    sent.push(...(args[1] as GuestLogEntry[]));
    queueMicrotask(() => host.settle(args[0] as number, true, null));
  });
  return { sent, log: new FunctionLog({ host, level: 'debug', now: () => 5 }) };
}

describe('FunctionLog', () => {
  it('cuts a long message at its bytes, between characters, and marks the cut', async () => {
    const { sent, log } = openLog();

    log.user('info', '€'.repeat(40_000));
    await log.flush();

    const message = sent[0]?.message ?? '';
    expect(Buffer.byteLength(message)).toBeLessThanOrEqual(MAX_JSON_BYTES);
    expect(Buffer.byteLength(message)).toBeGreaterThan(MAX_JSON_BYTES - 3);
    expect(message).toMatch(/^€+… \[truncated\]$/);
    expect(sent[0]?.at).toBe(5);
  });

  it('drops lines above its limit, and says how many', async () => {
    const { sent, log } = openLog();

    for (let line = 0; line < 100; line++) log.user('info', 'x'.repeat(90_000));
    await log.flush();

    expect(sent.length).toBeLessThan(60);
    expect(sent.at(-1)).toMatchObject({
      level: 'warn',
      source: 'internal',
      message: expect.stringMatching(/^5\d log lines/),
    });
  });

  it('ignores a level that it does not know, for a line and for itself', async () => {
    const { sent, log } = openLog();

    log.setLevel('loud');
    log.user('toString', 'a');
    log.user('http', 'b');
    await log.flush();

    expect([log.level, sent.map((entry) => [entry.level, entry.message])]).toEqual(['debug', [['info', 'b']]]);
  });
});
