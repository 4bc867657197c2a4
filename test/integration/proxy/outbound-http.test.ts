import { randomBytes } from 'node:crypto';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Readable } from 'node:stream';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { discardBody, readAnnounced, readBody } from '../../../server/platform/lib/outbound-exchange.ts';
import {
  OutboundHttp,
  type OutboundHttpOptions,
  type OutboundResponse,
} from '../../../server/platform/lib/outbound-http.ts';

const LIMIT = 1_000_000;
const cleanups: Array<() => Promise<unknown>> = [];

async function serve(listener: RequestListener): Promise<{ port: number; server: Server }> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(
    () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  );
  return { port: (server.address() as AddressInfo).port, server };
}

function createHttp(options: Partial<OutboundHttpOptions> = {}): OutboundHttp {
  const http = new OutboundHttp({ ownPort: () => undefined, ...options });
  cleanups.push(() => http.stop());
  return http;
}

/** Resolves every name to these addresses. */
function resolveTo(...responses: string[][]): NonNullable<OutboundHttpOptions['resolveHost']> {
  let calls = 0;
  return (_hostname, _options, callback) => {
    const addresses = responses[Math.min(calls++, responses.length - 1)] ?? [];
    callback(
      null,
      addresses.map((address) => ({ address, family: 4 })),
    );
  };
}

const local = { allowedHosts: ['127.0.0.1'] };

afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

