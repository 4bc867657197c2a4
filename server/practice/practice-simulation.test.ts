import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import { createPracticeProvider, type PracticeProvider } from './practice-provider.ts';

let clock: FakeClock;
let provider: PracticeProvider;
let address: string;
beforeEach(async () => {
  clock = new FakeClock();
  provider = createPracticeProvider({ clock });
  ({ address } = await provider.start());
});
afterEach(() => provider.stop());

const call = (path = '/v1/issues') => fetch(address + path, { headers: { authorization: 'Bearer practice-me' } });
const MINUTE = 60_000;

describe('a simulated failure of the practice provider', () => {
  it.each([
    ['unauthorized', 401, null],
    ['rate_limited', 429, '5'],
    ['server_error', 500, null],
  ] as const)('answers %s with %i, and ends by itself', async (kind, status, retryAfter) => {
    expect((await call()).status).toBe(200);
    provider.simulation.start(kind, MINUTE);

    const response = await call();
    expect([response.status, response.headers.get('retry-after')]).toEqual([status, retryAfter]);
    expect(await response.text()).toContain('simulated failure');
    expect((await call('/v1/me')).status).toBe(status);
    await clock.advance(MINUTE);
    expect((await call()).status).toBe(200);
    expect(provider.simulation.current()).toBeUndefined();
  });

  it('breaks the first record of a list, and no more', async () => {
    const whole = (await (await call('/v1/issues?limit=2')).json()) as { issues: unknown[] };
    provider.simulation.start('broken_record', MINUTE);

    const broken = (await (await call('/v1/issues?limit=2')).json()) as { issues: unknown[] };

    expect(broken.issues[0]).toMatchObject({ id: null, title: 42 });
    expect(broken.issues.slice(1)).toEqual(whole.issues.slice(1));
  });

  it('does not answer for half a minute, then closes the connection', async () => {
    provider.simulation.start('timeout', MINUTE);
    const ended = call().then(
      () => 'answered',
      () => 'closed',
    );
    await waitFor(() => clock.pendingTimers === 1, { what: 'the waiting request' });
    await clock.advance(30_000);

    expect(await ended).toBe('closed');
  });

  it('lets nobody wait once it is ended, and is replaced by another one', async () => {
    provider.simulation.start('timeout', MINUTE);
    const ended = call().catch(() => 'closed');
    await waitFor(() => clock.pendingTimers === 1, { what: 'the waiting request' });
    provider.simulation.start('server_error', MINUTE);

    expect(await ended).toBe('closed');
    expect((await call()).status).toBe(500);
    provider.simulation.end();
    expect((await call()).status).toBe(200);
  });

  it('ends when the clock is set back', () => {
    provider.simulation.start('server_error', MINUTE);
    clock.step(-10 * MINUTE);

    expect(provider.simulation.current()).toBeUndefined();
  });
});
