import { mkdir, writeFile } from 'node:fs/promises';
import { type IncomingMessage, request as sendHttp } from 'node:http';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { OperationDetailResponse } from '../../../server/log/dashboard-logs.contract.ts';
import { createLogger } from '../../../server/platform/lib/logger.ts';
import { importConnection } from '../../support/import-practice-connection.ts';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';
import { waitFor } from '../../support/wait-for.ts';
import { DashboardClient } from '../dashboard/dashboard-client.ts';
import { ApiCaller } from './api-caller.ts';
import { FAULTS, type Fault, type FaultName, FaultyUpstream, PROVIDER_HEADERS } from './faulty-upstreams.ts';
import { providersOfEveryMode } from './workspace-providers.ts';

/** Longest silence in these tests, in ms: long enough for a busy machine, short enough to wait for. */
const SILENCE_MS = 1_500;

let home: TempHome;
let server: InProcessServer;
let api: ApiCaller;
let upstream: FaultyUpstream;
let dashboard: DashboardClient;
/** Warnings and errors of the program's own log. */
const programLog: string[] = [];
const WHOLE: Fault = { first: 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}', end: 'close' };
const openRequests: Array<{ destroy(): void }> = [];

beforeAll(async () => {
  upstream = new FaultyUpstream();
  const address = await upstream.start();
  home = await createTempHome();
  const workspace = join(home.path, 'functions');
  await mkdir(workspace);
  await writeFile(join(workspace, 'providers.yaml'), providersOfEveryMode(address));
  server = await startInProcess({
    home: home.path,
    providerSilenceMs: SILENCE_MS,
    logger: createLogger({
      level: 'warn',
      write: (line) => programLog.push(line),
    }),
  });
  api = new ApiCaller(server);
  await api.send('POST /integrations', {
    body: { provider: 'own-none', unique_key: 'own-none' },
  });
  await importConnection(server, {
    provider_config_key: 'own-none',
    connection_id: 'c',
    credentials: { type: 'NONE' },
  });
  dashboard = await DashboardClient.signIn({ url: server.url, signIn: server });
  programLog.length = 0;
});
afterAll(async () => {
  await server?.stop();
  await upstream?.stop();
  await home?.remove();
});
afterEach(() => {
  for (const request of openRequests.splice(0)) request.destroy();
});

interface Outcome {
  status: number;
  headers: IncomingMessage['headers'];
  text: string;
  /** The connection ended before the response was complete. */
  isBroken: boolean;
}

/** Calls through the proxy, reads to the end or the failure, and lets the provider continue once data has arrived. */
function call(fault: Fault, { method = 'GET', headers = {} }: { method?: string; headers?: object } = {}) {
  upstream.respondWith(fault);
  return new Promise<Outcome>((resolve, reject) => {
    const request = open(method, headers, (response) => {
      const chunks: Buffer[] = [];
      const end = (isBroken: boolean): void =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(chunks).toString(),
          isBroken,
        });
      response.once('data', () => upstream.goOn());
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => end(false));
      response.on('error', () => end(true));
    });
    request.on('error', reject);
  });
}

function open(method: string, headers: object, onResponse: (response: IncomingMessage) => void) {
  const { hostname, port } = new URL(server.url);
  const request = sendHttp(
    {
      hostname,
      port,
      method,
      path: '/proxy/faulty',
      headers: {
        authorization: `Bearer ${server.secretKey}`,
        'provider-config-key': 'own-none',
        'connection-id': 'c',
        ...headers,
      },
      agent: false,
    },
    onResponse,
  );
  openRequests.push(request);
  request.end();
  return request;
}

/** The newest operation of the proxy, once it has ended. */
function loggedEnd(after: string | undefined): Promise<OperationDetailResponse> {
  return waitFor(
    async () => {
      const { data } = await dashboard.call('GET /api/v1/logs/operations', {
        query: { types: 'proxy', limit: '1' },
      });
      const [newest] = data;
      return newest && newest.id !== after && newest.endedAt !== null && (newest as OperationDetailResponse);
    },
    { what: 'the end of the operation' },
  );
}

async function newestId(): Promise<string | undefined> {
  return (
    await dashboard.call('GET /api/v1/logs/operations', {
      query: { types: 'proxy', limit: '1' },
    })
  ).data[0]?.id;
}

