import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse, request as sendHttp } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createGzip } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { importConnection } from '../../support/import-practice-connection.ts';
import type { StartedServer } from '../../support/start-server.ts';
import { waitFor } from '../../support/wait-for.ts';
import { DashboardClient } from '../dashboard/dashboard-client.ts';
import { ApiCaller } from './api-caller.ts';
import { providersOfEveryMode, startProcessWithProviders } from './workspace-providers.ts';

const MB = 1024 * 1024;
/** Far more than the server may hold of it at a time. */
const DOWNLOAD_MB = 200;
const MAX_HELD_MB = 100;
const CHUNK = Buffer.alloc(MB, 'x');

let server: StartedServer;
let provider: Server;
let serve: (request: IncomingMessage, response: ServerResponse) => void = (_, response) => response.end();

beforeAll(async () => {
  provider = createServer((request, response) => serve(request, response));
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
  server = await startProcessWithProviders(
    providersOfEveryMode(`http://127.0.0.1:${(provider.address() as AddressInfo).port}`),
  );
  const api = new ApiCaller(server);
  await api.send('POST /integrations', { body: { provider: 'own-none', unique_key: 'own-none' } });
  await importConnection(server, {
    provider_config_key: 'own-none',
    connection_id: 'c',
    credentials: { type: 'NONE' },
  });
});
afterAll(async () => {
  await server?.stop();
  provider?.closeAllConnections();
  provider?.close();
});
afterEach(() => {
  serve = (_, response) => response.end();
});

