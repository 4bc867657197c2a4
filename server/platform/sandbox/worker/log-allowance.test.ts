import { describe, expect, it } from 'vitest';
import type { GuestLogEntry } from '../../../../functions/runtime/bridge.ts';
import { LogAllowance } from './log-allowance.ts';

const entries = (count: number, message = 'x'): GuestLogEntry[] =>
  Array.from({ length: count }, () => ({ level: 'info', message, at: 0 }));

function allowance() {
  const time = { now: 0 };
  return { time, logs: new LogAllowance(() => time.now) };
}

describe('LogAllowance', () => {
  it('keeps 10,000 lines at once and says once that further ones were dropped', () => {
    const { logs } = allowance();

    expect(logs.keep(entries(10_000))).toHaveLength(10_000);
    const [notice, ...further] = logs.keep(entries(500));

    expect(notice).toMatchObject({
      level: 'warn',
      source: 'internal',
      message: expect.stringMatching(/^Further log lines were dropped/),
    });
    expect(further).toEqual([]);
    expect(logs.keep(entries(500))).toEqual([]);
  });

  it('keeps 100 lines a second after a flood, without saying it again', () => {
    const { logs, time } = allowance();
    logs.keep(entries(20_000));
    time.now += 1000;

    expect(logs.keep(entries(500))).toEqual(entries(100));
  });

  it('says it again when there is another flood after a pause', () => {
    const { logs, time } = allowance();
    logs.keep(entries(20_000));
    time.now += 1_000_000;

    expect(logs.keep(entries(20_000))).toHaveLength(10_001);
  });

  it('counts bytes of messages and payloads', () => {
    const { logs } = allowance();
    const big = 'x'.repeat(1024 * 1024);

    const kept = logs.keep([...entries(6, big), ...entries(6).map((entry) => ({ ...entry, meta: big }))]);

    expect(kept.filter(({ source }) => source !== 'internal')).toHaveLength(9);
    expect(logs.keep(entries(1, big))).toEqual([]);
  });
});
