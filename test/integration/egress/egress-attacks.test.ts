// @module-tag slow
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DashboardSession } from '../../../server/cli/hub/dashboard-session.ts';
import { followRun } from '../../../server/cli/run/follow-run.ts';
import type { NewCommandRunBody, OpenedCommandRun } from '../../../server/egress/dashboard-command-runs.contract.ts';
import { RunCertificates } from '../../../server/egress/run-certificates.ts';
import { importConnection, officialClient } from '../../support/import-practice-connection.ts';
import { RunCaller } from '../../support/run-caller.ts';
import { type StartedServer, startServer } from '../../support/start-server.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';
import { TlsProvider, type TlsRequest } from '../../support/tls-provider.ts';
import { waitFor } from '../../support/wait-for.ts';

/** Programs that try to get the credential of a run, or to use it where it does not belong. */
const TOKEN = 'sk-live/very+secret=4711&"quoted"';
const OTHER_TOKEN = 'second-connection-0815-token';
const AUTHORITIES = new RunCertificates(Date.now());

let home: TempHome;
let provider: TlsProvider;
let stranger: TlsProvider;
let server: StartedServer;
let dashboard: DashboardSession;
let run: OpenedCommandRun;
let caller: RunCaller;
let following: { stop(): void };

beforeAll(async () => {
  home = await createTempHome();
  provider = await TlsProvider.start(AUTHORITIES, answer);
  stranger = await TlsProvider.start(AUTHORITIES, ({ headers, url }, response) => {
    response.end(JSON.stringify({ stranger: true, url, headers }));
  });
  await mkdir(join(home.path, 'functions'));
  const inPath = entry('pathed', '').replace(provider.address, `${provider.address}/bot\${apiKey}`);
  const entries = [inPath, entry('acme', 'headers: { authorization: "Bearer ${apiKey}" }'), entry('keyed', KEYED)];
  await writeFile(join(home.path, 'functions/providers.yaml'), entries.join(''));
  const authority = join(home.path, 'test-authority.pem');
  await writeFile(authority, AUTHORITIES.authority);
  server = await startServer({ home: home.path, env: { NODE_EXTRA_CA_CERTS: authority } });
  for (const [name, apiKey] of [
    ['acme', TOKEN],
    ['keyed', OTHER_TOKEN],
    ['pathed', '4711:in-the-path'],
  ] as const) {
    await officialClient(server).createIntegration({ provider: name, unique_key: name });
    const credentials = { type: 'API_KEY', apiKey };
    const made = await importConnection(server, { provider_config_key: name, connection_id: name, credentials });
    expect(made.status).toBe(201);
  }
  const session = await DashboardSession.open(home.path, fetch);
  if (!session) throw new Error('The hub does not run.');
  dashboard = session;
  ({ run, caller, following } = await open());
});
afterAll(async () => {
  following?.stop();
  await server?.stop();
  await Promise.all([provider, stranger].map((one) => one?.stop()));
  await home?.remove();
});
beforeEach(() => {
  provider.requests.length = 0;
  stranger.requests.length = 0;
});

const KEYED = 'headers: { x-api-key: "${apiKey}" }\n    query: { key: "${apiKey}" }';

function entry(name: string, proxy: string): string {
  return `${name}:
  display_name: ${name}
  auth_mode: API_KEY
  docs: https://acme.test
  proxy:
    base_url: ${provider.address}
    ${proxy}
  credentials:
    apiKey: { type: string, title: Key, description: A key., secret: true }
`;
}

async function open(body: Partial<NewCommandRunBody> = {}) {
  const opened = await dashboard.call<OpenedCommandRun>('POST', '/api/v1/command-runs', {
    query: { env: 'dev' },
    body: {
      connections: [
        { integrationKey: 'acme', connectionId: 'acme' },
        { integrationKey: 'keyed', connectionId: 'keyed' },
      ],
      command: 'attack',
      otherHosts: 'pass',
      allowedHosts: [],
      refusedHosts: [],
      ...body,
    },
  });
  const told: string[] = [];
  const followed = await followRun(opened.followUrl, (text) => told.push(text));
  return { run: opened, caller: new RunCaller(opened), following: followed, told };
}

const end = (id: string): Promise<unknown> =>
  dashboard.call('DELETE', `/api/v1/command-runs/${id}`, { query: { env: 'dev' } });