describe('OutboundHttp', () => {
  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['Deflate', deflateRawSync],
    ['x-gzip', (text: string) => Buffer.concat([gzipSync(text.slice(0, 2)), gzipSync(text.slice(2))])],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
  ])('decodes %s', async (encoding, compress) => {
    const { port } = await serve((_request, response) =>
      response.writeHead(200, { 'content-encoding': encoding }).end(compress('hello')),
    );

    const response = await createHttp().request({ method: 'GET', url: `http://127.0.0.1:${port}/`, ...local });

    expect((await readBody(response.body, LIMIT)).toString()).toBe('hello');
    expect(response.headers).not.toHaveProperty('content-encoding');
    expect(response.headers).not.toHaveProperty('content-length');
  });

  it('decodes two encodings in reverse, and asks for none when the body must stay encoded', async () => {
    const body = gzipSync(brotliCompressSync('hello'));
    const { port } = await serve((request, response) => {
      response
        .writeHead(200, {
          'content-encoding': 'br, gzip',
          'x-accepted': request.headers['accept-encoding'] ?? 'nothing',
        })
        .end(body);
    });
    const http = createHttp();
    const url = `http://127.0.0.1:${port}/`;

    const decoded = await http.request({ method: 'GET', url, ...local });
    const raw = await http.request({ method: 'GET', url, decompress: false, ...local });

    expect((await readBody(decoded.body, LIMIT)).toString()).toBe('hello');
    expect(raw.headers).toMatchObject({ 'content-encoding': 'br, gzip', 'x-accepted': 'nothing' });
    expect((await readBody(raw.body, LIMIT)).equals(body)).toBe(true);
  });

  describe('of an encoded body', () => {
    const plain = randomBytes(200_000);
    const half = plain.length / 2;
    const parts = [plain.subarray(0, half), plain.subarray(half)] as const;
    /** Sends the bytes in pieces whose borders are not those of members, frames or characters. */
    const get = async (encoding: string | string[], bytes: Buffer): Promise<OutboundResponse> => {
      const { port } = await serve((_request, response) => {
        response.setHeader('content-encoding', encoding);
        for (let at = 0; at < bytes.length; at += 7_777) response.write(bytes.subarray(at, at + 7_777));
        response.end();
      });
      return createHttp().request({ method: 'GET', url: `http://127.0.0.1:${port}/`, ...local });
    };

    it.each([
      ['gzip', gzipSync],
      ['zstd', zstdCompressSync],
    ])('reads all members of %s', async (encoding, compress) => {
      const bytes = Buffer.concat([...parts.map((part) => compress(part)), compress('')]);
      expect((await readBody((await get(encoding, bytes)).body, LIMIT)).equals(plain)).toBe(true);
    });

    it.each([
      ['gzip', gzipSync],
      ['deflate', deflateSync],
      ['deflate', deflateRawSync],
      ['br', brotliCompressSync],
      ['zstd', zstdCompressSync],
    ])('reads what there is of a %s body that was cut short, and of an empty one', async (encoding, compress) => {
      const whole = compress(plain);
      const read = await readBody((await get(encoding, whole.subarray(0, whole.length / 2))).body, LIMIT);
      expect(read.length).toBeGreaterThan(plain.length / 3);
      expect(read.equals(plain.subarray(0, read.length))).toBe(true);
      expect(await readBody((await get(encoding, Buffer.alloc(0))).body, LIMIT)).toHaveLength(0);
    });

    it.each([
      [' GZip , Identity', gzipSync(plain)],
      ['deflate, gzip', gzipSync(deflateRawSync(plain))],
      ['br, zstd, gzip', gzipSync(zstdCompressSync(brotliCompressSync(plain)))],
      [['zstd', 'gzip'], gzipSync(zstdCompressSync(plain))],
    ])('undoes the encodings %j', async (encoding, bytes) => {
      const { headers, body } = await get(encoding, bytes);
      expect((await readBody(body, LIMIT)).equals(plain)).toBe(true);
      expect(headers).not.toHaveProperty('content-encoding');
    });

    it.each(['gzip, gzip, gzip, gzip', 'gzip, unknown'])(
      'passes %s on as it came, with its header',
      async (encoding) => {
        const bytes = gzipSync(plain);
        const { headers, body } = await get(encoding, bytes);
        expect(headers['content-encoding']).toBe(encoding);
        expect((await readBody(body, LIMIT)).equals(bytes)).toBe(true);
      },
    );

    it.each(['gzip', 'deflate', 'br', 'zstd'])('ends with an error where a %s body is none', async (encoding) => {
      const { body } = await get(encoding, Buffer.from('this is plain text, not compressed'));
      await expect(readBody(body, LIMIT)).rejects.toThrow();
    });

    it.each([
      ['gzip', gzipSync],
      ['zstd', zstdCompressSync],
    ])('stops with its reader in the middle of %s', async (encoding, compress) => {
      const { body } = await get(encoding, Buffer.concat([compress(plain), compress(plain)]));
      for await (const _ of body) break;
      expect(body.destroyed).toBe(true);
    });
  });

  it('follows five redirects and not a sixth', async () => {
    const { port } = await serve((request, response) => {
      const left = Number(request.url?.slice(1));
      if (left === 0) response.end('there');
      else response.writeHead(302, { location: `/${left - 1}` }).end('moved');
    });
    const http = createHttp();

    const response = await http.request({ method: 'GET', url: `http://127.0.0.1:${port}/5`, ...local });

    expect((await readBody(response.body, LIMIT)).toString()).toBe('there');
    await expect(http.request({ method: 'GET', url: `http://127.0.0.1:${port}/6`, ...local })).rejects.toMatchObject({
      code: 'ERR_TOO_MANY_REDIRECTS',
    });
  });

  it.each([
    ['zlib', deflateSync],
    ['bare', deflateRawSync],
  ])(
    'decodes a large %s deflate body that arrives byte by byte at first, and stops with its reader',
    async (_, compress) => {
      const plain = randomBytes(300_000);
      const bytes = compress(plain);
      const { port } = await serve((_request, response) => {
        response.writeHead(200, { 'content-encoding': 'deflate' });
        response.write(bytes.subarray(0, 1));
        response.write(bytes.subarray(1, 2));
        response.end(bytes.subarray(2));
      });
      const http = createHttp();
      const get = () => http.request({ method: 'GET', url: `http://127.0.0.1:${port}/`, ...local });

      expect(await readBody((await get()).body, LIMIT)).toEqual(plain);
      await discardBody((await get()).body);
    },
  );

  it('asks for plain bytes with a range, and does not decode a part', async () => {
    const bytes = gzipSync('hello '.repeat(100));
    const { port } = await serve((request, response) => {
      const part = request.headers['range'] !== undefined;
      response.writeHead(part ? 206 : 200, {
        'content-encoding': 'gzip',
        'x-accepted': request.headers['accept-encoding'],
        ...(part ? { 'content-range': `bytes 10-19/${bytes.length}` } : {}),
      });
      response.end(part ? bytes.subarray(10, 20) : bytes);
    });
    const url = `http://127.0.0.1:${port}/`;
    const response = await createHttp().request({ method: 'GET', url, headers: { range: 'bytes=10-19' }, ...local });

    expect(response.headers).toMatchObject({ 'x-accepted': 'identity', 'content-encoding': 'gzip' });
    expect(await readBody(response.body, LIMIT)).toEqual(bytes.subarray(10, 20));
  });

  it.each([
    ['several ranges', { range: 'bytes=0-1,5-6' }],
    ['If-Range', { range: 'bytes=0-1', 'if-range': '"v1"' }],
  ])('passes a part on as it came: %s', async (_, headers) => {
    const part = ['--x', 'content-range: bytes 0-1/9', '', 'ab', '--x--', ''].join('\r\n');
    const seen: Array<Record<string, unknown>> = [];
    const { port } = await serve((request, response) => {
      seen.push(request.headers);
      const isOld = request.headers['if-range'] === '"v0"';
      if (isOld) response.writeHead(200, { etag: '"v1"', 'content-encoding': 'gzip' }).end(gzipSync('whole'));
      else response.writeHead(206, { etag: '"v1"', 'content-type': 'multipart/byteranges; boundary=x' }).end(part);
    });
    const url = `http://127.0.0.1:${port}/`;
    const answer = await createHttp().request({ method: 'GET', url, headers, ...local });

    expect(answer.status).toBe(206);
    expect(answer.headers['content-type']).toBe('multipart/byteranges; boundary=x');
    expect((await readBody(answer.body, LIMIT)).toString()).toBe(part);
    // What changed meanwhile comes whole, and is decoded like every whole body.
    const old = { ...headers, 'if-range': '"v0"' };
    const whole = await createHttp().request({ method: 'GET', url, headers: old, ...local });
    expect([whole.status, (await readBody(whole.body, LIMIT)).toString()]).toEqual([200, 'whole']);
    expect(seen).toEqual([
      expect.objectContaining({ ...headers, 'accept-encoding': 'identity' }),
      expect.objectContaining({ ...old, 'accept-encoding': 'identity' }),
    ]);
  });

  it('does not take credentials along to another host', async () => {
    const seen: Array<Record<string, unknown>> = [];
    const second = await serve((request, response) => {
      seen.push(request.headers);
      response.end();
    });
    const first = await serve((_request, response) =>
      response.writeHead(307, { location: `http://127.0.0.1:${second.port}/` }).end(),
    );
    const request = {
      method: 'GET',
      url: `http://127.0.0.1:${first.port}/`,
      headers: { authorization: 'Bearer s', 'x-api-key': 's', accept: 'a/b' },
      sensitiveHeaders: ['x-api-key'],
      ...local,
    };

    await readBody((await createHttp().request(request)).body, LIMIT);
    await readBody((await createHttp().request({ ...request, forwardHeadersOnRedirect: true })).body, LIMIT);
    const elsewhere = { ...request, forwardHeadersOnRedirect: true, keepsHeadersAt: () => false };
    await readBody((await createHttp().request(elsewhere)).body, LIMIT);

    expect(seen[2]).not.toHaveProperty('authorization');
    expect(seen[0]).toMatchObject({ accept: 'a/b' });
    expect(seen[0]).not.toHaveProperty('authorization');
    expect(seen[0]).not.toHaveProperty('x-api-key');
    expect(seen[1]).toMatchObject({ authorization: 'Bearer s', 'x-api-key': 's' });
  });

  it.each([
    'http://127.0.0.1/',
    'http://localhost/',
    'http://[::1]/',
    'http://0x7f.1/',
    'http://169.254.169.254/',
    'http://metadata.google.internal/',
    'file:///etc/passwd',
  ])('refuses %s', async (url) => {
    await expect(createHttp().request({ method: 'GET', url })).rejects.toMatchObject({
      code: 'ERR_ADDRESS_REFUSED',
      hop: 0,
    });
  });

  it('refuses a public name that leads to a private address, also among public ones', async () => {
    const { port } = await serve((_request, response) => response.end('secret'));
    const url = `http://rebind.acme.test:${port}/`;

    await expect(
      createHttp({ resolveHost: resolveTo(['127.0.0.1']) }).request({ method: 'GET', url }),
    ).rejects.toMatchObject({ code: 'ERR_ADDRESS_REFUSED' });
    await expect(
      createHttp({ resolveHost: resolveTo(['8.8.8.8', '10.0.0.1']) }).request({ method: 'GET', url }),
    ).rejects.toMatchObject({ code: 'ERR_ADDRESS_REFUSED' });
  });

  it('checks the address that is dialled: there is one look-up per connection', async () => {
    let lookups = 0;
    const { port } = await serve((_request, response) => response.end('ok'));
    const resolveHost: OutboundHttpOptions['resolveHost'] = (_hostname, _options, callback) => {
      lookups++;
      callback(null, [{ address: '127.0.0.1', family: 4 }]);
    };
    const http = createHttp({ resolveHost });

    const response = await http.request({
      method: 'GET',
      url: `http://own.acme.test:${port}/`,
      allowedHosts: ['own.acme.test'],
    });
    await readBody(response.body, LIMIT);

    expect(lookups).toBe(1);
  });

  it('does not lend a connection opened under a permission to a request without it', async () => {
    const { port } = await serve((_request, response) => response.end('ok'));
    const http = createHttp({ resolveHost: resolveTo(['127.0.0.1']) });
    const url = `http://own.acme.test:${port}/`;

    await readBody((await http.request({ method: 'GET', url, allowedHosts: ['own.acme.test'] })).body, LIMIT);

    await expect(http.request({ method: 'GET', url })).rejects.toMatchObject({ code: 'ERR_ADDRESS_REFUSED' });
  });

  it('refuses a redirect to a private address and says on which hop', async () => {
    const { port } = await serve((_request, response) =>
      response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end(),
    );

    await expect(
      createHttp().request({ method: 'GET', url: `http://127.0.0.1:${port}/`, ...local }),
    ).rejects.toMatchObject({ code: 'ERR_ADDRESS_REFUSED', hop: 1 });
  });

  it('never reaches the hub itself, with any setting and under any name', async () => {
    const { port } = await serve((_request, response) => response.end('hub'));
    const http = createHttp({ ownPort: () => port, resolveHost: resolveTo(['127.0.0.1']) });

    for (const host of ['127.0.0.1', 'localhost', 'hub.acme.test', '[::1]', '0.0.0.0']) {
      await expect(
        http.request({ method: 'GET', url: `http://${host}:${port}/`, allowedHosts: 'all' }),
      ).rejects.toMatchObject({ code: 'ERR_ADDRESS_REFUSED' });
    }
  });

  it('allows a host on one port only when the permission names the port', async () => {
    const { port } = await serve((_request, response) => response.end('ok'));
    const http = createHttp();

    await expect(
      http.request({ method: 'GET', url: `http://127.0.0.1:${port}/`, allowedHosts: [`127.0.0.1:${port + 1}`] }),
    ).rejects.toMatchObject({ code: 'ERR_ADDRESS_REFUSED' });
    expect(
      (await http.request({ method: 'GET', url: `http://127.0.0.1:${port}/`, allowedHosts: [`127.0.0.1:${port}`] }))
        .status,
    ).toBe(200);
  });

  it('hands the body on while it arrives', async () => {
    let finish = (): void => {};
    const { port } = await serve((_request, response) => {
      response.write('first');
      finish = () => response.end('second');
    });

    const { body } = await createHttp().request({ method: 'GET', url: `http://127.0.0.1:${port}/`, ...local });
    const chunks = body[Symbol.asyncIterator]();

    expect(String((await chunks.next()).value)).toBe('first');
    finish();
    expect(String((await chunks.next()).value)).toBe('second');
  });

  it('names network failures', async () => {
    const { port, server } = await serve((request) => request.socket.destroy());
    const http = createHttp();
    const url = `http://127.0.0.1:${port}/`;

    await expect(http.request({ method: 'GET', url, ...local })).rejects.toMatchObject({
      code: 'ECONNRESET',
      isTransient: true,
    });
    await new Promise((resolve) => server.close(resolve));
    await expect(http.request({ method: 'GET', url, ...local })).rejects.toMatchObject({
      code: 'ECONNREFUSED',
      isTransient: true,
    });
    await expect(
      createHttp({
        resolveHost: (_h, _o, done) => done(Object.assign(new Error(), { code: 'EAI_AGAIN' }), []),
      }).request({ method: 'GET', url: 'http://a.acme.test/' }),
    ).rejects.toMatchObject({ code: 'EAI_AGAIN', isTransient: true });
  });

  it('stops at once when the caller aborts, before and during the body', async () => {
    const controller = new AbortController();
    const { port } = await serve((request, response) => {
      if (request.url === '/silent') controller.abort();
      else response.write('part');
    });
    const http = createHttp();

    await expect(
      http.request({ method: 'GET', url: `http://127.0.0.1:${port}/silent`, signal: controller.signal, ...local }),
    ).rejects.toMatchObject({ code: 'ERR_CANCELED', isTransient: false });
    const second = new AbortController();
    const response = await http.request({
      method: 'GET',
      url: `http://127.0.0.1:${port}/`,
      signal: second.signal,
      ...local,
    });
    second.abort();
    await expect(readBody(response.body, LIMIT)).rejects.toMatchObject({ code: 'ERR_CANCELED' });
  });

  it.each([
    ['broken chunks', 'transfer-encoding: chunked\r\n\r\nZZ\r\n', 'ERR_BAD_RESPONSE'],
    ['a body that is no gzip', 'content-encoding: gzip\r\ncontent-length: 4\r\n\r\nabcd', 'ERR_BAD_RESPONSE'],
    ['a body that is too short', 'content-length: 9\r\n\r\nabcd', 'ECONNRESET'],
  ])('gives %s a code', async (_what, rest, code) => {
    const { port } = await serve((request) => request.socket.end(`HTTP/1.1 200 OK\r\n${rest}`));
    const response = await createHttp().request({
      method: 'GET',
      url: `http://127.0.0.1:${port}/`,
      ...local,
    });

    await expect(readBody(response.body, LIMIT)).rejects.toMatchObject({
      name: 'OutboundError',
      code,
    });
  });

  it('stops at once when the caller aborts while a connection is made', async () => {
    const controller = new AbortController();
    const http = createHttp({ resolveHost: () => controller.abort() });

    await expect(
      http.request({ method: 'GET', url: 'http://never.test/', signal: controller.signal, allowedHosts: 'all' }),
    ).rejects.toMatchObject({ code: 'ERR_CANCELED' });
  });

  it('keeps a body until somebody reads it', async () => {
    const sent = randomBytes(400_000);
    const { port } = await serve((_request, response) => response.end(sent));
    const http = createHttp();

    const [first, second] = await Promise.all(
      ['/one', '/two'].map((path) => http.request({ method: 'GET', url: `http://127.0.0.1:${port}${path}`, ...local })),
    );

    expect((await readBody(second?.body as Readable, LIMIT)).equals(sent)).toBe(true);
    expect((await readAnnounced(first?.body as Readable)).equals(sent)).toBe(true);
  });

  it('tells of a body that broke before anybody read it', async () => {
    const { port } = await serve((_request, response) => {
      response.writeHead(200, { 'content-length': '5000' }).write('hello');
      setImmediate(() => response.destroy());
    });
    const http = createHttp();

    for (const read of [(body: Readable) => readBody(body, LIMIT), readAnnounced]) {
      const { body } = await http.request({ method: 'GET', url: `http://127.0.0.1:${port}/`, ...local });
      await new Promise((resolve) => body.once('close', resolve));
      await expect(read(body)).rejects.toMatchObject({ code: 'ECONNRESET' });
    }
  });

  it('ends the decoders when the caller aborts', async () => {
    const begin = gzipSync(randomBytes(100_000)).subarray(0, 60_000);
    const { port } = await serve((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip, gzip' }).write(begin);
    });
    const controller = new AbortController();
    const url = `http://127.0.0.1:${port}/`;
    const { body } = await createHttp().request({
      method: 'GET',
      url,
      signal: controller.signal,
      ...local,
    });
    const failure = new Promise((resolve) => body.once('error', resolve));

    controller.abort();

    await failure;
    expect(body.destroyed).toBe(true);
    // zlib's handle is closed, not only the stream around it.
    expect((body as unknown as { _handle: unknown })._handle).toBeNull();
  });

  it('passes a body on undecoded that is encoded more than three times', async () => {
    const { port } = await serve((_request, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip, gzip, gzip, gzip' }).end('as it is'),
    );

    const response = await createHttp().request({
      method: 'GET',
      url: `http://127.0.0.1:${port}/`,
      ...local,
    });

    expect(response.headers['content-encoding']).toBe('gzip, gzip, gzip, gzip');
    expect((await readBody(response.body, LIMIT)).toString()).toBe('as it is');
  });

  it('asks for no encoding with HEAD, whose length is that of the plain body', async () => {
    const { port } = await serve((request, response) =>
      response
        .writeHead(200, {
          'content-length': request.headers['accept-encoding'] ? '5' : '9',
        })
        .end(),
    );

    const response = await createHttp().request({
      method: 'HEAD',
      url: `http://127.0.0.1:${port}/`,
      ...local,
    });

    expect(response.headers['content-length']).toBe('9');
    await discardBody(response.body);
  });

  it('does not read a body past its limit', async () => {
    const { port } = await serve((_request, response) => response.end(Buffer.alloc(5_000)));
    const response = await createHttp().request({ method: 'GET', url: `http://127.0.0.1:${port}/`, ...local });

    await expect(readBody(response.body, 4_999)).rejects.toMatchObject({ code: 'ERR_RESPONSE_TOO_LARGE' });
  });

  it('sends the path byte for byte on request', async () => {
    let seen = '';
    const { port } = await serve((request, response) => {
      seen = request.url ?? '';
      response.end();
    });
    const rawPath = "/a/../b%2Fc?q='x'&f[]=1";

    await createHttp().request({ method: 'GET', url: `http://127.0.0.1:${port}/`, rawPath, ...local });

    expect(seen).toBe(rawPath);
  });
});
