import { beforeEach, describe, expect, it } from 'vitest';
import { type ApprovedEntry, Catalog } from './catalog.ts';
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
  let approved: Map<string, ApprovedEntry>;
  let formerHashes: Set<string>;
  let catalog: Catalog;

  beforeEach(() => {
    inUse = new Set();
    withIntegrations = new Set();
    approved = new Map();
    formerHashes = new Set();
    catalog = createCatalog();
  });

  const createCatalog = (further: { trustsWorkspace?: boolean } = {}) =>
    new Catalog({
      ...further,
      builtin,
      handlers: new Set(['plainPostConnection']),
      isInUse: (provider) => inUse.has(provider),
      hasIntegrations: async (provider) => withIntegrations.has(provider),
      approved: {
        list: async () => structuredClone([...approved.values()]),
        save: async (entries) => {
          for (const entry of entries) approved.set(entry.provider, structuredClone(entry));
        },
        remove: async (provider) => void approved.delete(provider),
        wasApproved: async (hash) => formerHashes.has(hash),
      },
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

    expect(catalog.find('acme')).toMatchObject({ source: 'override', categories: ['crm'] });
    expect(catalog.find('acme')?.proxy).toEqual({
      base_url: 'https://api.acme.test',
      headers: { authorization: 'Bearer ${apiKey}', 'x-version': '2' },
    });
  });

  it('replaces a built-in entry whole with extends: false while no integration uses it', async () => {
    const text =
      'acme: { extends: false, display_name: Mine, auth_mode: NONE, proxy: { base_url: "https://api.acme.test" } }';
    await load(text);
    expect(catalog.find('acme')).toMatchObject({ source: 'override', auth_mode: 'NONE' });
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
    expect(catalog.find('acme')?.source).toBe('override');
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
      `${ownEntry}bad:\n  display_name: Bad\n  auth_mode: NONE\n  proxy:\n    base_url: https://bad.test\n    headers: 3\n`,
    );

    expect(problems()).toEqual([
      'providers.yaml:11 bad proxy.headers: Invalid input: expected record, received number',
    ]);
    expect(catalog.find('own')).toBeDefined();
    expect(catalog.find('bad')).toBeUndefined();
  });

  it('leaves everything in force when the file is no YAML', async () => {
    await load(ownEntry);
    await load('own: [unclosed');

    expect(problems()).toEqual([expect.not.stringContaining('at line')]);
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

  it('leaves out unusual parts with a warning', async () => {
    await load(`odd:
  display_name: Odd
  auth_mode: API_KEY
  colour: red
  docs: not an address
  categories: [crm, spaceships]
  post_connection_script: plainPostConection
  proxy:
    base_url: https://odd.test
    retries: 3
    paginate: { type: pages }
    retry: { after: retry-after, until: later }
  credentials:
    apiKey: { type: string, title: "", description: A key, pattern: "(" }
next: { display_name: Next, auth_mode: NONE }`);

    expect(problems()).toEqual([]);
    expect(catalog.find('next')).toBeDefined();
    expect(catalog.find('odd')).toMatchObject({
      colour: 'red',
      categories: ['crm'],
      proxy: { base_url: 'https://odd.test', retries: 3, retry: { after: 'retry-after' } },
      credentials: { apiKey: { title: 'apiKey' } },
    });
    for (const part of ['docs', 'post_connection_script', 'proxy.paginate', 'credentials.apiKey.pattern'])
      expect(catalog.find('odd')).not.toHaveProperty(part);
    expect(
      catalog
        .warnings()
        .map(({ line, keyPath, reason }) => `${line} ${keyPath}: ${reason}`)
        .sort(),
    ).toEqual([
      '10 proxy.retries: is not known; it is kept and has no effect',
      '11 proxy.paginate: is not one of cursor, link, offset; left out',
      '12 proxy.retry.until: is not known; it is kept and has no effect',
      '14 credentials.apiKey.pattern: is not a regular expression of at most 20 repetitions and alternatives; left out',
      '14 credentials.apiKey.title: write a title; the name is shown instead',
      '4 colour: is not known; it is kept and has no effect',
      '5 docs: Invalid URL; left out',
      expect.stringMatching(/^6 categories\.1: is not one of .*; left out$/),
      '7 post_connection_script: names no built-in handler; left out; did you mean plainPostConnection?',
    ]);
  });

  it.each([
    ['verification: { endpoint: /me }', 'verification', 'is missing; endpoint is not known, write endpoints; left out'],
    ['verification: { method: FETCH, endpoints: [/me] }', 'verification', 'is not one of GET'],
    ['verification: { endpoints: ["/${apikey}"] }', 'verification', 'there is no ${apikey}; did you mean ${apiKey}?'],
    ['verification: { endpoints: [/me], headers: { host: other.test } }', 'verification', 'is set by the transport'],
    ['verification: { endpoints: [/me], base_url_override: other.test }', 'verification', 'must start with https://'],
    ['decompress: sometimes', 'decompress', 'expected boolean'],
  ])('keeps an entry whose part proxy.%s it can do without', async (text, part, reason) => {
    const credentials = 'credentials: { apiKey: { type: string, title: Key, description: "" } }';
    await load(
      `odd:\n  display_name: Odd\n  auth_mode: API_KEY\n  ${credentials}\n  proxy:\n    base_url: https://odd.test\n    ${text}\n`,
    );

    expect(problems()).toEqual([]);
    expect(catalog.find('odd')?.proxy).toEqual({ base_url: 'https://odd.test' });
    expect(catalog.warnings()).toContainEqual(
      expect.objectContaining({ line: 7, keyPath: `proxy.${part}`, reason: expect.stringContaining(reason) }),
    );
  });

  it.each([
    ['proxy: { bas_url: https://near.test }', 'proxy.bas_url', 'did you mean base_url?'],
    ['proxy: { retry: { afer: retry-after } }', 'proxy.retry.afer', 'did you mean after?'],
    [
      'connection_config: { site: { type: string, title: S, descripton: d } }',
      'connection_config.site.descripton',
      'did you mean description?',
    ],
  ])('names the member that was meant by %s', async (text, keyPath, meant) => {
    await load(`near:\n  display_name: Near\n  auth_mode: BASIC\n  ${text}\n`);

    expect(catalog.warnings()).toContainEqual(
      expect.objectContaining({ line: 4, keyPath, reason: expect.stringContaining(meant) }),
    );
  });

  it.each([
    ['displayname: Near, auth_mode: BASIC', 'display_name: is missing; displayname is not known, write display_name'],
    ['alias: plan', 'alias: there is no provider plan; did you mean plain?'],
    ['alias: own-shp', 'alias: there is no provider own-shp; did you mean own-shop?'],
    ['alias: something-else', 'alias: there is no provider something-else'],
  ])('says what was probably meant by %s', async (text, reason) => {
    await load(`own-shop: { display_name: Shop, auth_mode: BASIC }\nnear: { ${text} }\n`);

    expect(problems()).toEqual([`providers.yaml:2 near ${reason}`]);
  });

  it('refuses an entry with an error, even if other parts are only unusual', async () => {
    await load('odd: { display_name: Odd, auth_mode: APIKEY, colour: red }');

    expect(catalog.find('odd')).toBeUndefined();
    expect(problems()).toEqual([expect.stringMatching(/^providers.yaml:1 odd auth_mode: .*did you mean API_KEY\?$/)]);
    expect(catalog.warnings()).toEqual([]);
  });

  it('leaves out only the entry with the syntax error', async () => {
    await load(`${ownEntry}broken:\n  display_name: [Broken\nother: { display_name: Other, auth_mode: NONE }\n`);

    expect(catalog.find('own')).toBeDefined();
    expect(catalog.find('other')).toBeDefined();
    expect(catalog.findProblem('broken')).toMatchObject({ provider: 'broken', line: expect.any(Number) });
  });

  it('tells the first syntax error of an entry, and not those that follow from it', async () => {
    await load('broken:\n  display_name: [Broken, b\n  proxy:\n    base_url: https://a.test\n  c: {\n');

    expect(problems()).toHaveLength(1);
  });

  it.each([
    [
      'a key with a space',
      'my shop:\n  display_name: My shop\n  auth_mode: NONE\n',
      'my shop',
      'did you mean my-shop?',
    ],
    [
      'a key with other letters',
      'Café:\n  display_name: Café\n  auth_mode: NONE\n',
      'Café',
      'holds only a-z, 0-9 and -',
    ],
    ['a line at the margin', 'broken:\n  display_name: Broken\nauth_mode NONE\n', 'broken', ''],
    ['an item at the margin', 'broken:\n  display_name: Broken\n- NONE\n', 'broken', ''],
  ])('leaves out only the entry with %s', async (_what, text, provider, reason) => {
    await load(`${ownEntry}${text}other: { display_name: Other, auth_mode: NONE }\n`);

    expect(catalog.find('own')).toBeDefined();
    expect(catalog.find('other')).toBeDefined();
    const { line, ...problem } = catalog.findProblem(provider) ?? { line: 0 };
    const first = ownEntry.split('\n').length;
    expect(problem).toMatchObject({ provider, reason: expect.stringContaining(reason) });
    expect(line).toBeGreaterThanOrEqual(first);
    expect(line).toBeLessThan(first + 3);
  });

  it.each([
    [
      'JSON',
      '{ "own": { "display_name": "Own", "auth_mode": "NONE" },\n"two": { "display_name": "2", "auth_mode": "NONE" } }',
    ],
    [
      'a document marker and comments',
      '# mine\n---\n\nown: { display_name: Own, auth_mode: NONE }\n# second\n"two":\n  display_name: 2\n  auth_mode: NONE\n',
    ],
    [
      'Windows lines',
      'own:\r\n  display_name: Own\r\n  auth_mode: NONE\r\ntwo: { display_name: "2", auth_mode: NONE }\r\n',
    ],
  ])('reads a file laid out as %s', async (_layout, text) => {
    await load(text.replaceAll('display_name: 2\n', 'display_name: "2"\n'));

    expect(problems()).toEqual([]);
    expect(catalog.find('own')?.display_name).toBe('Own');
    expect(catalog.find('two')?.display_name).toBe('2');
  });

  describe('with a connection that uses the provider', () => {
    const hostChange = 'acme: { proxy: { base_url: "https://evil.test" } }';
    const restart = async (text: string): Promise<void> => {
      catalog = createCatalog();
      await load(text);
    };

    beforeEach(() => {
      inUse.add('acme');
      withIntegrations.add('acme');
    });

    it('holds a changed host back until it is approved', async () => {
      await load(hostChange);
      expect(catalog.find('acme')?.proxy?.base_url).toBe('https://api.acme.test');
      expect(catalog.pending()).toEqual([
        {
          provider: 'acme',
          kind: 'change',
          hash: expect.any(String),
          changes: [{ keyPath: 'proxy.base_url', before: 'https://api.acme.test', after: 'https://evil.test' }],
        },
      ]);

      expect(await catalog.approve('acme', 'another hash')).toBe(false);
      expect(await catalog.approve('acme', catalog.pending()[0]?.hash ?? '')).toBe(true);

      expect(catalog.find('acme')).toMatchObject({ source: 'override', proxy: { base_url: 'https://evil.test' } });
      expect(catalog.pending()).toEqual([]);
      await restart(hostChange);
      expect(catalog.find('acme')?.proxy?.base_url).toBe('https://evil.test');
    });

    it.each([
      ['a secret in a header', 'acme: { proxy: { headers: { x-copy: "${apiKey}" } } }'],
      ['a header without a secret', 'acme: { proxy: { headers: { x-version: "3" } } }'],
      ['a header taken away', 'acme: { proxy: { headers: { accept: null } } }'],
      ['a secret in the query', 'acme: { proxy: { query: { k: "${credentials.apiKey}" } } }'],
      ['the path of the address', 'acme: { proxy: { base_url: "https://api.acme.test/v2" } }'],
      ['headers kept on redirects', 'acme: { proxy: { forward_headers_on_redirect: true } }'],
      ['a token address', 'acme: { token_url: "https://evil.test/token" }'],
      ['replacements in the address', 'acme: { authorization_url_replacements: { acme: evil } }'],
      ['parameters of the sign-in', 'acme: { authorization_params: { client_id: mine } }'],
      ['PKCE switched off', 'acme: { disable_pkce: true }'],
      ['another handler of webhooks', 'acme: { webhook_routing_script: plainPostConnection }'],
      ['a secret that is none any more', 'acme: { credentials: { apiKey: { secret: false } } }'],
      [
        'a placeholder in the host',
        'acme: { proxy: { base_url: "https://${connectionConfig.h}" }, connection_config: { h: { type: string, title: H, description: H, format: hostname } } }',
      ],
    ])('holds back %s', async (_name, text) => {
      await load(text);

      expect(problems()).toEqual([]);
      expect(catalog.pending()).toHaveLength(1);
      expect(catalog.find('acme')?.source).toBe('builtin');
    });

    it('applies names, documentation, help texts, retries and pagination at once', async () => {
      await load(`acme:
  display_name: My Acme
  docs: https://wiki.acme.test
  categories: [crm]
  proxy: { retry: { after: retry-after }, paginate: { type: link } }
  credentials: { apiKey: { title: Our key, description: Ask the team } }`);

      expect(catalog.pending()).toEqual([]);
      expect(catalog.find('acme')).toMatchObject({ display_name: 'My Acme', proxy: { paginate: { type: 'link' } } });
    });

    it('compares with what was last approved, not with the built-in entry', async () => {
      await load(hostChange);
      await catalog.approve('acme', catalog.pending()[0]?.hash ?? '');

      await load(hostChange.replace('evil.test', 'worse.test'));

      expect(catalog.find('acme')?.proxy?.base_url).toBe('https://evil.test');
      expect(catalog.pending()[0]?.changes).toEqual([
        { keyPath: 'proxy.base_url', before: 'https://evil.test', after: 'https://worse.test' },
      ]);
      await restart(hostChange.replace('evil.test', 'worse.test'));
      expect(catalog.find('acme')?.proxy?.base_url).toBe('https://evil.test');
    });

    it('asks before an override that was approved goes', async () => {
      await load(hostChange);
      await catalog.approve('acme', catalog.pending()[0]?.hash ?? '');

      await load('');
      expect(catalog.find('acme')?.proxy?.base_url).toBe('https://evil.test');
      expect(catalog.pending()).toMatchObject([{ provider: 'acme', kind: 'removal' }]);
      expect(catalog.missing()).toEqual([]);

      await catalog.approve('acme', catalog.pending()[0]?.hash ?? '');
      expect(catalog.find('acme')).toMatchObject({ source: 'builtin', proxy: { base_url: 'https://api.acme.test' } });
      expect(catalog.pending()).toEqual([]);
    });

    it('asks nothing when an update of the program changes the built-in part', async () => {
      await load(hostChange);
      await catalog.approve('acme', catalog.pending()[0]?.hash ?? '');
      const entry = approved.get('acme');
      if (entry) entry.definition.docs = 'https://older.test';
      if (entry?.definition.proxy) entry.definition.proxy.headers = { accept: 'older' };

      await restart(hostChange);

      expect(catalog.pending()).toEqual([]);
      expect(catalog.find('acme')?.proxy?.headers).toMatchObject({ accept: 'text/plain' });
    });

    it('takes over what an older version of the program approved', async () => {
      await load(hostChange);
      formerHashes.add(catalog.pending()[0]?.hash ?? '');

      await restart(hostChange);

      expect(catalog.pending()).toEqual([]);
      expect(catalog.find('acme')?.proxy?.base_url).toBe('https://evil.test');
    });

    it('applies everything at once where the workspace is trusted', async () => {
      catalog = createCatalog({ trustsWorkspace: true });
      await load(hostChange);

      expect(catalog.pending()).toEqual([]);
      expect(catalog.find('acme')?.proxy?.base_url).toBe('https://evil.test');
    });
  });

  describe('with a connection that uses an entry of its own', () => {
    const moved = ownEntry.replace('localhost:8000', 'evil.test');

    beforeEach(async () => {
      await load(ownEntry);
      inUse.add('own');
      withIntegrations.add('own');
    });

    it('holds a changed address back, also after a restart', async () => {
      await load(moved);
      expect(catalog.find('own')?.proxy?.base_url).toBe('http://localhost:8000');
      expect(catalog.pending()).toMatchObject([{ provider: 'own', kind: 'change' }]);

      catalog = createCatalog();
      await load(moved);
      expect(catalog.find('own')?.proxy?.base_url).toBe('http://localhost:8000');

      await catalog.approve('own', catalog.pending()[0]?.hash ?? '');
      expect(catalog.find('own')?.proxy?.base_url).toBe('http://evil.test');
    });

    it('drops a waiting change when the file is reverted', async () => {
      await load(moved);
      await load(ownEntry);

      expect(catalog.pending()).toEqual([]);
    });

    it('holds back a change of the entry that it is an alias of', async () => {
      const variant = (address: string) =>
        `base: { display_name: B, auth_mode: NONE, proxy: { base_url: "${address}" } }\nown: { alias: base, display_name: V }`;
      await load(variant('http://localhost:8000'));
      await catalog.approve('own', catalog.pending()[0]?.hash ?? '');

      await load(variant('http://evil.test'));

      expect(catalog.find('own')?.proxy?.base_url).toBe('http://localhost:8000');
      expect(catalog.find('base')?.proxy?.base_url).toBe('http://evil.test');
    });

    it('keeps a removed or faulty entry after a restart, and asks before it is removed permanently', async () => {
      for (const text of ['', 'own: [unclosed', ownEntry.replace('NONE', 'NOTHING')]) {
        catalog = createCatalog();
        await load(text);
        expect(catalog.find('own')?.proxy?.base_url, text).toBe('http://localhost:8000');
      }
      await load('');
      expect(catalog.missing()).toEqual(['own']);
      expect(catalog.pending()).toMatchObject([{ provider: 'own', kind: 'removal' }]);

      await catalog.approve('own', catalog.pending()[0]?.hash ?? '');
      expect(catalog.find('own')).toBeUndefined();
    });
  });

  it('says why an entry of the workspace is missing', async () => {
    await load('bad: { display_name: Bad, auth_mode: NOTHING }');

    expect(catalog.findProblem('bad')).toMatchObject({ file: 'providers.yaml', line: 1, keyPath: 'auth_mode' });
    expect(catalog.findProblem('acme')).toBeUndefined();
    expect(catalog.findProblem('none')).toBeUndefined();
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

  it('keeps a deleted entry that integrations use, and reports it', async () => {
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