/** A provider that repeats what it gets, in many ways. */
function answer(request: TlsRequest, response: ServerResponse): void {
  const { headers, url } = request;
  const sent = String(headers.authorization ?? headers['x-api-key'] ?? url);
  const secret = sent.replace(/^Bearer /, '');
  const path = url.split('?')[0];
  const say = (text: string | Buffer, more: Record<string, string | string[]> = {}, status = 200): void => {
    response.writeHead(status, more).end(text);
  };
  if (path === '/json') say(JSON.stringify({ headers, url }), { 'content-type': 'application/json' });
  else if (path === '/error')
    say(`<p>Not valid: ${secret.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}`, {}, 401);
  else if (path === '/redirect')
    say('', { location: `${stranger.address}/in?token=${encodeURIComponent(secret)}` }, 302);
  else if (path === '/header') say('', { 'x-token': secret, 'x-basic': Buffer.from(`u:${secret}`).toString('base64') });
  else if (path === '/cookie') say('', { 'set-cookie': ['session=of-the-account; HttpOnly'] });
  else if (path === '/status') {
    response.writeHead(200, `Hello ${secret}`).end();
  } else if (path === '/base64') say(Buffer.from(`xy${secret}z`).toString('base64'));
  else if (path === '/hex') say(Buffer.from(secret).toString('hex'));
  else if (path === '/percent') say(encodeURIComponent(secret));
  else if (path === '/unicode') say(Array.from(secret, (one) => `\\u00${one.charCodeAt(0).toString(16)}`).join(''));
  else if (path === '/gzip') say(gzipSync(secret), { 'content-encoding': 'gzip' });
  else if (path === '/br') say(brotliCompressSync(secret), { 'content-encoding': 'br' });
  else if (path === '/twice') say(gzipSync(brotliCompressSync(secret)), { 'content-encoding': 'br, gzip' });
  else if (path === '/unknown-encoding') say(secret, { 'content-encoding': 'rot13' });
  else if (path === '/trailer') {
    response.writeHead(200, { trailer: 'x-token' });
    response.write('body');
    response.addTrailers({ 'x-token': secret });
    response.end();
  } else if (path === '/range') {
    const [, from, to] = /bytes=(\d+)-(\d+)/.exec(headers.range ?? '') ?? [];
    if (from === undefined) say(secret);
    else say(secret.slice(Number(from), Number(to) + 1), { 'content-range': `bytes ${from}-${to}/*` }, 206);
  } else if (path === '/drip') {
    response.writeHead(200);
    for (const one of secret) response.write(one);
    response.end();
  } else say('ok');
}

const host = (): string => new URL(provider.address).host;
const placeholder = (name = 'ACME_TOKEN'): string => run.variables[name] ?? '';
const request = (path: string, ...headers: string[]): string[] => [
  `GET ${path} HTTP/1.1`,
  `Host: ${host()}`,
  ...headers,
  'Connection: close',
  '',
  '',
];
const withToken = (path: string, ...headers: string[]): Promise<string> =>
  caller.tunnel(host(), request(path, `Authorization: Bearer ${placeholder()}`, ...headers));
/** What a response must not contain: the secret in any spelling, or half of it. */
const LEAKS = ['4711', 'very+s', 'quoted', Buffer.from('sk-live').toString('hex'), 'of-the-account', '0815'];
function expectNoLeak(text: string): void {
  for (const leak of LEAKS) expect(text).not.toContain(leak);
}
const sentTokens = (): unknown[] => provider.requests.map(({ headers }) => headers.authorization);

describe('a response', () => {
  it.each([
    ['of an echoing endpoint', '/json'],
    ['with an error page', '/error'],
    ['that redirects to another host', '/redirect'],
    ['with the credential in headers', '/header'],
    ['with the credential in the status line', '/status'],
    ['in base64', '/base64'],
    ['in hexadecimal digits', '/hex'],
    ['percent-encoded', '/percent'],
    ['with escapes of JSON', '/unicode'],
    ['in gzip', '/gzip'],
    ['in brotli', '/br'],
    ['compressed twice', '/twice'],
    ['in an encoding that nobody knows', '/unknown-encoding'],
    ['in a trailer', '/trailer'],
    ['byte by byte', '/drip'],
    ['with a cookie of the account', '/cookie'],
  ])('%s holds no credential', { tags: ['main-path'] }, async (_, path) => {
    const text = await withToken(path);
    expect(sentTokens()).toEqual([`Bearer ${TOKEN}`]);
    expect(text).toMatch(/^HTTP\/1\.1 [2-5]\d\d /);
    expectNoLeak(text);
  });

  it('is asked for as a whole: two halves would each hide the credential', async () => {
    const halves = await Promise.all(['0-9', '10-99'].map((range) => withToken('/range', `Range: bytes=${range}`)));
    for (const half of halves) expect(half).toContain(placeholder());
  });

  it('holds no credential of another connection of the run, also for a request without one', async () => {
    await caller.tunnel(host(), request('/json', `X-Api-Key: ${placeholder('KEYED_TOKEN')}`));
    const text = await caller.tunnel(host(), request(`/json?remember=${OTHER_TOKEN}`));
    expect(text).toContain(placeholder('KEYED_TOKEN'));
    expectNoLeak(text);
  });
});

