import { describe, expect, it } from 'vitest';
import { joinScopes } from '../connections/credentials/credentials.service.ts';
import type { ProviderEntry } from '../integrations/catalog/entry-schema.ts';
import { type AuthorizationUrlParts, buildAuthorizationUrl } from './authorization-url.ts';

type Changes = Partial<Omit<AuthorizationUrlParts, 'entry'>> & { entry?: Partial<ProviderEntry> };

function build({ entry, ...changes }: Changes = {}): string {
  return buildAuthorizationUrl({
    entry: {
      name: 'acme',
      source: 'builtin',
      display_name: 'Acme',
      auth_mode: 'OAUTH2',
      authorization_url: 'https://acme.test/authorize',
      ...entry,
    },
    clientId: 'client',
    redirectUri: 'http://localhost:3003/oauth/callback',
    state: 'the-state',
    scopes: 'read,write',
    connectionConfig: {},
    entryParams: {},
    codeChallenge: 'challenge',
    params: {},
    isFromPage: false,
    ...changes,
  });
}

const queryOf = (url: string): Record<string, string> => Object.fromEntries(new URL(url).searchParams);

describe('authorization address', () => {
  it('carries the parameters of OAuth 2 with PKCE', () => {
    const url = build();

    expect(url.startsWith('https://acme.test/authorize?')).toBe(true);
    expect(queryOf(url)).toEqual({
      response_type: 'code',
      client_id: 'client',
      redirect_uri: 'http://localhost:3003/oauth/callback',
      scope: 'read write',
      state: 'the-state',
      code_challenge: 'challenge',
      code_challenge_method: 'S256',
    });
  });

  it('says nothing of PKCE where the entry disables it', () => {
    expect(Object.keys(queryOf(build({ codeChallenge: undefined })))).toEqual([
      'response_type',
      'client_id',
      'redirect_uri',
      'scope',
      'state',
    ]);
  });

  it('lets the session choose scopes and client, and a page neither', () => {
    const params = { scope: 'admin', client_id: 'theirs', user_scope: 'all', prompt: 'login' };

    expect(queryOf(build({ params }))).toMatchObject(params);
    const ofPage = queryOf(build({ params, isFromPage: true }));
    expect(ofPage).toMatchObject({ scope: 'read write', client_id: 'client', prompt: 'login' });
    expect(ofPage).not.toHaveProperty('user_scope');
  });

  it.each([
    'response_type',
    'response_mode',
    'request',
    'request_uri',
    'registration',
    'authorization_details',
    'claims',
  ])('lets the session choose %s, and a page not', (name) => {
    expect(queryOf(build({ params: { [name]: 'theirs' } }))).toMatchObject({ [name]: 'theirs' });
    expect(queryOf(build({ params: { [name]: 'theirs' }, isFromPage: true }))[name]).not.toBe('theirs');
  });

  it('keeps a page from the client under the name that the provider reads', () => {
    const entry = { authorization_url_replacements: { 'client_id=': 'client_key=' } };
    const url = build({ entry, params: { client_key: 'theirs' }, isFromPage: true });

    expect(new URL(url).searchParams.getAll('client_key')).toEqual(['client']);
  });

  it('encodes as forms do', () => {
    expect(build({ clientId: 'a b&c=d+e/ü' })).toContain('client_id=a+b%26c%3Dd%2Be%2F%C3%BC');
    expect(build()).toContain('scope=read+write');
  });

  it('sends an empty scope, too', () => {
    expect(queryOf(build({ scopes: '' }))['scope']).toBe('');
  });

  it('keeps the query that the entry writes, its own parameters winning over those', () => {
    const url = build({
      entry: { authorization_url: 'https://acme.test/authorize?access_type=offline&client_id=theirs' },
    });

    expect(queryOf(url)).toMatchObject({ access_type: 'offline', client_id: 'client' });
  });

  it('lets parameters of the entry replace the common ones', () => {
    expect(queryOf(build({ entryParams: { scope: 'fixed', response_type: 'code id_token' } }))).toMatchObject({
      scope: 'fixed',
      response_type: 'code id_token',
    });
  });

  it('lets the caller add, replace and remove parameters, last of all', () => {
    const url = build({
      entryParams: { prompt: 'consent', audience: 'api' },
      params: { prompt: 'login', audience: 'undefined', scope: 'mine', owner: 'user' },
    });

    expect(queryOf(url)).toMatchObject({ prompt: 'login', scope: 'mine', owner: 'user' });
    expect(queryOf(url)).not.toHaveProperty('audience');
  });

  it.each(['state', 'redirect_uri', 'code_challenge', 'code_challenge_method'])(
    'lets no caller replace or remove %s',
    (name) => {
      const before = queryOf(build())[name];

      expect(queryOf(build({ params: { [name]: 'theirs' } }))[name]).toBe(before);
      expect(queryOf(build({ params: { [name]: 'undefined' } }))[name]).toBe(before);
    },
  );

  it('lets no caller bring a parameter under the name that the entry gives to a fixed one', () => {
    const entry = { authorization_url_replacements: { 'state=': 'customField=', redirect_uri: 'back_to' } };

    const url = build({ entry, params: { customField: 'theirs', back_to: 'https://evil.test' } });

    expect(new URL(url).searchParams.getAll('customField')).toEqual(['the-state']);
    expect(new URL(url).searchParams.getAll('back_to')).toEqual(['http://localhost:3003/oauth/callback']);
  });

  it('asks for scopes of the user with Slack alone', () => {
    expect(queryOf(build({ entry: { name: 'slack' }, userScopes: 'chat:write,im:read' }))['user_scope']).toBe(
      'chat:write,im:read',
    );
    expect(queryOf(build({ userScopes: 'chat:write' }))).not.toHaveProperty('user_scope');
    expect(queryOf(build({ entry: { name: 'slack' } }))).not.toHaveProperty('user_scope');
  });
});

