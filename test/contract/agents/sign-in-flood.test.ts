import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Timer } from '../../../server/platform/lib/clock.ts';
import { MovableClock } from '../../support/movable-clock.ts';
import type { DashboardClient } from '../dashboard/dashboard-client.ts';
import { type AgentFixture, startAgentFixture } from './agent-fixture.ts';
import { signInProgram } from './mcp-addresses.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 3_600_000;
const REDIRECT = 'http://127.0.0.1:8976/callback';
const PUBLIC_HOST = 'hub.example.test';

/** A clock that a test moves, with the timers of a minute. */
class MinuteClock extends MovableClock {
  readonly #minutes = new Set<() => void>();
  override readonly after = (delayMs: number, callback: () => void): Timer => {
    if (delayMs !== MINUTE_MS) return systemTimer(delayMs, callback);
    this.#minutes.add(callback);
    return { cancel: () => void this.#minutes.delete(callback) };
  };

  endMinute(): void {
    this.skip(MINUTE_MS);
    const ended = [...this.#minutes];
    this.#minutes.clear();
    for (const callback of ended) callback();
  }
}
const systemTimer = new MovableClock().after;

const clock = new MinuteClock();
let hub: AgentFixture;
let dashboard: DashboardClient;
beforeAll(async () => {
  hub = await startAgentFixture({
    clock,
    env: { HOMEPORT_PUBLIC_URL: `https://${PUBLIC_HOST}`, HOMEPORT_MCP_PUBLIC: '1' },
  });
  dashboard = await hub.signIn();
});
afterAll(() => hub?.stop());

const headersOf = (host: string | undefined) => ({ authorization: undefined, ...(host ? { host } : {}) });
const register = (host?: string) =>
  hub.api.send('POST /agents/register', {
    headers: headersOf(host),
    body: { client_name: 'Flooder', redirect_uris: [host ? 'https://agent.test/callback' : REDIRECT] },
  });
const registered = async (): Promise<string> => ((await register()).body as { client_id: string }).client_id;
const authorize = (client_id: string, host?: string) => {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id,
    redirect_uri: REDIRECT,
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  });
  return hub.api.send(`GET /agents/authorize?${query}`, { headers: headersOf(host) });
};
const refresh = (client_id: string, refresh_token: string, host?: string) =>
  hub.api.send('POST /agents/token', {
    headers: headersOf(host),
    body: { grant_type: 'refresh_token', refresh_token, client_id },
  });
const requestOf = (location: string | undefined): string => new URL(location ?? '').searchParams.get('request') ?? '';
const show = (requestId: string) => dashboard.call('GET /api/v1/agent-sign-ins/:requestId', { params: { requestId } });

/** Sends until one is refused as too many; resolves to how many were taken, and checks that it says when again. */
async function flood(send: () => Promise<{ status: number; headers: Record<string, unknown>; body: unknown }>) {
  for (let count = 0; count < 200; count += 1) {
    const { body, headers, status } = await send();
    if (status !== 429) continue;
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    expect(Number(headers['retry-after'])).toBeLessThanOrEqual(60);
    expect(JSON.stringify(body)).toMatch(/Try again in \d+ s\./);
    return { count, body };
  }
  throw new Error('no limit');
}

describe('a flood at the public addresses of the sign-in', () => {
  it('of registrations is refused until the minute is over, and says when again', async () => {
    const { body, count } = await flood(() => register());
    expect([count, body]).toEqual([40, { error: 'temporarily_unavailable', error_description: expect.any(String) }]);
    // The public address has a limit of its own.
    expect((await register(PUBLIC_HOST)).status).toBe(201);

    clock.endMinute();
    expect((await register()).status).toBe(201);
  });

  it('of unknown clients is refused as too many, but never one that is known', async () => {
    const known = await registered();
    const { body, count } = await flood(() => authorize('unknown'));
    expect([count, body]).toMatchObject([60, { error: { code: 'too_many_request' } }]);
    expect((await authorize(known)).status).toBe(302);
    expect((await authorize('unknown', PUBLIC_HOST)).status).toBe(400);
    clock.endMinute();
    expect((await authorize('unknown')).status).toBe(400);
    clock.endMinute();
  });

  it('of wrong tokens is refused as too many, but a program with its own gets new ones', async () => {
    const { client_id, refresh_token } = await signInProgram(hub);
    const { count } = await flood(() => refresh(client_id, 'wrong'));
    expect(count).toBe(60);
    expect((await refresh(client_id, refresh_token)).status).toBe(200);
    clock.endMinute();
    expect((await refresh(client_id, 'wrong')).status).toBe(400);
    clock.endMinute();
  });

  it('of requests to authorize takes no page away from a person', async () => {
    const [first, second] = [await registered(), await registered()];
    const opened = requestOf((await authorize(first)).headers['location']);
    const unseen = requestOf((await authorize(first)).headers['location']);
    await show(opened);
    for (let count = 0; count < 120; count += 1) expect((await authorize(second)).status).toBe(302);

    expect(await show(opened)).toMatchObject({ clientName: 'Flooder' });
    await expect(show(unseen)).rejects.toThrow();
    // The latest one waits too.
    expect(await show(requestOf((await authorize(first)).headers['location']))).toMatchObject({ isPublic: false });
  });

  it('of registrations over many minutes removes no program that a person let in', { tags: ['slow'] }, async () => {
    const { client_id, refresh_token } = await signInProgram(hub);
    const abandoned = await registered();
    clock.endMinute();
    for (let minute = 0; minute < 26; minute += 1) {
      await Promise.all(Array.from({ length: 40 }, () => register()));
      clock.endMinute();
    }

    expect((await authorize(abandoned)).status).toBe(400);
    expect((await authorize(client_id)).status).toBe(302);
    expect((await refresh(client_id, refresh_token)).status).toBe(200);
  });
});

describe('a registration', () => {
  it('that never got a token is gone after 30 days, one that did is not', async () => {
    const { client_id } = await signInProgram(hub);
    const unused = await registered();
    clock.skip(29 * DAY_MS);
    expect((await authorize(unused)).status).toBe(302);
    clock.skip(2 * DAY_MS);
    expect((await authorize(unused)).status).toBe(400);
    expect((await authorize(client_id)).status).toBe(302);
    // Also after the clean-up of the next registration.
    await registered();
    expect((await authorize(unused)).status).toBe(400);
    expect((await authorize(client_id)).status).toBe(302);
  });
});