describe('a placeholder', () => {
  it('is replaced within a Basic header, and in the parameter that the entry names', async () => {
    const basic = Buffer.from(`anything:${placeholder()}`).toString('base64');
    await caller.tunnel(host(), request('/json', `Authorization: Basic ${basic}`));
    await caller.tunnel(host(), request(`/json?a=1&key=${placeholder('KEYED_TOKEN')}&b=%20`));
    expect(sentTokens()[0]).toBe(`Basic ${Buffer.from(`anything:${TOKEN}`).toString('base64')}`);
    expect(provider.requests[1]?.url).toBe(`/json?a=1&key=${OTHER_TOKEN}&b=%20`);
  });

  it.each([
    ['another header', () => request('/json', `X-Note: ${placeholder()}`)],
    ['the header of another entry', () => request('/json', `X-Api-Key: ${placeholder()}`)],
    ['a cookie', () => request('/json', `Cookie: a=${placeholder()}`)],
    ['the path', () => request(`/json/${placeholder()}`)],
    ['a parameter that no entry names', () => request(`/json?key=${placeholder()}`)],
    ['the name of a parameter', () => request(`/json?${placeholder('KEYED_TOKEN')}=key`)],
    ['a percent-encoded parameter', () => request(`/json?q=%68p_${placeholder().slice(3)}`)],
  ])('is refused in %s', async (_, lines) => {
    const text = await caller.tunnel(host(), lines());
    expect(text).toMatch(/^HTTP\/1\.1 403 /);
    expect(text).toContain('placeholder_refused');
    expect(provider.requests).toEqual([]);
  });

  it('is replaced in the path where the base address has it, and nowhere else in it', async () => {
    const pathed = await open({ connections: [{ integrationKey: 'pathed', connectionId: 'pathed' }] });
    const text = pathed.run.variables['PATHED_TOKEN'] ?? '';
    const send = (path: string): Promise<string> => pathed.caller.tunnel(host(), request(path));
    try {
      expectNoLeak(await send(`/bot${text}/json?a=1`));
      expect(provider.requests.map(({ url }) => url)).toEqual(['/bot4711:in-the-path/json?a=1']);
      for (const path of [`/json/bot${text}`, `/bot${text}x/json`, `/bot${text}/${text}`, `/json?q=${text}`])
        expect(await send(path)).toContain('placeholder_refused');
      expect(provider.requests).toHaveLength(1);
    } finally {
      pathed.following.stop();
      await end(pathed.run.id);
    }
  });

  it('stays as it is in a body', async () => {
    const body = `{"token":"${placeholder()}"}`;
    const lines = [
      `POST /json HTTP/1.1`,
      `Host: ${host()}`,
      `Content-Length: ${body.length}`,
      'Connection: close',
      '',
      body,
    ];
    await caller.tunnel(host(), lines);
    expect(provider.requests.map((one) => one.body.toString())).toEqual([body]);
  });

  it('of another run is refused', async () => {
    const other = await open();
    try {
      const foreign = other.run.variables['ACME_TOKEN'] ?? '';
      const text = await caller.tunnel(host(), request('/json', `Authorization: Bearer ${foreign}`));
      expect(text).toContain('placeholder_refused');
      expect(provider.requests).toEqual([]);
    } finally {
      other.following.stop();
      await end(other.run.id);
    }
  });
});