/** Every fault and its result for the caller: a status with the documented body, or a response that breaks off. */
const EXPECTED: Record<FaultName, { status: number; code: string } | 'breaks'> = {
  'a small body that is cut': { status: 502, code: 'ECONNRESET' },
  'a small body that is reset': { status: 502, code: 'ECONNRESET' },
  'a small body that stalls': { status: 504, code: 'ETIMEDOUT' },
  'a small encoded body that is cut': { status: 502, code: 'ECONNRESET' },
  'a large body that is cut': 'breaks',
  'a large body that stalls': 'breaks',
  'a large body that is cut before its first byte': {
    status: 502,
    code: 'ECONNRESET',
  },
  'chunks that are broken at once': { status: 502, code: 'ERR_BAD_RESPONSE' },
  'chunks that break later': 'breaks',
  'chunks that end without the last one': 'breaks',
  'two lengths that differ': { status: 502, code: 'ERR_BAD_RESPONSE' },
  'a length that is no number': { status: 502, code: 'ERR_BAD_RESPONSE' },
  'an impossible status': { status: 502, code: 'ERR_BAD_RESPONSE' },
  'no HTTP at all': { status: 502, code: 'ERR_BAD_RESPONSE' },
  'headers that stall': { status: 504, code: 'ETIMEDOUT' },
  'half of the headers': { status: 504, code: 'ETIMEDOUT' },
  'a reset before the headers': { status: 500, code: 'ECONNRESET' },
  'an end before the headers': { status: 500, code: 'ECONNRESET' },
  'a body that is not gzip': { status: 502, code: 'ERR_BAD_RESPONSE' },
  'gzip that breaks later': 'breaks',
};

describe('a provider that fails', () => {
  it.each(Object.entries(EXPECTED))('%s', async (name, expected) => {
    const before = await newestId();

    const outcome = await call(FAULTS[name as FaultName]);

    if (expected === 'breaks') {
      expect(outcome).toMatchObject({ status: 200, isBroken: true });
      expect(outcome.text.length).toBeGreaterThan(0);
    } else {
      expect(outcome).toMatchObject({
        status: expected.status,
        isBroken: false,
      });
      expect(JSON.parse(outcome.text)).toEqual({
        message: expect.any(String),
        code: expected.code,
        method: 'GET',
      });
      for (const header of PROVIDER_HEADERS) expect(outcome.headers).not.toHaveProperty(header);
      expect(outcome.headers['content-type']).toMatch(/^application\/json/);
    }
    await waitFor(() => upstream.openSockets === 0, {
      what: 'the end of the connection to the provider',
    });
    const code =
      expected === 'breaks' ? expect.stringMatching(/^(ECONNRESET|ETIMEDOUT|ERR_BAD_RESPONSE)$/) : expected.code;
    expect(await loggedEnd(before)).toMatchObject({
      state: 'failed',
      error: { type: code },
    });
    expect(programLog).toEqual([]);
  });

  it('is appended to the operation that the caller names', async () => {
    const first = await newestId();
    await call(WHOLE);
    const { id, state } = await loggedEnd(first);
    expect(state).toBe('success');

    await call(FAULTS['a small body that is cut'], {
      headers: { 'nango-activity-log-id': id },
    });

    const messages = await waitFor(async () => {
      const { data } = await dashboard.call('GET /api/v1/logs/messages', {
        query: { operationId: id },
      });
      return data.some((message) => message.level === 'error') && data;
    });
    expect(messages.at(-1)).toMatchObject({
      level: 'error',
      error: { type: 'ECONNRESET' },
    });
    expect(await newestId()).toBe(id);
  });

  it('is not appended to an operation of another connection', async () => {
    const before = await newestId();
    await call(WHOLE);
    const { id } = await loggedEnd(before);
    await importConnection(server, {
      provider_config_key: 'own-none',
      connection_id: 'another',
      credentials: { type: 'NONE' },
    });

    await call(WHOLE, { headers: { 'connection-id': 'another', 'nango-activity-log-id': id } });

    const own = await loggedEnd(id);
    expect(own.connectionName).toBe('another');
  });

  it('is not appended to an operation of another environment', async () => {
    const before = await newestId();
    await call(WHOLE);
    const { id } = await loggedEnd(before);
    const { body } = await api.send('POST /environments', { body: { name: 'other' } });
    const { body: key } = await api.send('POST /environment/api-keys', {
      body: { display_name: 'other', environment_id: (body as { data: { id: number } }).data.id },
    });
    const other = { url: server.url, secretKey: (key as { data: { secret: string } }).data.secret };
    await new ApiCaller(other).send('POST /integrations', { body: { provider: 'own-none', unique_key: 'own-none' } });
    await importConnection(other, {
      provider_config_key: 'own-none',
      connection_id: 'c',
      credentials: { type: 'NONE' },
    });

    await call(FAULTS['a small body that is cut'], {
      headers: { authorization: `Bearer ${other.secretKey}`, 'nango-activity-log-id': id },
    });

    const own = await waitFor(async () => {
      const { data } = await dashboard.call('GET /api/v1/logs/operations', { query: { env: 'other', types: 'proxy' } });
      return data.find(({ state }) => state === 'failed');
    });
    expect(own.id).not.toBe(id);
    const { data } = await dashboard.call('GET /api/v1/logs/messages', { query: { operationId: id } });
    expect(data.filter(({ level }) => level === 'error')).toEqual([]);
    expect(data).toHaveLength(1);
  });
});

