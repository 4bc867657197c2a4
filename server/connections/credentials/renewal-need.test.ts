import { describe, expect, it } from 'vitest';
import { TOKEN_NOW } from '../../../test/support/token-fixture.ts';
import type { ProviderEntry } from '../../integrations/catalog/entry-schema.ts';
import { canRenew, expiryOf, findRenewalNeed, type RenewalFacts, type RenewalNeed } from './renewal-need.ts';

const MINUTE_MS = 60_000;
const BUFFER_MS = 15 * MINUTE_MS;
const at = (fromNowMs: number): string => new Date(TOKEN_NOW + fromNowMs).toISOString();

function entryOf(name: string, parts: Partial<ProviderEntry> = {}): ProviderEntry {
  return { name, source: 'builtin', display_name: name, auth_mode: 'OAUTH2', ...parts };
}

function need(parts: Partial<Omit<RenewalFacts, 'entry'>> & { provider?: string; entry?: Partial<ProviderEntry> }) {
  const { provider = 'acme', entry, ...facts } = parts;
  return findRenewalNeed({
    credentials: {},
    expiresAt: expiryOf(facts.credentials ?? {}),
    connectionConfig: {},
    isExhausted: false,
    lastFailureAt: null,
    obtainedAt: 0,
    nowMs: TOKEN_NOW,
    isForced: false,
    wantsAppJwt: false,
    ...facts,
    entry: entryOf(provider, entry),
  });
}

const oauth2 = (parts: object = {}) => ({ type: 'OAUTH2', access_token: 'T', refresh_token: 'R', ...parts });
const EXPIRED = oauth2({ expires_at: at(-1) });

describe('findRenewalNeed: exhausted and backoff', () => {
  it.each<[string, Partial<RenewalFacts>, RenewalNeed]>([
    ['exhausted', { isExhausted: true }, 'exhausted'],
    ['exhausted and failed just now', { isExhausted: true, lastFailureAt: TOKEN_NOW }, 'exhausted'],
    ['failed just now', { lastFailureAt: TOKEN_NOW }, 'backoff'],
    ['failed less than 30 s ago', { lastFailureAt: TOKEN_NOW - 29_999 }, 'backoff'],
    ['failed "tomorrow", while the clock was wrong', { lastFailureAt: TOKEN_NOW + 86_400_000 }, 'renew'],
    ['failed 30 s ago', { lastFailureAt: TOKEN_NOW - 30_000 }, 'renew'],
    ['exhausted and forced', { isExhausted: true, isForced: true }, 'renew'],
    ['failed just now and forced', { lastFailureAt: TOKEN_NOW, isForced: true }, 'renew'],
  ])('when %s', (_when, facts, expected) => {
    expect(need({ credentials: EXPIRED, ...facts })).toBe(expected);
  });

  it('holds for a token that is not due', () => {
    const credentials = oauth2({ expires_at: at(3_600_000) });

    expect(need({ credentials, isExhausted: true })).toBe('exhausted');
    expect(need({ credentials, lastFailureAt: TOKEN_NOW })).toBe('backoff');
  });
});

describe('findRenewalNeed: a token that the provider takes once', () => {
  it('is signed anew for each use', () => {
    const credentials = { type: 'JWT', token: 'T', expires_at: at(3_600_000) };

    expect(need({ credentials, entry: { token: { singleUse: true } } })).toBe('renew');
    expect(need({ credentials, entry: { token: {} } })).toBe('none');
  });
});

describe('findRenewalNeed: a clock that was ahead', () => {
  it('renews a token that was obtained "tomorrow", whatever its end', () => {
    const credentials = oauth2({ expires_at: at(90_000_000) });

    expect(need({ credentials, obtainedAt: TOKEN_NOW + 86_400_000 })).toBe('renew');
    expect(need({ credentials, obtainedAt: TOKEN_NOW + 1_000 })).toBe('none');
  });
});

describe('findRenewalNeed: types', () => {
  it.each(['OAUTH2', 'APP', 'OAUTH2_CC', 'JWT', 'BILL', 'TWO_STEP', 'SIGNATURE', 'AWS_SIGV4'])(
    'renews %s when it expires or is forced',
    (type) => {
      expect(need({ credentials: { ...EXPIRED, type } })).toBe('renew');
      expect(need({ credentials: { type, refresh_token: 'R' }, isForced: true })).toBe('renew');
    },
  );

  it.each(['BASIC', 'API_KEY', 'TBA', 'OAUTH1', 'CUSTOM', undefined])('never renews %s', (type) => {
    const { type: _type, ...rest } = EXPIRED;
    const credentials = type === undefined ? rest : { ...rest, type };

    for (const isForced of [false, true]) {
      expect(need({ credentials, isForced, isExhausted: true, lastFailureAt: TOKEN_NOW })).toBe('none');
    }
  });

  it.each(['', undefined])('does not renew OAUTH2 with the refresh token %j, also when it is forced', (token) => {
    const credentials = { ...EXPIRED, refresh_token: token };

    expect(need({ credentials })).toBe('none');
    expect(need({ credentials, isForced: true })).toBe('none');
    expect(canRenew('acme', credentials)).toBe(false);
  });

  it.each(['microsoft-admin', 'shopline-oauth'])('renews %s without a refresh token', (provider) => {
    const credentials = { type: 'OAUTH2', access_token: 'T', expires_at: at(-1) };

    expect(need({ provider, credentials })).toBe('renew');
    expect(need({ provider, credentials: { ...credentials, expires_at: at(3_600_000) } })).toBe('none');
    expect(canRenew(provider, credentials)).toBe(true);
  });
});

