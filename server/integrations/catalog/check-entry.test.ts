import { describe, expect, it } from 'vitest';
import { checkEntry } from './check-entry.ts';

const apiKey = { type: 'string', title: 'Key', description: 'A key', secret: true };
const field = { type: 'string', title: 'F', description: 'A field' };

const entry = {
  display_name: 'Acme',
  auth_mode: 'API_KEY',
  proxy: { base_url: 'https://api.acme.test', headers: { 'x-key': '${apiKey}' } },
  credentials: { apiKey },
};

function issuesOf(change: Record<string, unknown>, isBuiltin = false): string[] {
  const checked = checkEntry({ ...entry, ...change }, { isBuiltin, handlers: new Set(['knownHandler']) });
  return 'issues' in checked ? checked.issues.map(({ path, reason }) => `${path.join('.')}: ${reason}`) : [];
}

describe('checkEntry', () => {
  it('accepts a minimal entry', () => {
    expect(issuesOf({})).toEqual([]);
  });

  it('names unknown keys at any depth', () => {
    expect(issuesOf({ colour: 'red', proxy: { base_url: 'https://a.test', retries: 3 } })).toEqual([
      'proxy.retries: unknown key',
      'colour: unknown key',
    ]);
  });

  it.each(['docs', 'docs_connect', 'setup_guide_url'])('refuses an address in %s that no browser opens', (key) => {
    expect(issuesOf({ [key]: 'https://acme.test/docs' })).toEqual([]);
    expect(issuesOf({ [key]: 'javascript:alert(1)' })).toEqual([expect.stringContaining(`${key}: `)]);
  });

  it('wants a title of every field that people see', () => {
    const config = (more: object) => ({
      connection_config: { region: { ...field, title: '', ...more } },
      proxy: { base_url: 'https://${connectionConfig.region}.acme.test', headers: { 'x-key': '${apiKey}' } },
    });

    expect(issuesOf(config({ hidden: true }))).toEqual([]);
    expect(issuesOf(config({}))).toEqual(['connection_config.region.title: write a title']);
  });

  it('accepts keys of the format without an effect', () => {
    expect(issuesOf({ decode_url: true, auth: {} })).toEqual([]);
  });

  it('finds a placeholder without its dollar sign', () => {
    expect(issuesOf({ proxy: { base_url: 'https://{apiKey}.acme.test' } })).toEqual([
      'proxy.base_url: a placeholder is written ${…}',
    ]);
    expect(issuesOf({ token_params: { empty: '{}', hash: '${base64({"a":1})}' } })).toEqual([]);
    expect(issuesOf({ setup_steps: ['Enter {callbackUrl} as the redirect address.'] })).toEqual([]);
  });

  it.each([
    [{ proxy: { headers: { host: 'evil.test' } } }, 'proxy.headers.host'],
    [{ proxy: { headers: { 'content-length': '1' } } }, 'proxy.headers.content-length'],
    [
      { proxy: { verification: { endpoints: ['/'], headers: { connection: 'x' } } } },
      'proxy.verification.headers.connection',
    ],
    [{ token_headers: { Host: 'evil.test' } }, 'token_headers.Host'],
    [{ refresh_token_headers: { 'Transfer-Encoding': 'chunked' } }, 'refresh_token_headers.Transfer-Encoding'],
    [
      { additional_steps: [{ token_url: 'https://a.test', token_headers: { HOST: 'x' } }] },
      'additional_steps.0.token_headers.HOST',
    ],
  ])('leaves the headers of the transport alone: %j', (change, at) => {
    expect(issuesOf(change)).toEqual([`${at}: is set by the transport; an entry cannot change it`]);
  });

  it.each([
    ['https://${connectionConfig.h}', true],
    ['https://api.${connectionConfig.h}/v1', true],
    ['http://127.0.0.${connectionConfig.h}:8080', true],
    ['https://acme.test || https://${connectionConfig.h}', true],
    ['https://${connectionConfig.h}.acme.test', false],
    ['https://api.acme.test/${connectionConfig.h}', false],
  ])('reports a host that ends in a free field: %s', (base_url, isReported) => {
    const reason = 'proxy.base_url: the host ends in h, which needs a pattern, a format or an enum';

    expect(issuesOf({ proxy: { base_url }, connection_config: { h: field } })).toEqual(isReported ? [reason] : []);
    for (const rule of [{ pattern: '^a' }, { format: 'hostname' }, { enum: ['a'] }])
      expect(issuesOf({ proxy: { base_url }, connection_config: { h: { ...field, ...rule } } })).toEqual([]);
  });

  it.each([
    ['api.acme.test', true],
    ['//api.acme.test', true],
    ['/v1', true],
    ['ftp://api.acme.test', true],
    ['https:api.acme.test', true],
    ['${connectionConfig.h} || api.acme.test', true],
    ['http://api.acme.test/${connectionConfig.h}', false],
    ['HTTPS://api.acme.test/${connectionConfig.h}', false],
    ['${connectionConfig.h}/api || https://api.acme.test', false],
  ])('takes an address with its scheme or from a placeholder only: %s', (address, isReported) => {
    const reason = 'must start with https://, http:// or a placeholder such as ${connectionConfig.domain}';
    const h = { ...field, format: 'uri' };
    const reasonsFor = (at: string): string[] => (isReported ? [`${at}: ${reason}`] : []);

    const token_params = { h: '${connectionConfig.h}' };
    const given = { connection_config: { h }, token_params };
    expect(issuesOf({ ...given, proxy: { base_url: address } })).toEqual(reasonsFor('proxy.base_url'));
    expect(issuesOf({ ...given, token_url: address })).toEqual(reasonsFor('token_url'));
  });

  it('takes token parameters of any depth, numbers as texts, and checks the placeholders in them', () => {
    const checked = checkEntry({ ...entry, token_params: { a: { b: [1, { c: true }] } } }, { isBuiltin: false });

    expect(checked).toMatchObject({ definition: { token_params: { a: { b: ['1', { c: 'true' }] } } } });
    expect(issuesOf({ token_params: { a: { b: ['${connectionConfig.x}'] } } })).toEqual([
      'token_params.a.b.0: connectionConfig.x is not declared in connection_config',
    ]);
  });

  it('takes the members of an assertion that it knows in their form, and others as they are', () => {
    const assertion = {
      type: 'saml',
      audiences: ['a'],
      attributes: { k: '${credentials.apiKey}' },
      lifetimeInSeconds: 60,
    };

    expect(issuesOf({ assertion: { ...assertion, signatureAlgorithm: 'rsa-sha256' } })).toEqual([]);
    expect(issuesOf({ assertion: { ...assertion, type: 'pgp' } })).toHaveLength(1);
  });

  it('demands that used configuration is declared or filled by a flow', () => {
    const proxy = { base_url: 'https://${connectionConfig.region}.acme.test' };

    expect(issuesOf({ proxy })).toEqual([
      'proxy.base_url: connectionConfig.region is not declared in connection_config',
    ]);
    expect(issuesOf({ proxy, connection_config: { region: field } })).toEqual([]);
    expect(issuesOf({ proxy, token_response_metadata: ['region'] })).toEqual([]);
  });

  it.each([
    [
      { proxy: { headers: { 'x-key': '${apikey}' } } },
      'proxy.headers.x-key: there is no ${apikey}; did you mean ${apiKey}?',
    ],
    [
      { proxy: { headers: { 'x-key': '${credentials.api_key}' } } },
      'proxy.headers.x-key: there is no ${credentials.api_key}; did you mean ${credentials.apiKey}?',
    ],
    [
      { proxy: { query: { at: '${Base64(${apiKey})}' } } },
      'proxy.query.at: there is no ${Base64(…)}; did you mean ${base64(…)}?',
    ],
    [
      { proxy: { base_url: 'https://a.test/${conectionConfig.region}' }, connection_config: { region: field } },
      'proxy.base_url: there is no ${conectionConfig.region}; did you mean ${connectionConfig.region}?',
    ],
    [
      { proxy: { base_url: 'https://a.test/${connectionConfig.regoin}' }, connection_config: { region: field } },
      'proxy.base_url: connectionConfig.regoin is not declared in connection_config; did you mean ${connectionConfig.region}?',
    ],
    [
      { proxy: { headers: { 'x-key': '${something}' } } },
      'proxy.headers.x-key: there is no ${something}; API_KEY knows ${apiKey}',
    ],
    [
      { proxy: { headers: { 'x-key': '${accessToken}' } } },
      'proxy.headers.x-key: there is no ${accessToken}; API_KEY knows ${apiKey}',
    ],
    [
      { proxy: { headers: { 'x-key': '${now+1:fortnight}' } } },
      'proxy.headers.x-key: there is no ${now+1:fortnight}; did you mean ${now}?',
    ],
  ])('names the placeholder that was meant: %j', (change, issue) => {
    expect(issuesOf(change)).toContain(issue);
  });

  it.each([
    { proxy: { headers: { 'x-key': '${credentials.apiKey}', 'x-at': '${now:X} ${random} ${method} ${path}' } } },
    { proxy: { headers: { 'x-sign': '${hmacSha1Hex(${method}\n${path}, ${apiKey})}' } } },
    { auth_mode: 'BASIC', credentials: undefined, proxy: { headers: { a: '${base64(${username}:${password})}' } } },
    { auth_mode: 'OAUTH2', credentials: undefined, proxy: { headers: { a: '${clientId} ${accessToken}' } } },
    {
      auth_mode: 'OAUTH2',
      credentials: undefined,
      proxy: { base_url: 'https://a.test/${credentials.raw.account}' },
      authorization_url: 'https://${region}.a.test',
      connection_config: { region: field },
    },
    {
      auth_mode: 'TWO_STEP',
      credentials: { user_name: apiKey },
      proxy: { base_url: 'https://a.test' },
      token_params: { user: '${user_name}', old: '${credentials.refresh_token}', key: '${assertionOption.key}' },
      additional_steps: [{ token_url: 'https://a.test/${step1.data.id}' }],
    },
  ])('knows every placeholder of the format: %j', (change) => {
    expect(issuesOf(change).filter((issue) => issue.includes('there is no'))).toEqual([]);
  });

  it('names missing members as missing, and the values of one that is wrong', () => {
    expect(issuesOf({ auth_mode: undefined })[0]).toMatch(/^auth_mode: is missing; write one of OAUTH2, OAUTH1, /);
    expect(issuesOf({ auth_mode: 'Api_Key' })[0]).toMatch(
      /^auth_mode: is not one of OAUTH2, .*; did you mean API_KEY\?$/,
    );
    expect(issuesOf({ display_name: undefined })).toEqual(['display_name: is missing']);
    expect(issuesOf({ credentials: { apiKey: { type: 'string', title: 'Key' } } })).toEqual([
      'credentials.apiKey.description: is missing',
    ]);
  });

  it('refuses configuration without a use', () => {
    expect(issuesOf({ connection_config: { region: field } })).toEqual([
      'connection_config: nothing in the entry uses it',
    ]);
  });

  it('knows which modes take credentials', () => {
    expect(issuesOf({ credentials: {} })).toEqual(['credentials: API_KEY must declare credentials.apiKey']);
    expect(issuesOf({ auth_mode: 'OAUTH2' })).toEqual(['credentials: OAUTH2 takes no credentials of its own']);
  });

  it('refuses two kinds of verification', () => {
    const proxy = { base_url: 'https://a.test', verification: { endpoints: ['/me'] } };

    expect(issuesOf({ proxy, credentials_verification_script: 'knownHandler' })).toEqual([
      'proxy.verification: excludes credentials_verification_script',
    ]);
  });

  it('refuses handlers that do not exist and anything that looks like a path', () => {
    expect(issuesOf({ post_connection_script: 'unknownHandler' })).toEqual([
      'post_connection_script: names no built-in handler',
    ]);
    expect(issuesOf({ post_connection_script: '../evil.js' })).toEqual([
      'post_connection_script: is not the name of a handler',
    ]);
  });

  it('asks more of built-in entries', () => {
    expect(issuesOf({ proxy: { base_url: 'http://api.acme.test' } }, true)).toEqual([
      'docs: is required',
      'proxy.base_url: must be https',
    ]);
  });

  it('takes header names in any case, and reads them in lower case', () => {
    const proxy = {
      base_url: 'https://a.test',
      headers: { 'X-Key': '${apiKey}' },
      retry: { after: 'Retry-After', at: ['X-RateLimit-Reset'], remaining: 'X-RateLimit-Remaining' },
      verification: { endpoints: ['/me'], headers: { 'Content-Type': 'text/plain' } },
    };

    expect(checkEntry({ ...entry, proxy }, { isBuiltin: false, handlers: new Set() })).toMatchObject({
      definition: {
        proxy: {
          headers: { 'x-key': '${apiKey}' },
          retry: { after: 'retry-after', at: ['x-ratelimit-reset'], remaining: 'x-ratelimit-remaining' },
          verification: { headers: { 'content-type': 'text/plain' } },
        },
      },
    });
  });

  it('refuses header names that are not names', () => {
    expect(issuesOf({ proxy: { base_url: 'https://a.test', headers: { 'X Key': 'a' } } })).toHaveLength(1);
  });
});
