import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { checkEntry } from '../catalog/check-entry.ts';
import { type ProposalOptions, proposeEntry } from './propose-entry.ts';
import { isDescription, readDescription } from './read-description.ts';

/** The text of a description that a package ships. */
const publicText = (file: string): string =>
  readFileSync(new URL(`../../../node_modules/${file}`, import.meta.url), 'utf8');

async function propose(text: string, options?: ProposalOptions) {
  const proposed = await proposeEntry(await readDescription({ location: 'api.yaml', text }), options);
  const entry = parse(proposed.text)[proposed.provider];
  return { ...proposed, entry, openKeys: proposed.open.map(({ keyPath }) => keyPath) };
}

/** A description with what the test is about. */
function written(parts: Record<string, unknown>): string {
  return JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Acme API', version: '1' },
    servers: [{ url: 'https://api.acme.test/v1' }],
    paths: {},
    ...parts,
  });
}

const schemes = (
  securitySchemes: object,
  security: object[] = Object.keys(securitySchemes).map((one) => ({ [one]: [] })),
) => written({ components: { securitySchemes }, security, paths: { '/me': { get: { responses: {} } } } });

const problemsOf = (entry: unknown): unknown => checkEntry(entry, { isBuiltin: false, isLenient: true });

describe('an entry from a public description', () => {
  it('has the key of a person, the cursor of lists and the request about the caller (GitBook)', async () => {
    const { entry, operationCount, provider } = await propose(publicText('@gitbook/api/spec/openapi.json'));

    expect(provider).toBe('gitbook');
    expect(operationCount).toBeGreaterThan(300);
    expect(entry).toMatchObject({
      display_name: 'GitBook',
      auth_mode: 'API_KEY',
      proxy: {
        base_url: 'https://api.gitbook.com/v1',
        headers: { authorization: 'Bearer ${apiKey}' },
        paginate: {
          type: 'cursor',
          cursor_name_in_request: 'page',
          cursor_path_in_response: 'next.page',
          limit_name_in_request: 'limit',
          response_path: 'items',
        },
        verification: { endpoints: ['/user'] },
      },
    });
    expect(problemsOf(entry)).not.toHaveProperty('issues');
  });

  it('can be signed in by OAuth 2 where the description offers it (Figma)', async () => {
    const text = publicText('@figma/rest-api-spec/openapi/openapi.yaml');
    const key = await propose(text);
    const { entry, openKeys } = await propose(text, { auth: 'OAuth2', provider: 'own-figma' });

    expect(key.entry).toMatchObject({ auth_mode: 'API_KEY', proxy: { headers: { 'x-figma-token': '${apiKey}' } } });
    expect(entry).toMatchObject({
      auth_mode: 'OAUTH2',
      authorization_url: 'https://www.figma.com/oauth',
      token_url: 'https://api.figma.com/v1/oauth/token',
      refresh_url: 'https://api.figma.com/v1/oauth/refresh',
      available_scopes: expect.arrayContaining(['file_content:read']),
      proxy: { verification: { endpoints: ['/v1/me'] } },
    });
    expect(openKeys).toEqual(['default_scopes']);
    expect(problemsOf(entry)).not.toHaveProperty('issues');
  });

  it('says what is missing instead of inventing it (Swagger 2.0, implicit flow)', async () => {
    const { entry, openKeys } = await propose(publicText('@readme/oas-examples/3.0/yaml/petstore.yaml'));

    expect(entry).toMatchObject({ auth_mode: 'OAUTH2', authorization_url: 'http://petstore.swagger.io/oauth/dialog' });
    expect(entry).not.toHaveProperty('token_url');
    expect(openKeys).toEqual(expect.arrayContaining(['token_url', 'proxy.base_url', 'proxy.verification']));
  });
});

