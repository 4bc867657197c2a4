import { describe, expect, it } from 'vitest';
import {
  CLIENT,
  CLIENT_PARAMS,
  EXCHANGE_PARAMS,
  exchangeOf,
  recordingContext,
  refreshOf,
  refreshParams,
  type SeenCall,
  TOKEN_URL,
} from '../../../../test/support/token-calls.ts';
import { TOKEN_NOW } from '../../../../test/support/token-fixture.ts';
import { refreshTokens } from '../auth-modes/oauth2.ts';
import type { TokenContext } from '../token-context.ts';

const HOUR_MS = 3_600_000;
const TOKENS = { access_token: '91:abc', refresh_token: 'R1', expires_in: 600 };
const SESSION = { BhRestToken: 'bh-1', restUrl: 'https://rest42.bullhornstaffing.com/rest-services/e999/' };
const stored = { access_token: 'bh-0', refresh_token: 'R0' };
const login = (host: string): SeenCall => ({
  at: `POST https://${host}/rest-services/login`,
  query: { version: '*', access_token: '91:abc', ttl: '60' },
  form: {},
});
const session = {
  credentials: {
    type: 'OAUTH2',
    access_token: 'bh-1',
    refresh_token: 'R1',
    expires_at: '2026-06-01T13:00:00.000Z',
    raw: { ...TOKENS, ...SESSION },
  },
  config: { restUrl: SESSION.restUrl },
};

describe('bullhorn', () => {
  it('opens a session with the tokens of an exchange', async () => {
    const { calls, issued } = await exchangeOf('bullhorn', { responses: [TOKENS, SESSION] });

    const exchange = { at: `POST ${TOKEN_URL}`, form: { ...EXCHANGE_PARAMS, ...CLIENT_PARAMS } };
    expect(calls).toEqual([exchange, login('rest.bullhornstaffing.com')]);
    expect(issued).toEqual(session);
  });

  it('opens a new one with those of a refresh, which are kept before', async () => {
    const { calls, kept, issued } = await refreshOf('bullhorn', stored, { responses: [TOKENS, SESSION] });

    const refresh = { at: `POST ${TOKEN_URL}`, form: { ...refreshParams('R0'), ...CLIENT_PARAMS } };
    expect(calls).toEqual([refresh, login('rest.bullhornstaffing.com')]);
    expect(issued).toEqual(session);
    expect(kept[0]?.credentials).toMatchObject({ refresh_token: 'R1' });
  });

  it('opens a session that is as old as its request, although the computer sleeps before the answer', async () => {
    let nowMs = TOKEN_NOW;
    const { context } = recordingContext('bullhorn', { responses: [TOKENS, SESSION] });
    const sleeping: TokenContext = {
      ...context,
      now: () => nowMs,
      send: async (request) => {
        const response = await context.send(request);
        nowMs += 10 * HOUR_MS;
        return response;
      },
    };

    const { credentials } = await refreshTokens(sleeping, CLIENT, stored);

    // The first request, for the tokens, took ten hours, too.
    expect(credentials['expires_at']).toBe('2026-06-01T23:00:00.000Z');
  });

  it('follows Bullhorn to the right data centre', async () => {
    const moved = (location: string) => ({ status: 307, headers: { location } });
    const target = 'https://rest42.bullhornstaffing.com/rest-services/login?version=*&access_token=91%3Aabc&ttl=60';

    const { calls } = await exchangeOf('bullhorn', { responses: [TOKENS, moved(target), SESSION] });

    expect(calls.slice(1)).toEqual([login('rest.bullhornstaffing.com'), login('rest42.bullhornstaffing.com')]);
  });

  it.each([
    'https://bullhornstaffing.com.evil.test/login',
    'https://evilbullhornstaffing.com/login',
    'http://rest42.bullhornstaffing.com/login',
  ])('does not follow to %s', async (location) => {
    const exchange = exchangeOf('bullhorn', { responses: [TOKENS, { status: 307, headers: { location } }] });

    await expect(exchange).rejects.toMatchObject({ code: 'token_exchange_failed' });
  });

  it('fails when no session is opened', async () => {
    const refused = { errorMessage: 'Invalid session', message: 'Bad token 91:abc' };

    await expect(refreshOf('bullhorn', stored, { responses: [TOKENS, refused] })).rejects.toMatchObject({
      code: 'refresh_token_external_error',
      message: 'The provider gave no tokens (status 200): Bad token REDACTED.',
    });
  });
});