describe('another host', () => {
  const foreign = (): string => new URL(stranger.address).host;

  it('gets the placeholder, not the credential', async () => {
    const socketText = await new RunCaller({ ...run, authority: AUTHORITIES.authority }).tunnel(
      foreign(),
      request('/x', `Authorization: Bearer ${placeholder()}`),
    );
    expect(socketText).toContain('"stranger":true');
    expect(stranger.requests[0]?.headers.authorization).toBe(`Bearer ${placeholder()}`);
  });

  it('over http is refused when it is sent a placeholder', async () => {
    const text = await caller.plain(
      `GET http://${foreign()}/x HTTP/1.1`,
      `Host: ${host()}`,
      'AUTH',
      `Authorization: Bearer ${placeholder()}`,
      '',
      '',
    );
    expect(text).toContain('placeholder_refused');
  });

  it('is not the provider under another name, port or scheme', async () => {
    const port = new URL(provider.address).port;
    for (const target of [`127.0.0.1:${port}`, `localhost.:${port}`, `[::1]:${port}`]) {
      await new RunCaller({ ...run, authority: AUTHORITIES.authority }).tunnel(
        target,
        request('/json', `Authorization: Bearer ${placeholder()}`),
        { servername: 'localhost' },
      );
    }
    const text = await caller.plain(
      `GET http://${host()}/json HTTP/1.1`,
      `Host: ${host()}`,
      'AUTH',
      `Authorization: Bearer ${placeholder()}`,
      '',
      '',
    );
    expect(text).toContain('placeholder_refused');
    for (const sent of sentTokens()) expect(sent).toBe(`Bearer ${placeholder()}`);
  });

  it('is refused, or passes, as the run says', async () => {
    const strict = await open({ otherHosts: 'refuse', allowedHosts: ['allowed.test'] });
    try {
      const answerOf = (target: string): Promise<string> => strict.caller.tunnel(target, request('/x'));
      expect(await answerOf(foreign())).toContain('host_refused');
      expect(await strict.caller.plain(`GET ${stranger.address}/x HTTP/1.1`, 'Host: x', 'AUTH', '', '')).toContain(
        'host_refused',
      );
      expect(stranger.requests).toEqual([]);
      await waitFor(() => strict.told.length >= 2, { what: 'the refusals at the terminal of the command' });
      expect(strict.told[0]).toContain('--allow-host');
    } finally {
      strict.following.stop();
      await end(strict.run.id);
    }
  });
});

describe('a question about another host', () => {
  interface Waiting {
    id: string;
    tool: string;
    arguments: Record<string, unknown>;
    reasons: string[];
  }
  const waiting = (): Promise<{ data: Waiting[] }> =>
    dashboard.call('GET', '/api/v1/mcp/approvals', { query: { env: 'dev' } });
  const decide = (id: string, decision: string): Promise<unknown> =>
    dashboard.call('POST', `/api/v1/mcp/approvals/${id}`, { query: { env: 'dev' }, body: { decision } });

  it.each([
    ['allow-once', 200],
    ['deny', 403],
  ])('shows host and command; "%s" holds for the run', async (decision, status) => {
    const asking = await open({ otherHosts: 'ask', command: 'fetch something' });
    try {
      const reach = (): Promise<string> =>
        asking.caller.plain(`GET ${stranger.address}/x HTTP/1.1`, 'Host: x', 'AUTH', 'Connection: close', '', '');
      const answers = Promise.all([reach(), reach()]);
      const [question, ...others] = await waitFor(
        async () => {
          const { data } = await waiting();
          return data.length > 0 ? data : undefined;
        },
        { what: 'the question' },
      );
      expect(others).toEqual([]);
      const { host: name } = new URL(stranger.address);
      expect(question).toMatchObject({ tool: `reach ${name}`, arguments: { host: name, command: 'fetch something' } });
      await decide(question?.id ?? '', decision);
      for (const text of [...(await answers), await reach()]) expect(text).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    } finally {
      asking.following.stop();
      await end(asking.run.id);
    }
  });
});