describe('the base address', () => {
  it('has fields for its variables, checked where they are part of the host', async () => {
    const servers = [
      { url: 'http://localhost:8080' },
      {
        url: 'https://{subdomain}.acme.test/{version}',
        variables: {
          subdomain: { default: 'demo', description: 'Your account' },
          version: { default: 'v2', enum: ['v1', 'v2'] },
        },
      },
    ];
    const { entry } = await propose(written({ servers }));

    expect(entry.proxy.base_url).toBe('https://${connectionConfig.subdomain}.acme.test/${connectionConfig.version}');
    expect(entry.connection_config).toMatchObject({
      subdomain: { title: 'Subdomain', description: 'Your account', format: 'hostname' },
      version: { enum: ['v1', 'v2'], default_value: 'v2' },
    });
    expect(problemsOf(entry)).not.toHaveProperty('issues');
  });

  it('is relative to the address of the description', async () => {
    const { entry } = await propose(written({ servers: [{ url: '/api/v3/' }] }), {
      address: 'https://pets.acme.test/docs/openapi.json',
    });

    expect(entry.proxy.base_url).toBe('https://pets.acme.test/api/v3');
    expect((await propose(written({ servers: [{ url: '/api/v3' }] }))).openKeys).toContain('proxy.base_url');
    expect((await propose(written({ servers: [] }))).openKeys).toContain('proxy.base_url');
  });
});

describe('the way to authorize', () => {
  it.each([
    [
      'a key in the query',
      { key: { type: 'apiKey', in: 'query', name: 'api_key' } },
      { query: { api_key: '${apiKey}' } },
    ],
    [
      'a key in a cookie',
      { key: { type: 'apiKey', in: 'cookie', name: 'sid' } },
      { headers: { cookie: 'sid=${apiKey}' } },
    ],
    [
      'a key after a word that the description names',
      { key: { type: 'apiKey', in: 'header', name: 'Authorization', description: 'Send `Token <your key>`.' } },
      { headers: { authorization: 'Token ${apiKey}' } },
    ],
  ])('is %s', async (_what, securitySchemes, proxy) => {
    const { entry } = await propose(schemes(securitySchemes));

    expect(entry).toMatchObject({ auth_mode: 'API_KEY', proxy });
    expect(problemsOf(entry)).not.toHaveProperty('issues');
  });

  it('takes two keys that a request needs together', async () => {
    const text = schemes(
      {
        apiKey: { type: 'apiKey', in: 'header', name: 'X-Key' },
        appKey: { type: 'apiKey', in: 'header', name: 'X-App' },
      },
      [{ apiKey: [], appKey: [] }],
    );
    const { entry } = await propose(text);

    expect(entry.proxy.headers).toEqual({ 'x-key': '${apiKey}', 'x-app': '${connectionConfig.appKey}' });
    expect(entry.connection_config.appKey).toMatchObject({ secret: true });
    expect(problemsOf(entry)).not.toHaveProperty('issues');
  });

  it.each([
    ['BASIC', { one: { type: 'http', scheme: 'basic' } }],
    ['OAUTH2_CC', { one: { type: 'oauth2', flows: { clientCredentials: { tokenUrl: '/token', scopes: { a: '' } } } } }],
  ])('is %s', async (mode, securitySchemes) => {
    const { entry } = await propose(schemes(securitySchemes));

    expect(entry.auth_mode).toBe(mode);
    if (mode === 'OAUTH2_CC') expect(entry.token_url).toBe('https://api.acme.test/token');
    expect(problemsOf(entry)).not.toHaveProperty('issues');
  });

  it('is read from the discovery document of OpenID Connect', async () => {
    const asked: string[] = [];
    const text = schemes({ one: { type: 'openIdConnect', openIdConnectUrl: 'https://id.acme.test/.well-known/x' } });
    const { entry } = await propose(text, {
      discover: async (address) => {
        asked.push(address);
        return {
          authorization_endpoint: 'https://id.acme.test/authorize',
          token_endpoint: 'https://id.acme.test/token',
          scopes_supported: ['openid', 7],
        };
      },
    });

    expect(asked).toEqual(['https://id.acme.test/.well-known/x']);
    expect(entry).toMatchObject({
      auth_mode: 'OAUTH2',
      authorization_url: 'https://id.acme.test/authorize',
      token_url: 'https://id.acme.test/token',
      available_scopes: ['openid'],
    });
  });

  it('names what cannot be used, and takes the next way', async () => {
    const { choices, entry, open } = await propose(
      schemes({
        tls: { type: 'mutualTLS' },
        digest: { type: 'http', scheme: 'digest' },
        key: { type: 'http', scheme: 'bearer' },
      }),
    );

    expect(entry.auth_mode).toBe('API_KEY');
    expect(choices.find(({ isChosen }) => isChosen)?.name).toBe('key');
    expect(open.filter(({ keyPath }) => keyPath === 'auth_mode')).toHaveLength(2);
  });
});

