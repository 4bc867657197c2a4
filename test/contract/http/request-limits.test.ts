import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importPracticeConnection } from '../../support/import-practice-connection.ts';
import { RawConnection } from '../../support/raw-http.ts';
import { type StartedServer, startServer } from '../../support/start-server.ts';
import { ApiCaller } from './api-caller.ts';

const MB = 1024 * 1024;
const CHUNK = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(0x10000, ' '), Buffer.from('\r\n')]);

let server: StartedServer;
let api: ApiCaller;
let webhook: string;

beforeAll(async () => {
  server = await startServer();
  api = new ApiCaller(server);
  await importPracticeConnection(server);
  const body = {
    provider: 'hubspot',
    unique_key: 'hubspot',
    credentials: { type: 'OAUTH2', client_id: 'a', client_secret: 'b' },
  };
  await api.send('POST /integrations', { body });
  const shown = await api.send('GET /integrations/hubspot?include=webhook');
  webhook = new URL((shown.body as { data: { webhook_url: string } }).data.webhook_url).pathname;
});
afterAll(() => server?.stop());

/** Lines of a request before its body. */
function head(route: string, headers: Record<string, string>, hasKey: boolean): string {
  const all = {
    Host: 'localhost',
    'Content-Type': 'application/json',
    ...(hasKey ? { Authorization: `Bearer ${server.secretKey}` } : {}),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${route.replace('WEBHOOK', webhook)} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

const codeOf = (text: string): unknown => (JSON.parse(text) as { error: { code: string } }).error.code;

interface LimitCase {
  route: string;
  sizeMb?: number;
  headers?: Record<string, string>;
  hasKey?: boolean;
  expected: [status: number, code: string];
}

const unread: LimitCase[] = [
  { route: 'POST /connections', expected: [401, 'missing_auth_header'] },
  {
    route: 'PATCH /connections/metadata',
    headers: { Authorization: 'Bearer x' },
    expected: [401, 'invalid_secret_key_format'],
  },
  { route: 'POST /proxy/x', expected: [401, 'missing_auth_header'] },
  { route: 'DELETE /connect/session', expected: [401, 'missing_auth_header'] },
  { route: 'POST /v1/anything', expected: [401, 'missing_auth_header'] },
  { route: 'POST /mcp', expected: [401, 'missing_auth_header'] },
  { route: 'POST /api/v1/reveal', expected: [403, 'forbidden'] },
  { route: 'POST /api/v1/session', expected: [413, 'request_too_large'] },
  { route: 'POST /api-auth/api-key/practice', expected: [413, 'request_too_large'] },
  { route: 'POST /oauth2/auth/practice', expected: [413, 'request_too_large'] },
  { route: 'POST /connect/telemetry', expected: [413, 'request_too_large'] },
  { route: 'POST /oauth/callback', expected: [404, 'not_found'] },
  { route: 'POST /nowhere', expected: [404, 'not_found'] },
  { route: 'POST /webhook/7f1e8c1c-6b1a-4f0e-9c55-111111111111/x', expected: [404, 'unknown_environment'] },
  { route: 'POST WEBHOOKS', expected: [404, 'unknown_provider_config'] },
  { route: 'POST WEBHOOK', sizeMb: 11, expected: [413, 'request_too_large'] },
  { route: 'POST /connections', hasKey: true, sizeMb: 76, expected: [413, 'request_too_large'] },
  { route: 'POST /proxy/x', hasKey: true, sizeMb: 76, expected: [413, 'request_too_large'] },
  { route: 'GET /health', expected: [413, 'request_too_large'] },
  { route: 'GET /connections', hasKey: true, expected: [413, 'request_too_large'] },
  {
    route: 'POST /connections',
    headers: { 'Content-Type': 'text/plain' },
    hasKey: true,
    expected: [415, 'invalid_content_type'],
  },
];

describe('a body over the limit', () => {
  it.each(unread)('is refused before a byte of it came: $route $sizeMb $expected', async (one) => {
    const { route, sizeMb = 1, headers = {}, hasKey = false, expected } = one;
    const connection = await RawConnection.open(server);
    connection.write(head(route, { 'Content-Length': String(sizeMb * MB), ...headers }, hasKey));

    const { status, headers: answered, text } = await connection.respond();

    expect([status, codeOf(text)]).toEqual(expected);
    expect(answered['connection']).toBe('close');
    expect(answered['content-type']).toBe('application/json; charset=utf-8');
  });

  it.each(unread)('is cut when it is chunked and does not end: $route $sizeMb $expected', async (one) => {
    const { route, headers = {}, hasKey = false, expected } = one;
    const connection = await RawConnection.open(server);
    connection.write(head(route, { 'Transfer-Encoding': 'chunked', ...headers }, hasKey));
    await connection.pour(CHUNK);

    const { status, text } = await connection.respond();

    expect([status, codeOf(text)]).toEqual(expected);
  });

  it.each(['GET /app/', 'GET /', 'OPTIONS /connections', 'HEAD /health'])(
    'ends with the answer where none is read: %s',
    async (route) => {
      const connection = await RawConnection.open(server);
      connection.write(head(route, { 'Transfer-Encoding': 'chunked' }, false));
      await connection.pour(CHUNK);

      expect((await connection.respond()).status).toBeGreaterThanOrEqual(200);
    },
  );

  it('loses no answer to the bytes that still come', { tags: ['slow'] }, async () => {
    const endless = async (route: string): Promise<number> => {
      const connection = await RawConnection.open(server);
      connection.write(head(route, { 'Transfer-Encoding': 'chunked' }, false));
      await connection.pour(CHUNK);
      return (await connection.respond()).status;
    };

    for (const [route, status] of [
      ['OPTIONS /connections', 204],
      ['GET /', 200],
      ['HEAD /health', 413],
      ['POST /connections', 401],
    ] as const) {
      const responses = [];
      for (let round = 0; round < 50; round += 1) responses.push(await endless(route));
      expect(responses, route).toEqual(Array(50).fill(status));
    }
  });

  it('is not asked for: a client that waits for "continue" gets the refusal', async () => {
    const sized = { 'Content-Length': String(MB), Expect: '100-continue' };
    const refused = await RawConnection.open(server);
    refused.write(head('POST /connections', sized, false));
    const taken = await RawConnection.open(server);
    taken.write(head('POST /connections', sized, true));

    expect((await refused.respond()).status).toBe(401);
    expect((await taken.next()).status).toBe(100);
    taken.close();
  });

  it('keeps the order of refusals while it is small', async () => {
    const call = { body: '{', headers: { 'content-type': 'application/json', authorization: undefined } };

    expect(await api.refusal('POST /connections', call)).toEqual({ status: 400, code: 'invalid_json' });
    const padded = { ...call, body: `{${' '.repeat(100_000)}` };
    expect(await api.refusal('POST /connections', padded)).toEqual({ status: 401, code: 'missing_auth_header' });
  });
});

describe('an encoded body', () => {
  const gzipped = (times: number, text: string | Buffer): Buffer => {
    let bytes = Buffer.from(text);
    for (let time = 0; time < times; time += 1) bytes = gzipSync(bytes);
    return bytes;
  };
  const send = (body: Buffer, encoding: string, further: Record<string, string | undefined> = {}) =>
    api.refusal('POST /connections', {
      body,
      headers: { 'content-type': 'application/json', 'content-encoding': encoding, ...further },
    });

  it('is undone for those who are known, three times at most', async () => {
    const encodings = ['gzip', 'gzip, gzip', 'identity, gzip, gzip, x-gzip'];
    for (const [index, encoding] of encodings.entries())
      expect(await send(gzipped(index + 1, '{"a":1}'), encoding)).toMatchObject({ code: 'invalid_body' });

    expect(await send(gzipped(4, '{}'), 'gzip, gzip, gzip, gzip')).toEqual({
      status: 415,
      code: 'invalid_content_type',
    });
    expect(await send(gzipped(1, '{}'), 'lzw')).toEqual({ status: 415, code: 'invalid_content_type' });
  });

  it('is counted while it is undone, at every step', { tags: ['slow'] }, async () => {
    const large = Buffer.alloc(76 * MB, ' ');

    expect(await send(gzipped(1, large), 'gzip')).toEqual({ status: 413, code: 'request_too_large' });
    expect(await send(gzipped(2, large), 'gzip, gzip')).toEqual({ status: 413, code: 'request_too_large' });
  });

  it.each([
    ['broken', Buffer.from('no gzip')],
    ['cut short', gzipSync('{"a":1}').subarray(0, 15)],
    ['longer than what it holds', Buffer.concat([gzipSync('{}'), Buffer.from('tail')])],
  ])('may not be %s', async (_how, body) => {
    expect(await send(body, 'gzip')).toEqual({ status: 400, code: 'invalid_body' });
  });

  it('is not undone for strangers', async () => {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip', authorization: undefined };
    const call = { body: gzipped(1, '{}'), headers };

    expect(await api.refusal('POST /connections', call)).toEqual({ status: 401, code: 'missing_auth_header' });
    expect(await api.refusal('POST /connect/telemetry', call)).toEqual({ status: 415, code: 'invalid_content_type' });
  });
});

describe('JSON', () => {
  const nested = (levels: number): unknown => JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`);
  const metadata = (value: unknown) => ({ connection_id: 'me', provider_config_key: 'practice', metadata: value });

  it.each([
    ['PATCH /connections/metadata', 200],
    ['POST /connections/metadata', 201],
  ])('may have 200 levels: %s', async (route, status) => {
    expect((await api.send(route, { body: metadata(nested(199)) })).status).toBe(status);
    expect(await api.refusal(route, { body: metadata(nested(200)) })).toEqual({ status: 400, code: 'invalid_body' });
  });

  it.each([
    'POST /connections',
    'POST /integrations',
    'POST /connect/sessions',
    'POST /action/trigger',
    'POST /sync/trigger',
    'PATCH /environment/settings',
    'POST /functions/dryruns',
  ])('of 5,000 levels is refused: %s', async (route) => {
    const body = `{"a":${'['.repeat(5000)}${']'.repeat(5000)}}`;
    const headers = { 'content-type': 'application/json' };

    expect(await api.refusal(route, { body, headers })).toEqual({ status: 400, code: 'invalid_body' });
  });

  it('of 5,000 levels is refused by an MCP address, with an error of JSON-RPC', async () => {
    const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"a":`;
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'provider-config-key': 'practice',
      'connection-id': 'me',
    };

    for (const body of [
      `${call}${'['.repeat(5000)}${']'.repeat(5000)}}}}`,
      `${'['.repeat(5000)}${']'.repeat(5000)}`,
      `{${Array.from({ length: 1_000_000 }, (_, at) => `"${at}":0`).join()}}`,
    ])
      expect(await api.refusal('POST /mcp', { body, headers })).toEqual({ status: 400, code: -32600 });
  });

  it.each([
    ['a million keys', `{${Array.from({ length: 1_000_000 }, (_, at) => `"${at}":0`).join()}}`],
    ['empty objects', `[${'{},'.repeat(20 * MB)}{}]`],
  ])('is refused for %s before it is parsed', async (_what, body) => {
    const call = { body, headers: { 'content-type': 'application/json' } };

    expect(await api.refusal('POST /connections', call)).toEqual({ status: 400, code: 'invalid_body' });
  });

  it('is answered with 50 issues at most', async () => {
    const body = { connection_id: Array(1000).fill(5), provider_config_key: 'practice', metadata: {} };

    const { status, body: response } = await api.send('PATCH /connections/metadata', { body });

    expect(status).toBe(400);
    expect((response as { error: { errors: unknown[] } }).error.errors.length).toBeLessThanOrEqual(50);
  });

  it('of a webhook has the same limits', async () => {
    const call = { headers: { 'content-type': 'application/json', authorization: undefined } };

    for (const body of [`${'['.repeat(5000)}${']'.repeat(5000)}`, `[${'{"a":1},'.repeat(200_000)}{}]`]) {
      const { status } = await api.send(`POST ${webhook}`, { ...call, body });
      expect(status).toBe(400);
    }
  });
});