describe('the run of an agent session', () => {
  it('has the connections of the session, and ends with it', async () => {
    const headers = { authorization: `Bearer ${server.secretKey}`, 'content-type': 'application/json' };
    const pinned = [{ integration_id: 'keyed', connection_id: 'keyed' }];
    const made = await fetch(`${server.url}/sessions`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ tenant: { connections: { pinned } }, limits: { calls: 2 } }),
    });
    const { session_id: sessionId } = ((await made.json()) as { data: { session_id: string } }).data;
    await expect(open({ sessionId, connections: [{ integrationKey: 'acme', connectionId: 'acme' }] })).rejects.toThrow(
      'does not have acme/acme',
    );
    await expect(open({ sessionId: 'unknown', connections: [] })).rejects.toThrow('no live agent session');
    const own = await open({ sessionId, connections: [] });
    expect(Object.keys(own.run.variables)).toEqual(['KEYED_TOKEN']);
    const call = (): Promise<string> =>
      own.caller.tunnel(host(), request('/json', `X-Api-Key: ${own.run.variables['KEYED_TOKEN']}`));
    expect(await call()).toMatch(/^HTTP\/1\.1 200 /);
    expect(await call()).toMatch(/^HTTP\/1\.1 200 /);
    expect(await call()).toContain('The session may make 2 calls in all');
    await fetch(`${server.url}/sessions/${sessionId}`, { method: 'DELETE', headers });
    await waitFor(() => own.told.some((text) => text.includes('agent session has ended')), {
      what: 'the end of the run',
    });
    await expect(call()).rejects.toThrow('ECONNREFUSED');
  });
});