describe('an answer that is right', () => {
  let before: string | undefined;
  beforeEach(async () => {
    before = await newestId();
  });
  // The next test must not take the operation of this one for its own.
  afterEach(async () => {
    await loggedEnd(before);
  });

  it('ends where the announced length ends, and is logged as a success', async () => {
    const outcome = await call({
      first: 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello world',
      end: 'hold',
    });

    expect(outcome).toMatchObject({
      status: 200,
      text: 'hello',
      isBroken: false,
    });
    expect((await loggedEnd(before)).state).toBe('success');
    await waitFor(() => upstream.openSockets === 0, {
      what: 'the end of a connection with surplus bytes',
    });
  });

  it.each([['1234'], ['50000000'], ['0']])('keeps the length %s of HEAD', async (length) => {
    const outcome = await call(
      {
        first: `HTTP/1.1 200 OK\r\nx-provider: yes\r\ncontent-length: ${length}\r\n\r\n`,
        end: 'close',
      },
      { method: 'HEAD' },
    );

    expect(outcome).toMatchObject({ status: 200, text: '', isBroken: false });
    expect(outcome.headers).toMatchObject({
      'content-length': length,
      'x-provider': 'yes',
    });
  });

  it('keeps length and encoding of HEAD where the caller asked for it', async () => {
    const { headers } = await call(
      {
        first: 'HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 77\r\n\r\n',
        end: 'close',
      },
      { method: 'HEAD', headers: { 'nango-proxy-accept-encoding': 'gzip' } },
    );

    expect(headers).toMatchObject({
      'content-encoding': 'gzip',
      'content-length': '77',
    });
  });

  it('is passed on undecoded with more than three encodings', async () => {
    const { status, headers, text } = await call({
      first: 'HTTP/1.1 200 OK\r\ncontent-encoding: gzip, gzip, gzip, gzip\r\ncontent-length: 5\r\n\r\nhello',
      end: 'close',
    });

    expect([status, headers['content-encoding'], text]).toEqual([200, 'gzip, gzip, gzip, gzip', 'hello']);
  });
});

describe('a caller that leaves', () => {
  it.each<[string, Fault]>([
    ['before the headers', FAULTS['headers that stall']],
    ['in the middle of a small body', FAULTS['a small body that stalls']],
    [
      'before the first byte of a streamed body',
      {
        ...FAULTS['a large body that is cut before its first byte'],
        end: 'hold',
      },
    ],
    ['in the middle of a streamed body', FAULTS['a large body that stalls']],
    ['in the middle of an encoded body', { ...FAULTS['gzip that breaks later'], later: '', end: 'hold' }],
  ])('%s frees the provider at once', async (_when, fault) => {
    const before = await newestId();
    const requests = upstream.requests;
    upstream.respondWith(fault);
    let isBegun = false;
    const request = open('GET', {}, (response) => {
      isBegun = true;
      response.on('error', () => {
        // The caller disconnects on purpose.
      });
    });
    request.on('error', () => {
      // The caller disconnects on purpose.
    });
    await waitFor(() => upstream.requests > requests && upstream.openSockets === 1);
    if (/streamed|encoded/.test(_when) && !/first byte/.test(_when)) await waitFor(() => isBegun);

    const leftAt = performance.now();
    request.destroy();

    await waitFor(() => upstream.openSockets === 0, {
      what: 'the end of the connection to the provider',
    });
    expect(performance.now() - leftAt).toBeLessThan(SILENCE_MS);
    expect((await loggedEnd(before)).state).toBe('cancelled');
    expect(programLog).toEqual([]);
  });
});