describe('scopes', () => {
  it.each([
    ['read,write', undefined, 'read write'],
    [' read , ,write,', ',', 'read,write'],
    ['read,write', '+', 'read+write'],
    ['', ',', ''],
  ])('joins %j with %j', (scopes, separator, joined) => {
    const entry = { ...(separator === undefined ? {} : { scope_separator: separator }) } as ProviderEntry;

    expect(joinScopes(scopes, entry)).toBe(joined);
  });

  it('stay as they are written where the entry says so, except for what would end them', () => {
    const entry: Partial<ProviderEntry> = { authorization_url_skip_encode: ['scopes'], scope_separator: ',' };

    expect(build({ entry, scopes: 'a:read,https://acme.test/b' })).toMatch(/&scope=a:read,https:\/\/acme\.test\/b$/);
    expect(build({ entry, scopes: 'a&state=x#y z\r\nq' })).toMatch(/&scope=a%26state=x%23y%20z%0D%0Aq$/);
  });
});

describe('values of the connection in the address', () => {
  const entry: Partial<ProviderEntry> = {
    authorization_url: 'https://${connectionConfig.tenant}.acme.test/${connectionConfig.path}/authorize',
  };

  it('are encoded', () => {
    const url = build({ entry, connectionConfig: { tenant: 'mine', path: 'a b/../c?x#y' } });

    expect(url.startsWith('https://mine.acme.test/a%20b%2F..%2Fc%3Fx%23y/authorize?')).toBe(true);
  });

  it('stay as they are with skip_encode: [base_url]', () => {
    const raw: Partial<ProviderEntry> = { ...entry, authorization_url_skip_encode: ['base_url'] };

    expect(build({ entry: raw, connectionConfig: { tenant: 'mine', path: 'a/b' } })).toContain(
      'acme.test/a/b/authorize?',
    );
  });

  it.each([
    'evil.test/',
    'evil.test#',
    'evil.test?',
    'me@evil.test',
    'evil.test\\',
    'evil.test%2f',
    'evil.test:80',
    'a\r\nb',
  ])('never move it to another host (%j)', (tenant) => {
    for (const skip of [[], ['base_url' as const]]) {
      expect(() =>
        build({ entry: { ...entry, authorization_url_skip_encode: skip }, connectionConfig: { tenant, path: 'p' } }),
      ).toThrow(expect.objectContaining({ code: 'missing_connection_config' }));
    }
  });

  it.each([{ tenant: 'mine' }, { tenant: 'mine', path: '' }, {}])(
    'are missed before anybody is sent away (%j)',
    (config) => {
      expect(() => build({ entry, connectionConfig: config })).toThrow(
        expect.objectContaining({ code: 'missing_connection_config' }),
      );
    },
  );

  it('give way to the fallback', () => {
    const either: Partial<ProviderEntry> = {
      authorization_url: 'https://${connectionConfig.tenant}.acme.test/authorize || https://login.acme.test/authorize',
    };

    expect(new URL(build({ entry: either })).host).toBe('login.acme.test');
    expect(new URL(build({ entry: either, connectionConfig: { tenant: '' } })).host).toBe('login.acme.test');
    expect(new URL(build({ entry: either, connectionConfig: { tenant: 'mine' } })).host).toBe('mine.acme.test');
  });

  it.each(['javascript:alert(1)//', 'file:///etc/passwd', 'nonsense', 'https://me:pass@acme.test'])(
    'that are whole addresses must be of the web (%j)',
    (base) => {
      const whole: Partial<ProviderEntry> = { authorization_url: '${connectionConfig.base}/authorize' };

      expect(() => build({ entry: whole, connectionConfig: { base } })).toThrow(
        expect.objectContaining({ code: 'missing_connection_config' }),
      );
      expect(build({ entry: whole, connectionConfig: { base: 'https://my.acme.test/x' } })).toContain(
        'https://my.acme.test/x/authorize?',
      );
    },
  );
});

describe('oddities of providers', () => {
  it('moves the query behind a fragment', () => {
    expect(build({ entry: { authorization_url_fragment: '/oauth2' } })).toMatch(
      /^https:\/\/acme\.test\/authorize#\/oauth2\?response_type=code&client_id=client&/,
    );
  });

  it('replaces the first occurrence of each text, taken literally', () => {
    const url = build({
      entry: { authorization_url_replacements: { client_id: 'client_key', 'state=': '$&x=' } },
      params: { prompt: 'state=' },
    });

    expect(url).toContain('client_key=client&');
    expect(url).toContain('&$&x=the-state&');
  });

  it('leaves out what is empty, where the entry says so', () => {
    const url = build({ entry: { authorization_url_skip_empty: true }, scopes: '', params: { hint: '' } });

    expect(Object.keys(queryOf(url))).not.toContain('scope');
    expect(Object.keys(queryOf(url))).not.toContain('hint');
    expect(Object.keys(queryOf(build({ scopes: '', params: { hint: '' } })))).toContain('hint');
  });

  it('names the provider that has no address', () => {
    expect(() => buildAuthorizationUrl({ ...partsWithoutAddress() })).toThrow(
      expect.objectContaining({ code: 'url_param_err', message: expect.stringContaining('acme') }),
    );
  });
});

function partsWithoutAddress(): AuthorizationUrlParts {
  const entry: ProviderEntry = { name: 'acme', source: 'builtin', display_name: 'Acme', auth_mode: 'OAUTH2' };
  return {
    entry,
    clientId: 'c',
    redirectUri: 'r',
    state: 's',
    scopes: '',
    connectionConfig: {},
    entryParams: {},
    params: {},
  };
}