describe('the Host header', () => {
  const lines = (...host: string[]) => host.map((name) => `Host: ${name}\r\n`).join('');
  const ask = async (first: string, ...hosts: string[]) => {
    const connection = await RawConnection.open(server);
    connection.write(`${first}\r\n${lines(...hosts)}Connection: close\r\n\r\n`);
    return connection.respond();
  };

  it.each([
    ['GET /health HTTP/1.1', []],
    ['GET /health HTTP/1.0', []],
    ['GET /health HTTP/1.1', ['']],
    ['GET /health HTTP/1.1', ['localhost', 'evil.test']],
    ['GET /health HTTP/1.1', ['evil.test', 'localhost']],
    ['GET /health HTTP/1.1', ['localhost', 'localhost']],
    ['GET http://localhost/health HTTP/1.1', []],
    ['GET / HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade', ['localhost', 'evil.test']],
    ['GET / HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade', []],
  ])('is sent exactly once: %j %j', async (first, hosts) => {
    const { status, text } = await ask(first, ...hosts);

    expect(status).toBe(400);
    if (!first.includes('Upgrade')) expect(codeOf(text)).toBe('invalid_headers');
  });

  it.each([
    'http://evil.test/health',
    'http://localhost.evil.test/health',
    'http://localhost@evil.test/health',
    'https://evil.test',
  ])('is not the only name that counts: %s', async (target) => {
    const { status, text } = await ask(`GET ${target} HTTP/1.1`, 'localhost');

    expect([status, codeOf(text)]).toEqual([421, 'misdirected_request']);
  });

  it('may be foreign no more when the target is this computer', async () => {
    expect((await ask('GET http://localhost/health HTTP/1.1', 'evil.test')).status).toBe(421);
  });

  it.each(['http://localhost/health', 'http://127.0.0.1:3003/health?x=1', 'HTTP://[::1]/health'])(
    'fits a target in absolute form: %s',
    async (target) => {
      expect(await ask(`GET ${target} HTTP/1.1`, 'localhost')).toMatchObject({ status: 200, text: '{"result":"ok"}' });
    },
  );
});

describe('answers', () => {
  it.each([
    'GET /health',
    'GET /connections',
    'GET /nowhere',
    'POST /connections',
    'GET /openapi.json',
    'GET /api/v1/meta',
  ])('of %s keep browsers from guessing their type', async (route) => {
    expect((await api.send(route)).headers['x-content-type-options']).toBe('nosniff');
  });

  it('to webhooks do so, too', async () => {
    const { headers } = await api.send(`POST ${webhook}`, { body: [], headers: { authorization: undefined } });

    expect(headers['x-content-type-options']).toBe('nosniff');
  });
});