/** A call whose response is not read yet. */
function open(method: string, content?: Buffer): Promise<IncomingMessage> {
  const { hostname, port } = new URL(server.url);
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${server.secretKey}`,
      'provider-config-key': 'own-none',
      'connection-id': 'c',
      ...(content ? { 'content-type': 'application/octet-stream', 'content-length': content.length } : {}),
    };
    sendHttp({ hostname, port, method, path: '/proxy/big', headers }, resolve).on('error', reject).end(content);
  });
}

/** Resident memory of the server, in megabytes. */
async function residentMb(): Promise<number> {
  const status = await readFile(`/proc/${server.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

/** A page of the dashboard of that process, signed in with a link of the command line. */
const signIn = (): Promise<DashboardClient> => DashboardClient.signInByLink(server);

/** Writes `count` megabytes, as fast as the reader accepts them. */
function pour(target: NodeJS.WritableStream, count: number, onEnd: () => void): void {
  let left = count;
  const more = (): void => {
    while (left > 0) {
      left -= 1;
      if (!target.write(CHUNK)) {
        target.once('drain', more);
        return;
      }
    }
    onEnd();
  };
  more();
}

describe('downloads through the proxy', () => {
  it.skipIf(process.platform !== 'linux')(
    'stream: 200 MB pass without staying in memory',
    { tags: ['slow'] },
    async () => {
      serve = (_, response) => pour(response, DOWNLOAD_MB, () => response.end());
      const before = await residentMb();
      let highest = before;
      let size = 0;

      const response = await open('GET');
      for await (const chunk of response as AsyncIterable<Buffer>) {
        size += chunk.length;
        if (size % (8 * MB) < chunk.length) highest = Math.max(highest, await residentMb());
      }

      expect(size).toBe(DOWNLOAD_MB * MB);
      expect(highest - before).toBeLessThan(MAX_HELD_MB);
    },
  );

  it.skipIf(process.platform !== 'linux')(
    'stream while they are recorded, of which the beginning is kept',
    { tags: ['slow'] },
    async () => {
      const dashboard = await signIn();
      await dashboard.call('PUT /api/v1/traffic-recording', { body: { isOn: true, mostMegabytes: 10 } });
      serve = (_, response) => pour(response, DOWNLOAD_MB, () => response.end());
      const before = await residentMb();
      let highest = before;
      let size = 0;

      for await (const chunk of (await open('GET')) as AsyncIterable<Buffer>) {
        size += chunk.length;
        if (size % (8 * MB) < chunk.length) highest = Math.max(highest, await residentMb());
      }

      expect(size).toBe(DOWNLOAD_MB * MB);
      expect(highest - before).toBeLessThan(MAX_HELD_MB);
      const { data: operations } = await dashboard.call('GET /api/v1/logs/operations', { query: { types: 'proxy' } });
      const operationId = operations[0]?.id ?? '';
      const query = { operationId };
      const { data: messages } = await dashboard.call('GET /api/v1/logs/messages', { query });
      const key = 'GET /api/v1/logs/operations/:operationId/recordings/:recordingId';
      const params = { operationId, recordingId: messages[0]?.recordingId ?? '' };
      await waitFor(async () => (await dashboard.send(key, { params })).status === 200, { what: 'the recording' });
      const { response } = await dashboard.call(key, { params });
      expect(response).toMatchObject({ sizeBytes: DOWNLOAD_MB * MB, isCut: true });
      expect(response?.text).toHaveLength(256_000);
      await dashboard.call('PUT /api/v1/traffic-recording', { body: { isOn: false, mostMegabytes: 10 } });
    },
  );

  it('wait for a slow reader', async () => {
    let written = 0;
    serve = (_, response) =>
      pour(Object.assign(response, { write: countWrites(response, (size) => (written += size)) }), 300, () =>
        response.end(),
      );

    const response = await open('GET');
    const before = await settled(() => written);

    // The sockets of the two hops buffer up to 37 MB each where the kernel allows it (tcp_rmem and tcp_wmem).
    expect(before).toBeLessThan(120 * MB);
    response.destroy();
  });

  it('decode while they stream', async () => {
    serve = (_, response) => {
      response.setHeader('content-encoding', 'gzip');
      const zip = createGzip();
      zip.pipe(response);
      pour(zip, 20, () => zip.end());
    };
    let size = 0;

    for await (const chunk of (await open('GET')) as AsyncIterable<Buffer>) size += chunk.length;

    expect(size).toBe(20 * MB);
  });

  it('begin before the provider has ended', async () => {
    let end: (() => void) | undefined;
    serve = (_, response) => {
      response.write('first');
      end = () => response.end('last');
    };

    const response = await open('GET');
    const [first] = (await new Promise<Buffer[]>((resolve) =>
      response.once('data', (chunk: Buffer) => resolve([chunk])),
    )) as [Buffer];
    expect(first.toString()).toBe('first');
    end?.();
    const rest: Buffer[] = [];
    for await (const chunk of response as AsyncIterable<Buffer>) rest.push(chunk);

    expect(Buffer.concat(rest).toString()).toBe('last');
  });

  it('are cut at the provider when the caller goes', async () => {
    let isCut = false;
    serve = (_, response) => {
      response.once('close', () => (isCut = !response.writableFinished));
      response.write('begin');
    };

    const response = await open('GET');
    response.destroy();

    await waitFor(() => isCut, { what: 'the end of the provider request' });
  });

  it('are cut at the caller when the provider breaks off', async () => {
    serve = (_, response) => {
      response.write('begin', () => response.destroy());
    };

    const response = await open('GET');
    const outcome = await new Promise((resolve) => {
      response.on('data', () => {
        // Read until it breaks off.
      });
      response.on('end', () => resolve('ended'));
      response.on('error', () => resolve('broken'));
    });

    expect(outcome).toBe('broken');
    expect((await fetch(`${server.url}/health`)).status).toBe(200);
  });

  it('a request that waits for its answer is cut when the caller goes', async () => {
    let isCut = false;
    let hasArrived = false;
    serve = (_, response) => {
      hasArrived = true;
      response.once('close', () => (isCut = true));
    };
    const { hostname, port } = new URL(server.url);
    const headers = {
      authorization: `Bearer ${server.secretKey}`,
      'provider-config-key': 'own-none',
      'connection-id': 'c',
    };
    const request = sendHttp({ hostname, port, path: '/proxy/big', headers }).on('error', () => {
      // The test destroys it on purpose.
    });
    request.end();

    await waitFor(() => hasArrived, { what: 'the provider request' });
    request.destroy();

    await waitFor(() => isCut, { what: 'the end of the provider request' });
  });
});

describe('uploads through the proxy', () => {
  it('arrive byte for byte', async () => {
    const content = Buffer.alloc(30 * MB);
    for (let at = 0; at < content.length; at += 1) content[at] = (at * 31 + (at >> 8)) & 0xff;
    serve = (request, response) => {
      const hash = createHash('sha256');
      request.on('data', (chunk: Buffer) => hash.update(chunk));
      request.on('end', () => response.end(hash.digest('hex')));
    };

    const response = await open('POST', content);
    const chunks: Buffer[] = [];
    for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);

    expect(Buffer.concat(chunks).toString()).toBe(createHash('sha256').update(content).digest('hex'));
  });
});

function countWrites(response: ServerResponse, count: (size: number) => void): ServerResponse['write'] {
  const write = response.write.bind(response) as (chunk: Buffer) => boolean;
  return ((chunk: Buffer) => {
    count(chunk.length);
    return write(chunk);
  }) as ServerResponse['write'];
}

/** The value once it no longer grows. */
async function settled(read: () => number): Promise<number> {
  let last = -1;
  let same = 0;
  await waitFor(
    () => {
      same = read() === last && last > 0 ? same + 1 : 0;
      last = read();
      return same >= 10;
    },
    { what: 'a standstill' },
  );
  return last;
}
