import { describe, expect, it } from 'vitest';
import { waitFor } from './wait-for.ts';

describe('waitFor', () => {
  it('returns the first truthy value, errors on the way included', async () => {
    let calls = 0;
    const value = await waitFor(() => {
      calls += 1;
      if (calls === 1) throw new Error('not yet');
      return calls === 3 && 'ready';
    });

    expect(value).toBe('ready');
  });

  it('names what it waited for, with the last error as cause', async () => {
    const cause = new Error('still closed');

    const waiting = waitFor(() => Promise.reject(cause), { limitMs: 30, what: 'the answer' });

    await expect(waiting).rejects.toMatchObject({ message: 'the answer did not come true within 30 ms', cause });
  });
});