describe('findRenewalNeed: the end of the token', () => {
  it.each<[string, number, Partial<ProviderEntry>, RenewalNeed]>([
    ['15 minutes', BUFFER_MS, {}, 'none'],
    ['a moment less', BUFFER_MS - 1, {}, 'renew'],
    ['nothing', 0, {}, 'renew'],
    ['30 seconds of a buffer of 30', 30_000, { token_expiration_buffer: 30 }, 'none'],
    ['less than its buffer of 30 seconds', 29_999, { token_expiration_buffer: 30 }, 'renew'],
    ['nothing, and a buffer of nothing', 0, { token_expiration_buffer: 0 }, 'none'],
    ['less than nothing, and a buffer of nothing', -1, { token_expiration_buffer: 0 }, 'renew'],
  ])('with %s left', (_left, leftMs, entry, expected) => {
    expect(need({ credentials: oauth2({ expires_at: at(leftMs) }), entry })).toBe(expected);
  });

  it('is never without one', () => {
    expect(need({ credentials: oauth2() })).toBe('none');
  });
});

describe('findRenewalNeed: providers of their own kind', () => {
  it.each(['facebook', 'instagram', 'threads'])('renews %s only when forced, by the access token', (provider) => {
    const credentials = { type: 'OAUTH2', access_token: 'T', expires_at: at(-1) };

    expect(need({ provider, credentials })).toBe('none');
    expect(need({ provider, credentials, isForced: true })).toBe('renew');
  });

  it.each([
    ['salesforce', 'OAUTH2'],
    ['salesforce-sandbox', 'OAUTH2'],
    ['salesforce-experience-cloud', 'OAUTH2'],
    ['salesforce-cc', 'OAUTH2_CC'],
    ['salesforce-jwt', 'TWO_STEP'],
  ])('asks %s, but not when forced', (provider, type) => {
    const credentials = { type, refresh_token: 'R' };

    expect(need({ provider, credentials })).toBe('ask');
    expect(need({ provider, credentials: { ...credentials, expires_at: at(3_600_000) } })).toBe('ask');
    expect(need({ provider, credentials, isForced: true })).toBe('renew');
  });

  it('sends no request about a Salesforce token that it could not renew', () => {
    expect(need({ provider: 'salesforce', credentials: { type: 'OAUTH2', access_token: 'T' } })).toBe('none');
  });

  it.each([
    ['one-drive', 'sharepointAccessToken', 'tenantId'],
    ['sharepoint-online', 'sharepointAccessToken', 'tenantId'],
    ['microsoft-teams-bot', 'botFrameworkAccessToken', 'botHostTenantId'],
  ])('renews %s for its second token, too', (provider, key, tenantKey) => {
    const credentials = oauth2({ expires_at: at(3_600_000) });
    const withSecond = (second: unknown, tenant: Record<string, unknown> = { [tenantKey]: 'tid-1' }): RenewalNeed =>
      need({ provider, credentials, connectionConfig: { ...tenant, [key]: second } });

    expect(withSecond({ access_token: 'S', expires_at: TOKEN_NOW + BUFFER_MS })).toBe('none');
    expect(withSecond({ access_token: 'S', expires_at: TOKEN_NOW + BUFFER_MS - 1 })).toBe('renew');
    expect(withSecond({ access_token: 'S' })).toBe('none');
    expect(withSecond(undefined)).toBe('none');
    expect(withSecond('text')).toBe('none');
    expect(withSecond({ access_token: 'S', expires_at: TOKEN_NOW }, {})).toBe('none');
    expect(need({ provider, credentials: EXPIRED })).toBe('renew');
  });
});

describe('findRenewalNeed: the JWT of a GitHub app', () => {
  const jwt = (payload: unknown) => `h.${Buffer.from(JSON.stringify(payload)).toString('base64url')}.s`;
  const seconds = (fromNowMs: number): number => (TOKEN_NOW + fromNowMs) / 1000;
  const fresh = { type: 'APP', access_token: 'T', expires_at: at(3_600_000) };
  const ask = (parts: object, wantsAppJwt = true, provider = 'github-app') =>
    need({ provider, credentials: { ...fresh, ...parts }, wantsAppJwt });

  it.each<[string, object, RenewalNeed]>([
    ['15 minutes', { jwtToken: jwt({ exp: seconds(BUFFER_MS) }) }, 'none'],
    ['a second less', { jwtToken: jwt({ exp: seconds(BUFFER_MS - 1000) }) }, 'app-jwt'],
    ['no end', { jwtToken: jwt({}) }, 'app-jwt'],
    ['no payload', { jwtToken: 'nothing' }, 'app-jwt'],
    ['no JSON', { jwtToken: 'h.e30x.s' }, 'app-jwt'],
    ['none at all', {}, 'app-jwt'],
  ])('is due with %s', (_what, parts, expected) => {
    expect(ask(parts)).toBe(expected);
    expect(ask(parts, true, 'github-app-oauth')).toBe(expected);
  });

  it('is nobody else’s business', () => {
    expect(ask({}, false)).toBe('none');
    expect(ask({}, true, 'acme')).toBe('none');
  });

  it('is found in the configuration, too', () => {
    const connectionConfig = { jwtToken: jwt({ exp: seconds(3_600_000) }) };

    expect(need({ provider: 'github-app', credentials: fresh, connectionConfig, wantsAppJwt: true })).toBe('none');
  });

  it('comes with the token when that is due', () => {
    expect(ask({ expires_at: at(0) })).toBe('renew');
  });
});
