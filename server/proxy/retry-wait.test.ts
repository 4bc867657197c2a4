import { describe, expect, it } from 'vitest';
import { retryWaitMs, type WaitInput } from './attempts.ts';

const NOW = Date.UTC(2026, 5, 1);
const base: WaitInput = {
  attempt: 0,
  headers: {},
  callerHeaders: undefined,
  rules: undefined,
  readBody: async () => '',
  now: NOW,
  deadlineMs: undefined,
};
const seconds = (offset: number): string => String(NOW / 1000 + offset);

describe('retryWaitMs', () => {
  it('doubles from 3 s to 10 min', async () => {
    const waits = await Promise.all([0, 1, 2, 7, 8, 30].map((attempt) => retryWaitMs({ ...base, attempt })));

    expect(waits).toEqual([3_000, 6_000, 12_000, 384_000, 600_000, 600_000]);
  });

  it('takes the longest of two at headers, in seconds, milliseconds or as a date', async () => {
    const rules = { at: ['x-a', 'x-b'] };

    expect(await retryWaitMs({ ...base, rules, headers: { 'x-a': seconds(20), 'x-b': String(NOW + 50_000) } })).toBe(
      50_000,
    );
    expect(await retryWaitMs({ ...base, rules, headers: { 'x-a': new Date(NOW + 7_000).toUTCString() } })).toBe(7_000);
  });

  it('takes a time in the past for no hint', async () => {
    expect(await retryWaitMs({ ...base, attempt: 1, rules: { at: 'x-a' }, headers: { 'x-a': seconds(-5) } })).toBe(
      6_000,
    );
  });

  it('reads after as seconds or an HTTP date, and nothing else', async () => {
    const rules = { after: 'retry-after' };

    expect(await retryWaitMs({ ...base, rules, headers: { 'retry-after': '17' } })).toBe(17_000);
    expect(await retryWaitMs({ ...base, rules, headers: { 'retry-after': new Date(NOW + 9_000).toUTCString() } })).toBe(
      9_000,
    );
    expect(await retryWaitMs({ ...base, rules, headers: { 'retry-after': '6m0s' } })).toBe(3_000);
    expect(await retryWaitMs({ ...base, rules, headers: { 'retry-after': '' } })).toBe(3_000);
  });

  it("prefers at to after, and the hint of the caller to the entry's", async () => {
    const headers = { 'x-at': seconds(40), 'retry-after': '5', 'x-mine': '2' };
    const rules = { at: 'x-at', after: 'retry-after' };

    expect(await retryWaitMs({ ...base, rules, headers })).toBe(40_000);
    expect(await retryWaitMs({ ...base, rules, headers, callerHeaders: { after: 'X-Mine' } })).toBe(2_000);
  });

  it('does not look at retry-after unless it is named', async () => {
    expect(await retryWaitMs({ ...base, headers: { 'retry-after': '100' } })).toBe(3_000);
  });

  it.each(['Retry after (.+)', '/Retry after (.+)/'])('finds the hint in the error body with %s', async (value) => {
    const rules = { in_body: { path: 'error.message', value, strategy: 'at' } } as const;
    const readBody = async () =>
      JSON.stringify({
        error: { message: `User-rate limit exceeded. Retry after ${new Date(NOW + 30_000).toISOString()}` },
      });

    expect(await retryWaitMs({ ...base, rules, readBody })).toBe(30_000);
    expect(await retryWaitMs({ ...base, rules, readBody: async () => '<html>' })).toBe(3_000);
  });

  it('does not search a long text for a pattern that never ends', async () => {
    const rules = {
      in_body: { path: 'message', value: '^(a+)+$', strategy: 'after' },
    } as const;
    const readBody = async () => JSON.stringify({ message: `${'a'.repeat(900_000)}!` });
    const startedAt = performance.now();

    expect(await retryWaitMs({ ...base, rules, readBody })).toBe(3_000);
    // Without a limit it would be hours.
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });

  it('caps hints at 10 min, or at what remains of the run', async () => {
    const input = { ...base, rules: { after: 'retry-after' }, headers: { 'retry-after': '7200' } };

    expect(await retryWaitMs(input)).toBe(600_000);
    expect(await retryWaitMs({ ...input, deadlineMs: NOW + 3_000_000 })).toBe(3_000_000);
    expect(await retryWaitMs({ ...base, deadlineMs: NOW + 1_000 })).toBe(1_000);
  });
});