it('takes retries and fixed headers from the operations', async () => {
  const operation = {
    parameters: [
      { name: 'Acme-Version', in: 'header', required: true, schema: { type: 'string', default: '2026-01-01' } },
    ],
    responses: { 429: { headers: { 'Retry-After': { schema: { type: 'integer' } } } } },
  };
  const { entry } = await propose(written({ paths: { '/a': { get: operation }, '/b': { post: operation } } }));

  expect(entry.proxy).toMatchObject({ headers: { 'acme-version': '2026-01-01' }, retry: { after: 'retry-after' } });
});

describe('a hostile description', () => {
  const bomb = [
    'openapi: 3.0.0',
    `a0: &a0 [${Array(10).fill('x').join(',')}]`,
    ...Array.from({ length: 9 }, (_, at) => `a${at + 1}: &a${at + 1} [${Array(10).fill(`*a${at}`).join(',')}]`),
  ].join('\n');

  it.each([
    ['that multiplies aliases', bomb, 'more than 4000000 values'],
    ['that is nested deeply', `openapi: 3.0.0\na: ${'['.repeat(20_000)}${']'.repeat(20_000)}`, 'nesting'],
    ['that reads a file', 'openapi: 3.0.0\npaths: {$ref: "file:///etc/passwd"}', 'refers to another file'],
    [
      'that asks a host of this network',
      'openapi: 3.0.0\npaths: {$ref: "http://127.0.0.1:1/x"}',
      'refers to another file',
    ],
    ['that ends early', '{"openapi":"3.0.0", "paths": {', 'cannot be read'],
    ['of an unknown version', 'swagger: "1.2"', 'Version "1.2"'],
    ['that is no object', 'openapi', 'neither JSON nor YAML with an object'],
    ['that is empty', '', 'neither JSON nor YAML with an object'],
    ['that is too large', `openapi: 3.0.0\na: ${'x'.repeat(25 * 1_048_576)}`, 'larger than 24 MB'],
  ])('%s is refused with the reason', async (_what, text, reason) => {
    await expect(readDescription({ location: 'x.yaml', text })).rejects.toThrow(reason);
  });

  it('with references in a circle, foreign types and wrong shapes gives an entry', async () => {
    const text = JSON.stringify({
      openapi: '3.1.0',
      info: 5,
      servers: [null, 7, { url: 'https://api.acme.test' }],
      security: ['x', { loop: [] }, { missing: [] }],
      components: { securitySchemes: { loop: { $ref: '#/components/securitySchemes/loop' } }, schemas: [1] },
      paths: {
        '/a': { get: { responses: { 200: { content: { 'application/json': { schema: { $ref: '#/tree' } } } } } } },
        '/b': null,
        '/c': { get: 7, post: { parameters: [null, { name: 'x' }, { $ref: '#/nowhere' }] } },
      },
      tree: { allOf: [{ $ref: '#/tree' }], properties: { next: { $ref: '#/tree' } } },
    }).replace('"/c"', '"__proto__":{"get":{}},"/c"');
    const { entry, provider } = await propose(text);

    expect(provider).toBe('acme');
    expect(entry).toMatchObject({ auth_mode: 'NONE', proxy: { base_url: 'https://api.acme.test' } });
  });

  it('cannot put text of its own into the entry beside values', async () => {
    const { entry, provider, text } = await propose(
      written({
        info: { title: 'Evil\nother:\n  auth_mode: NONE', version: '1\n# x' },
        servers: [{ url: 'https://a.test' }],
      }),
    );

    expect(Object.keys(parse(text))).toEqual([provider]);
    expect(entry.proxy.base_url).toBe('https://a.test');
  });
});

it('tells descriptions from files of entries', () => {
  expect(isDescription('openapi: 3.1.0')).toBe(true);
  expect(isDescription('# comment\n---\nswagger: "2.0"')).toBe(true);
  expect(isDescription(JSON.stringify({ info: {}, openapi: '3.0.0' }, null, 2))).toBe(true);
  expect(isDescription('acme:\n  display_name: Acme\n  docs: https://acme.test/openapi: x')).toBe(false);
});
