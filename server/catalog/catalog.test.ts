import { beforeEach, describe, expect, it } from 'vitest';
import { Catalog } from './catalog.ts';
import type { ProviderDefinition } from './entry-schema.ts';

const secretField = { type: 'string', title: 'Key', description: 'A key', secret: true } as const;

const builtin = new Map<string, ProviderDefinition>([
  [
    'acme',
    {
      display_name: 'Acme',
      auth_mode: 'API_KEY',
      docs: 'https://acme.test',
      categories: ['other'],
      proxy: {
        base_url: 'https://api.acme.test',
        headers: { authorization: 'Bearer ${apiKey}', accept: 'text/plain' },
      },
      credentials: { apiKey: secretField },
    },
  ],
  [
    'plain',
    {
      display_name: 'Plain',
      auth_mode: 'NONE',
      docs: 'https://plain.test',
      post_connection_script: 'plainPostConnection',
    },
  ],
]);

const ownEntry = `
own:
  display_name: Own
  auth_mode: NONE
  proxy: { base_url: "http://localhost:8000" }
`;

describe('Catalog', () => {
  let inUse: Set<string>;
  let withIntegrations: Set<string>;
  let approved: Set<string>;
  let catalog: Catalog;

  beforeEach(() => {
    inUse = new Set();
    withIntegrations = new Set();
    approved = new Set();
    catalog = createCatalog();
  });

  const createCatalog = () =>
    new Catalog({
      builtin,
      handlers: new Set(['plainPostConnection']),
      isInUse: (provider) => inUse.has(provider),
      hasIntegrations: async (provider) => withIntegrations.has(provider),
      isApproved: (hash) => approved.has(hash),
      rememberApproval: (_provider, hash) => void approved.add(hash),
    });

  const load = (text: string, path = 'providers.yaml') => catalog.reload([{ path, text }]);
  const problems = () =>
    catalog
      .problems()
      .map(({ file, line, provider, keyPath, reason }) => `${file}:${line} ${provider} ${keyPath}: ${reason}`);

  it('serves the built-in entries with their name and source', () => {
    expect(catalog.find('acme')).toMatchObject({ name: 'acme', source: 'builtin', display_name: 'Acme' });
    expect(catalog.list().map((entry) => entry.name)).toEqual(['acme', 'plain']);
  });

  it('adds new entries without asking', async () => {
    await load(ownEntry);

    expect(catalog.find('own')).toMatchObject({ source: 'workspace', proxy: { base_url: 'http://localhost:8000' } });
    expect(catalog.pending()).toEqual([]);
  });

  it('merges deep over a built-in entry: maps deep, lists and scalars whole, null removes', async () => {
    await load('acme: { categories: [crm], proxy: { headers: { accept: null, x-version: "2" } } }');

    expect(catalog.find('acme')).toMatchObject({ source: 'builtin+workspace', categories: ['crm'] });
    expect(catalog.find('acme')?.proxy).toEqual({
      base_url: 'https://api.acme.test',
      headers: { authorization: 'Bearer ${apiKey}', 'x-version': '2' },
    });
  });

  it('replaces a built-in entry whole with extends: false while no integration uses it', async () => {
    const text =
      'acme: { extends: false, display_name: Mine, auth_mode: NONE, proxy: { base_url: "https://api.acme.test" } }';
    await load(text);
    expect(catalog.find('acme')).toMatchObject({ source: 'workspace', auth_mode: 'NONE' });
    expect(catalog.find('acme')).not.toHaveProperty('categories');
  });

  it('does not replace a built-in entry that an integration uses', async () => {
    withIntegrations.add('acme');

    await load('acme: { extends: false, display_name: Mine, auth_mode: NONE, proxy: { base_url: "https://a.test" } }');

    expect(problems()).toEqual([expect.stringContaining('acme extends: an integration uses')]);
    expect(catalog.find('acme')?.source).toBe('builtin');
  });

  it('keeps a replacement that got its integrations later, also after a restart', async () => {
    const text = 'acme: { extends: false, display_name: Mine, auth_mode: NONE, proxy: { base_url: "https://a.test" } }';
    await load(text);
    withIntegrations.add('acme');
    inUse.add('acme');

    catalog = createCatalog();
    await load(text);

    expect(problems()).toEqual([]);
    expect(catalog.find('acme')?.source).toBe('workspace');
  });

  it('does not let a merge change the auth mode', async () => {
    await load('acme: { auth_mode: BASIC, proxy: { headers: { authorization: null } } }');

    expect(problems()).toEqual([expect.stringContaining('acme auth_mode: the built-in acme is API_KEY')]);
    expect(catalog.find('acme')?.source).toBe('builtin');
  });

  it('derives variants by alias, merged deep', async () => {
    await load('acme-eu: { alias: acme, display_name: Acme EU, proxy: { base_url: "https://eu.acme.test" } }');

    expect(catalog.find('acme-eu')?.proxy?.headers).toEqual({
      authorization: 'Bearer ${apiKey}',
      accept: 'text/plain',
    });
  });

  it('reports a bad entry with its place and loads the others', async () => {
    await load(
      `${ownEntry}bad:\n  display_name: Bad\n  auth_mode: NONE\n  proxy:\n    base_url: https://bad.test\n    retrys: 3\n`,
    );

    expect(problems()).toEqual(['providers.yaml:11 bad proxy.retrys: unknown key']);
    expect(catalog.find('own')).toBeDefined();
    expect(catalog.find('bad')).toBeUndefined();
  });

  it('leaves everything in force when the file is no YAML', async () => {
    await load(ownEntry);
    await load('own: [unclosed');

    expect(problems()).toHaveLength(1);
    expect(catalog.list().map((entry) => entry.name)).toEqual(['acme', 'own', 'plain']);
  });

  it('keeps the last good version of an entry that became bad', async () => {
    await load(ownEntry);
    await load(ownEntry.replace('NONE', 'SECRET_MODE'));

    expect(catalog.find('own')?.proxy?.base_url).toBe('http://localhost:8000');
  });

  it.each([
    ['&anchor', 'own: &a { display_name: Own, auth_mode: NONE }'],
    ['tag', 'own: !evil { display_name: Own, auth_mode: NONE }'],
  ])('refuses %s in the file', async (_name, text) => {
    await load(text);

    expect(problems()).toEqual([expect.stringMatching(/not allowed/)]);
  });

  it('accepts only handlers that there are', async () => {
    await load(
      'a: { display_name: A, auth_mode: NONE, post_connection_script: plainPostConnection }\nb: { display_name: B, auth_mode: NONE, post_connection_script: other }',
    );

    expect(catalog.find('a')).toBeDefined();
    expect(problems()).toEqual(['providers.yaml:2 b post_connection_script: names no built-in handler']);
  });

  describe('with a connection that uses the provider', () => {
    const hostChange = 'acme: { proxy: { base_url: "https://evil.test" } }';

    beforeEach(() => {
      inUse.add('acme');
    });

    it('holds a changed host back until its hash is approved', async () => {
      await load(hostChange);
      expect(catalog.find('acme')?.proxy?.base_url).toBe('https://api.acme.test');
      expect(catalog.pending()).toEqual([
        {
          provider: 'acme',
          hash: expect.any(String),
          changes: [{ keyPath: 'proxy.base_url', before: 'https://api.acme.test', after: 'https://evil.test' }],
        },
      ]);

      approved.add(catalog.pending()[0]?.hash ?? '');
      await load(hostChange);
      expect(catalog.find('acme')?.proxy?.base_url).toBe('https://evil.test');
      expect(catalog.pending()).toEqual([]);
    });

    it.each([
      ['a secret in a header', 'acme: { proxy: { headers: { x-copy: "${apiKey}" } } }'],
      ['a secret in the query', 'acme: { proxy: { query: { k: "${credentials.apiKey}" } } }'],
      ['headers kept on redirects', 'acme: { proxy: { forward_headers_on_redirect: true } }'],
      ['a token address', 'acme: { token_url: "https://evil.test/token" }'],
      [
        'a placeholder in the host',
        'acme: { proxy: { base_url: "https://${connectionConfig.h}" }, connection_config: { h: { type: string, title: H, description: H } } }',
      ],
    ])('holds back %s', async (_name, text) => {
      await load(text);

      expect(problems()).toEqual([]);
      expect(catalog.pending()).toHaveLength(1);
    });

    it('applies a harmless change at once', async () => {
      await load('acme: { proxy: { headers: { x-version: "3" }, base_url: "https://api.acme.test/v2" } }');

      expect(catalog.pending()).toEqual([]);
      expect(catalog.find('acme')?.proxy?.base_url).toBe('https://api.acme.test/v2');
    });
  });

  it('applies a changed host at once while nothing uses the provider, and does not ask later', async () => {
    const text = 'acme: { proxy: { base_url: "https://sandbox.acme.test" } }';
    await load(text);
    expect(catalog.find('acme')?.proxy?.base_url).toBe('https://sandbox.acme.test');

    inUse.add('acme');
    await load(text);
    expect(catalog.pending()).toEqual([]);
    expect(catalog.find('acme')?.proxy?.base_url).toBe('https://sandbox.acme.test');
  });

  it('goes on serving a deleted entry that integrations use, and says so', async () => {
    await load(ownEntry);
    withIntegrations.add('own');
    await load('');
    expect(catalog.find('own')).toBeDefined();
    expect(catalog.missing()).toEqual(['own']);

    withIntegrations.clear();
    await load('');
    expect(catalog.find('own')).toBeUndefined();
    expect(catalog.missing()).toEqual([]);
  });

  it('merges later files over earlier ones', async () => {
    await catalog.reload([
      { path: 'providers.yaml', text: ownEntry },
      { path: 'providers.d/a.yaml', text: 'own: { display_name: Later }' },
    ]);

    expect(catalog.find('own')).toMatchObject({ display_name: 'Later', auth_mode: 'NONE' });
  });
});