describe('a request', () => {
  it.each([
    ['for another host within the tunnel', () => request('/json').map((line) => line.replace(host(), 'evil.test'))],
    ['with an address of another host', () => request('https://evil.test/json')],
    ['without a host', () => request('/json').filter((line) => !line.startsWith('Host'))],
  ])('%s is refused', async (_, lines) => {
    const text = await caller.tunnel(host(), lines());
    expect(text).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(provider.requests).toEqual([]);
  });

  it('gets no TLS for another name than that of the tunnel', async () => {
    const text = await caller.tunnel(host(), request('/json'), { servername: 'evil.test' });
    expect(text).toMatch(/^failed: |^$/);
    expect(provider.requests).toEqual([]);
  });

  it.each([
    ['two lengths', ['Content-Length: 5', 'Content-Length: 6']],
    ['a length and chunks', ['Content-Length: 5', 'Transfer-Encoding: chunked']],
    ['a header that is split', ['X-A: b', ' Authorization: smuggled']],
    ['a long header', [`X-Long: ${'a'.repeat(200_000)}`]],
  ])('with %s is refused', async (_, headers) => {
    const text = await caller.tunnel(host(), request('/json', ...headers));
    expect(text).toMatch(/^HTTP\/1\.1 4\d\d |^$|^failed/);
    expect(provider.requests).toEqual([]);
  });

  it('smuggles no second request in its body', async () => {
    const hidden = `GET /json HTTP/1.1\r\nHost: ${host()}\r\nAuthorization: Bearer ${placeholder()}\r\n\r\n`;
    const lines = [
      'POST /plain HTTP/1.1',
      `Host: ${host()}`,
      `Content-Length: ${hidden.length}`,
      'Connection: close',
      '',
      hidden,
    ];
    await caller.tunnel(host(), lines);
    expect(provider.requests.map(({ url }) => url)).toEqual(['/plain']);
  });

  it('for a WebSocket is refused', async () => {
    const upgrade = ['Upgrade: websocket', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==', 'Sec-WebSocket-Version: 13'];
    const lines = request('/socket', ...upgrade).map((line) =>
      line.replace('Connection: close', 'Connection: Upgrade'),
    );
    expect(await caller.tunnel(host(), lines)).toContain('unsupported_upgrade');
  });

  it('in HTTP/2 gets no TLS', async () => {
    expect(await caller.tunnel(host(), ['PRI * HTTP/2.0', '', 'SM', '', ''], { alpn: ['h2'] })).toMatch(/^failed|^$/);
  });

  it('does not pass the secret of the proxy on', async () => {
    await caller.tunnel(host(), request('/json', 'AUTH', 'Connection: x-hop', 'X-Hop: 1'));
    expect(Object.keys(provider.requests[0]?.headers ?? {})).not.toContain('proxy-authorization');
    expect(JSON.stringify(provider.requests)).not.toContain(new URL(run.proxyUrl).password);
  });
});

describe('the proxy', () => {
  it('takes requests with the secret of the run only', async () => {
    const wrong = `Proxy-Authorization: Basic ${Buffer.from('run:wrong').toString('base64')}`;
    for (const lines of [
      [`CONNECT ${host()} HTTP/1.1`, `Host: ${host()}`],
      [`CONNECT ${host()} HTTP/1.1`, `Host: ${host()}`, wrong],
      [`GET ${stranger.address}/ HTTP/1.1`, 'Host: x'],
      [`GET /run HTTP/1.1`, 'Host: x'],
    ])
      expect(await caller.plain(...lines, 'Connection: close', '', '')).toMatch(/^HTTP\/1\.1 407 /);
    expect(await caller.plain('GET /run HTTP/1.1', 'Host: x', 'AUTH', '', '')).toMatch(/^HTTP\/1\.1 400 /);
    expect(provider.requests).toEqual([]);
  });

  it.each(['example.com', 'a:b@example.com:443', 'example.com:443/path', ':443', 'example.com:99999'])(
    'opens no tunnel to "%s"',
    async (target) => {
      expect(await caller.plain(`CONNECT ${target} HTTP/1.1`, 'Host: x', 'AUTH', '', '')).toMatch(
        /^HTTP\/1\.1 400 |^$/,
      );
    },
  );

  it('opens a tunnel without TLS to a provider over http, and nothing else in it', async () => {
    const { base_url: base } = (await officialClient(server).getProvider({ provider: 'practice' })).data.proxy as {
      base_url: string;
    };
    const made = await officialClient(server).createIntegration({ provider: 'practice', unique_key: 'practice' });
    expect(made.data.unique_key).toBe('practice');
    await importConnection(server, { provider_config_key: 'practice', connection_id: 'me' });
    const local = await open({ connections: [{ integrationKey: 'practice', connectionId: 'me' }] });
    try {
      const { host: name } = new URL(base);
      const get = `GET /v1/issues?limit=1 HTTP/1.1\r\nHost: ${name}\r\nConnection: close\r\nAuthorization: Bearer ${local.run.variables['PRACTICE_TOKEN']}`;
      const text = await local.caller.plain(`CONNECT ${name} HTTP/1.1`, `Host: ${name}`, 'AUTH', '', get, '', '');
      expect(text).toMatch(/^HTTP\/1\.1 200 Connection Established\r\n\r\nHTTP\/1\.1 200 OK/);
      const preface = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';
      const http2 = await local.caller.plain(`CONNECT ${name} HTTP/1.1`, `Host: ${name}`, 'AUTH', '', preface);
      expect(http2).not.toContain('200 OK');
    } finally {
      local.following.stop();
      await end(local.run.id);
    }
  });

  it('counts within the limits of the run, and says so to the program', async () => {
    const limited = await open({ limits: { calls: 1, methods: ['GET', 'POST'] } });
    try {
      await limited.caller.tunnel(host(), request('/json'));
      const text = await limited.caller.tunnel(host(), request('/json'));
      expect(text).toMatch(/^HTTP\/1\.1 403 /);
      expect(text).toContain('may make 1 calls in all');
      expect(provider.requests).toHaveLength(1);
    } finally {
      limited.following.stop();
      await end(limited.run.id);
    }
  });

  it('ends with the one who follows it, and leaves nothing', async () => {
    const short = await open();
    await writeFile(join(short.run.folder, 'a.pem'), 'x');
    short.following.stop();
    await waitFor(() => !existsSync(short.run.folder), { what: 'the folder of the run to be removed' });
    await expect(short.caller.plain('GET http://x.test/ HTTP/1.1', '', '')).rejects.toThrow('ECONNREFUSED');
  });

  it('writes every request into one operation of the log', async () => {
    const logged = await open({ command: 'logged' });
    await logged.caller.tunnel(host(), request('/json', `Authorization: Bearer ${logged.run.variables['ACME_TOKEN']}`));
    await logged.caller.tunnel(host(), request(`/json/${logged.run.variables['ACME_TOKEN']}`));
    logged.following.stop();
    await end(logged.run.id);
    const query = { env: 'dev', search: 'type:command' };
    const found = await waitFor(
      async () => {
        const { data } = await dashboard.call<{ data: Array<{ id: string; state: string; message: string }> }>(
          'GET',
          '/api/v1/logs/operations',
          { query },
        );
        return data.find(({ message, state }) => message === 'logged' && state === 'success');
      },
      { what: 'the operation in the log' },
    );
    const messages = JSON.stringify(
      await dashboard.call('GET', '/api/v1/logs/messages', { query: { env: 'dev', operationId: found.id } }),
    );
    expect(messages).toContain('with acme/acme');
    expect(messages).toContain('placeholder_refused');
    expect(messages).not.toContain('4711');
  });
});
