import { describe, expect, it } from 'vitest';
import {
  CLIENT,
  CLIENT_PARAMS,
  EXCHANGE_PARAMS,
  exchangeOf,
  recordingContext,
  refreshOf,
  refreshParams,
} from '../../../../test/support/token-calls.ts';
import { TOKEN_NOW } from '../../../../test/support/token-fixture.ts';
import { refreshTokens } from '../auth-modes/oauth2.ts';
import type { TokenContext } from '../token-context.ts';

const HOUR_MS = 3_600_000;
const URL = 'https://slack.com/api/oauth.v2.access';
const entry = {
  token_url: URL,
  alternate_access_token_response_path: 'authed_user',
  token_response_metadata: ['team.id', 'bot_user_id'],
};
const USER = { id: 'U1', access_token: 'xoxp-1', refresh_token: 'ru-1', expires_in: 7200, token_type: 'user' };
const BOT = { ok: true, access_token: 'xoxb-1', refresh_token: 'rb-1', expires_in: 43_200, team: { id: 'T1' } };
const IN_TWO_HOURS = '2026-06-01T14:00:00.000Z';
const IN_TWELVE_HOURS = '2026-06-02T00:00:00.000Z';
const at = `POST ${URL}`;
const stored = { access_token: 'xoxb-0', refresh_token: 'rb-0', raw: { ok: true, authed_user: { ...USER } } };
const refreshCall = (token: string) => ({ at, form: { ...refreshParams(token), ...CLIENT_PARAMS } });

describe('slack: the exchange', () => {
  it('expires with the earlier of bot and user', async () => {
    const response = { ...BOT, authed_user: USER };

    const { calls, issued } = await exchangeOf('slack', { responses: [response], entry });

    expect(calls).toEqual([{ at, form: { ...EXCHANGE_PARAMS, ...CLIENT_PARAMS } }]);
    expect(issued).toEqual({
      credentials: {
        type: 'OAUTH2',
        access_token: 'xoxb-1',
        refresh_token: 'rb-1',
        expires_at: IN_TWO_HOURS,
        raw: response,
      },
      config: { 'team.id': 'T1' },
    });
  });

  it('takes the tokens of a user alone', async () => {
    const { issued } = await exchangeOf('slack', { responses: [{ ok: true, authed_user: USER }], entry });

    expect(issued.credentials).toMatchObject({
      access_token: 'xoxp-1',
      refresh_token: 'ru-1',
      expires_at: IN_TWO_HOURS,
    });
  });

  it('never expires without rotation', async () => {
    const response = { ok: true, access_token: 'xoxb-1', authed_user: { id: 'U1' } };

    const { issued } = await exchangeOf('slack', { responses: [response], entry });

    expect(issued.credentials).toEqual({ type: 'OAUTH2', access_token: 'xoxb-1', raw: response });
  });

  it('is refused by a 200', async () => {
    const responses = [{ ok: false, error: 'invalid_code' }];

    await expect(exchangeOf('slack', { responses, entry })).rejects.toMatchObject({
      code: 'token_exchange_failed',
      message: 'The provider gave no tokens (status 200): invalid_code.',
    });
  });
});

describe('slack: the refresh', () => {
  it.each([
    ['as such', { ok: true, access_token: 'xoxp-2', refresh_token: 'ru-2', expires_in: 7200, team: { id: 'T1' } }],
    ['among the user', { ok: true, authed_user: { access_token: 'xoxp-2', refresh_token: 'ru-2', expires_in: 7200 } }],
  ])('renews the user beside the bot; its tokens come %s', async (_how, userResponse) => {
    const { calls, kept, issued } = await refreshOf('slack', stored, { responses: [BOT, userResponse], entry });

    expect(calls).toEqual([refreshCall('rb-0'), refreshCall('ru-1')]);
    expect(issued.credentials).toEqual({
      type: 'OAUTH2',
      access_token: 'xoxb-1',
      refresh_token: 'rb-1',
      expires_at: IN_TWO_HOURS,
      raw: { ...BOT, authed_user: { ...USER, access_token: 'xoxp-2', refresh_token: 'ru-2' } },
    });
    expect(kept.map(({ credentials }) => credentials['refresh_token'])).toEqual(['rb-1']);
  });

  it.each([
    ['a refusal', { ok: false, error: 'invalid_refresh_token' }],
    ['an error', { status: 500, body: 'down' }],
  ])('keeps the user as it is after %s', async (_what, userResponse) => {
    const { issued } = await refreshOf('slack', stored, { responses: [BOT, userResponse], entry });

    expect(issued.credentials).toMatchObject({
      access_token: 'xoxb-1',
      expires_at: IN_TWELVE_HOURS,
      raw: { authed_user: USER },
    });
  });

  it('keeps a user whose token does not rotate, without asking', async () => {
    const user = { id: 'U1', access_token: 'xoxp-1' };
    const withUser = { ...stored, raw: { authed_user: user } };

    const { calls, issued } = await refreshOf('slack', withUser, { responses: [BOT], entry });

    expect(calls).toEqual([refreshCall('rb-0')]);
    expect(issued.credentials.raw).toEqual({ ...BOT, authed_user: user });
  });

  it('renews a user alone once', async () => {
    const alone = { access_token: 'xoxp-1', refresh_token: 'ru-1', raw: { ok: true, authed_user: USER } };
    const response = { ok: true, access_token: 'xoxp-2', refresh_token: 'ru-2', expires_in: 43_200 };

    const { calls, issued } = await refreshOf('slack', alone, { responses: [response], entry });

    expect(calls).toEqual([refreshCall('ru-1')]);
    expect(issued.credentials).toMatchObject({
      access_token: 'xoxp-2',
      refresh_token: 'ru-2',
      expires_at: IN_TWELVE_HOURS,
      raw: { authed_user: { id: 'U1', access_token: 'xoxp-2', refresh_token: 'ru-2' } },
    });
  });

  it('is refused by a 200 that names the reason in full', async () => {
    const refresh = refreshOf('slack', stored, { responses: [{ ok: false, error: 'invalid_refresh_token' }], entry });

    await expect(refresh).rejects.toMatchObject({
      code: 'refresh_token_external_error',
      message: 'The provider gave no tokens (status 200): invalid_refresh_token.',
    });
  });

  it('counts the age of the user from the request, although the computer sleeps before the answer', async () => {
    let nowMs = TOKEN_NOW;
    const { context } = recordingContext('slack', { responses: [BOT, { ok: true, ...USER }], entry });
    const sleeping: TokenContext = {
      ...context,
      now: () => nowMs,
      send: async (request) => {
        const response = await context.send(request);
        if (request.body?.includes('ru-1')) nowMs += 10 * HOUR_MS;
        return response;
      },
    };

    const { credentials } = await refreshTokens(sleeping, CLIENT, stored);

    expect(credentials['expires_at']).toBe(IN_TWO_HOURS);
  });
});
