import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, deflateRawSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importConnection } from '../../support/import-practice-connection.ts';
import type { InProcessServer } from '../../support/start-in-process.ts';
import { ApiCaller } from './api-caller.ts';
import { providersOfEveryMode, startWithProviders } from './workspace-providers.ts';

let provider: Server;
let serve: RequestListener = (_, response) => response.end();
let server: InProcessServer;

beforeAll(async () => {
  provider = createServer((incoming, response) => serve(incoming, response));
  provider.listen(0, '127.0.0.1');
  await once(provider, 'listening');
  server = await startWithProviders(
    providersOfEveryMode(`http://127.0.0.1:${(provider.address() as AddressInfo).port}`),
  );
  await new ApiCaller(server).send('POST /integrations', { body: { provider: 'own-none', unique_key: 'own-none' } });
  const connection = { provider_config_key: 'own-none', connection_id: 'c', credentials: { type: 'NONE' } };
  expect((await importConnection(server, connection)).status).toBe(201);
});
afterAll(async () => {
  await server?.stop();
  provider?.closeAllConnections();
  provider?.close();
});

interface Sent {
  method?: string;
  /** Alternating names and values. */
  headers?: string[];
  chunks?: Array<string | Buffer>;
  query?: string;
}

interface Answer {
  status: number;
  /** Alternating names and values, as they came. */
  raw: string[];
  bytes: Buffer;
  hasContinued: boolean;
}

async function call({ method = 'GET', headers = [], chunks = [], query = '' }: Sent = {}): Promise<Answer> {
  const own = ['authorization', `Bearer ${server.secretKey}`, 'provider-config-key', 'own-none', 'connection-id', 'c'];
  const all = ['host', new URL(server.url).host, ...own, ...headers];
  const outgoing = request(`${server.url}/proxy/x${query}`, { method, headers: all, agent: false });
  let hasContinued = false;
  if (headers.includes('100-continue')) {
    outgoing.flushHeaders();
    await once(outgoing, 'continue');
    hasContinued = true;
  }
  for (const chunk of chunks) outgoing.write(chunk);
  outgoing.end();
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  const received: Buffer[] = [];
  for await (const chunk of response as AsyncIterable<Buffer>) received.push(chunk);
  return { status: response.statusCode ?? 0, raw: response.rawHeaders, bytes: Buffer.concat(received), hasContinued };
}

const valuesOf = (name: string, raw: string[]): string[] =>
  raw.filter((_, at) => at % 2 === 1 && raw[at - 1]?.toLowerCase() === name);

const JSON_TYPE = 'application/json';
const utf16 = Buffer.from('\uFEFF{"a":"é"}', 'utf16le');
const BODIES: Array<[what: string, type: string, body: Buffer]> = [
  ['large and odd numbers', JSON_TYPE, Buffer.from('{"id":738529527931269425,"n":[1.0,1e400,-0,0.10,1E+2]}')],
  ['repeated names in their order', JSON_TYPE, Buffer.from('{ "b":1,\r\n"10":2,"2":3,"b":{"__proto__":4} }\n')],
  ['lone surrogates and separators', JSON_TYPE, Buffer.from('{"a":"\\ud800\\u0000\u2028"}')],
  ['a byte order mark', JSON_TYPE, Buffer.from('\uFEFF{"a":1}')],
  ['Latin-1', 'application/json; charset=iso-8859-1', Buffer.from('{"a":"é"}', 'latin1')],
  ['Shift JIS', 'text/csv; charset=Shift_JIS', Buffer.from('835c2c31', 'hex')],
  ['UTF-16', 'application/json; charset=utf-16', utf16],
  ['UTF-16 of the other order', 'text/plain; charset=utf-16be', Buffer.from(utf16).swap16()],
  ['text that is not UTF-8', 'text/plain; charset=utf-8', Buffer.from([0xff, 0xfe, 0x00, 0x80])],
  ['JSON that is none', JSON_TYPE, Buffer.from('{"a":')],
  ['a list of documents', 'application/x-ndjson', Buffer.from('{"a":1}\n{"a":2}\n')],
  ['a form with repeated names', 'application/x-www-form-urlencoded', Buffer.from('a=1&a=2&a[]=3&b&c=+%20%E9')],
  ['XML with its line ends', 'application/xml; charset="windows-1252"', Buffer.from('<a>\r\n\x80</a>', 'latin1')],
  ['bytes', 'application/octet-stream', Buffer.from(Array.from({ length: 256 }, (_, at) => at))],
  ['nothing', JSON_TYPE, Buffer.alloc(0)],
];

describe('a body through the proxy', () => {
  it.each(BODIES)('comes back as it came, in one piece, in chunks and encoded: %s', async (_what, type, body) => {
    const middle = Math.floor(body.length / 2);
    const ways: RequestListener[] = [
      (_, response) => response.setHeader('content-length', body.length).end(body),
      (_, response) => {
        response.write(body.subarray(0, middle));
        response.end(body.subarray(middle));
      },
      (_, response) => response.setHeader('content-encoding', 'gzip').end(gzipSync(body)),
      (_, response) => response.setHeader('content-encoding', 'deflate').end(deflateRawSync(body)),
      (_, response) => response.setHeader('content-encoding', 'gzip, br').end(brotliCompressSync(gzipSync(body))),
      (_, response) => response.setHeader('content-encoding', ['gzip', 'zstd']).end(zstdCompressSync(gzipSync(body))),
      (_, response) =>
        response.setHeader('content-encoding', 'GZIP').end(Buffer.concat([gzipSync(body), gzipSync('')])),
    ];
    for (const [at, way] of ways.entries()) {
      serve = (incoming, response) => {
        response.setHeader('content-type', type);
        way(incoming, response);
      };
      const { status, raw, bytes } = await call();

      expect([at, status, bytes.toString('hex')]).toEqual([at, 200, body.toString('hex')]);
      expect(valuesOf('content-type', raw)).toEqual([type]);
      expect(valuesOf('content-encoding', raw)).toEqual([]);
    }
  });

  it.each(BODIES)('arrives as it was sent, in one piece, in chunks and after a 100: %s', async (_what, type, body) => {
    const received: Array<{ headers: IncomingMessage['headers']; body: string }> = [];
    serve = async (incoming, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of incoming) chunks.push(chunk as Buffer);
      received.push({ headers: incoming.headers, body: Buffer.concat(chunks).toString('hex') });
      response.end();
    };
    const middle = Math.floor(body.length / 2);
    const length = ['content-type', type, 'content-length', String(body.length)];
    const chunked = ['content-type', type, 'transfer-encoding', 'chunked'];
    const parts = [body.subarray(0, middle), body.subarray(middle)].filter((part) => part.length > 0);
    for (const method of ['POST', 'PATCH']) {
      await call({ method, headers: length, chunks: [body] });
      await call({ method, headers: chunked, chunks: parts });
    }
    const { hasContinued } = await call({
      method: 'PUT',
      headers: [...length, 'expect', '100-continue'],
      chunks: [body],
    });

    expect(hasContinued).toBe(true);
    expect(received.map((one) => one.body)).toEqual(Array.from({ length: 5 }, () => body.toString('hex')));
    for (const { headers } of received) {
      if (body.length > 0) expect(headers['content-type']).toBe(type);
      expect([headers['content-length'], headers['transfer-encoding']]).toEqual([String(body.length), undefined]);
      expect(headers['expect']).toBeUndefined();
    }
  });
});

describe('an answer through the proxy', () => {
  const TEN = Buffer.from('0123456789');
  const zipped = gzipSync(TEN);

  it.each<[string, string[], number, Record<string, string>, Buffer]>([
    ['a range', ['nango-proxy-range', 'bytes=2-4'], 206, { 'content-range': 'bytes 2-4/10' }, TEN.subarray(2, 5)],
    [
      'a range of an encoded file',
      ['nango-proxy-range', 'bytes=2-9', 'nango-proxy-accept-encoding', 'gzip'],
      206,
      { 'content-range': `bytes 2-9/${zipped.length}`, 'content-encoding': 'gzip' },
      zipped.subarray(2, 10),
    ],
    [
      'a whole file, because the condition of the range failed',
      ['nango-proxy-range', 'bytes=2-4', 'nango-proxy-if-range', '"old"'],
      200,
      { etag: '"new"' },
      TEN,
    ],
    [
      'several ranges',
      ['nango-proxy-range', 'bytes=0-0,9-9'],
      206,
      { 'content-type': 'multipart/byteranges; boundary=b' },
      Buffer.from(
        '--b\r\nContent-Range: bytes 0-0/10\r\n\r\n0\r\n--b\r\nContent-Range: bytes 9-9/10\r\n\r\n9\r\n--b--',
      ),
    ],
    ['no such range', ['nango-proxy-range', 'bytes=20-'], 416, { 'content-range': 'bytes */10' }, Buffer.alloc(0)],
  ])('is %s', async (_what, headers, status, named, body) => {
    let asked: IncomingMessage['headers'] = {};
    serve = (incoming, response) => {
      asked = incoming.headers;
      response.writeHead(status, { ...named, 'accept-ranges': 'bytes', 'content-length': body.length }).end(body);
    };
    const answer = await call({ headers });

    expect([answer.status, answer.bytes.toString('latin1')]).toEqual([status, body.toString('latin1')]);
    for (const [name, value] of Object.entries(named))
      expect([name, ...valuesOf(name, answer.raw)]).toEqual([name, value]);
    expect(asked['range']).toBe(headers[1]);
    expect(asked['accept-encoding']).toBe(headers.includes('gzip') ? 'gzip' : 'identity');
  });

  it.each([204, 304])('with the status %i has its headers and no body', async (status) => {
    serve = (_, response) => response.writeHead(status, { etag: '"e"', 'x-two': ['1', '2'] }).end();
    const { raw, bytes, ...answer } = await call({ headers: ['nango-proxy-if-none-match', '"e"'] });

    expect([answer.status, bytes.length, valuesOf('etag', raw), valuesOf('x-two', raw)]).toEqual([
      status,
      0,
      ['"e"'],
      ['1', '2'],
    ]);
    expect(valuesOf('content-type', raw)).toEqual([]);
  });

  it('to HEAD has the length of the file and no body', async () => {
    serve = (_, response) => response.writeHead(200, { 'content-length': 1_234_567, 'accept-ranges': 'bytes' }).end();
    const { status, raw, bytes } = await call({ method: 'HEAD' });

    expect([status, bytes.length, valuesOf('content-length', raw), valuesOf('accept-ranges', raw)]).toEqual([
      200,
      0,
      ['1234567'],
      ['bytes'],
    ]);
  });

  it.each(['set-cookie', 'link', 'www-authenticate', 'warning', 'x-own', 'via'])(
    'keeps both lines of %s',
    async (name) => {
      serve = (_, response) => response.writeHead(401, { [name]: ['a; b="1, 2"', 'c'] }).end('no');

      expect(valuesOf(name, (await call()).raw)).toEqual(['a; b="1, 2"', 'c']);
    },
  );

  it('with a trailer and extensions of its chunks is whole', async () => {
    serve = (incoming) => {
      incoming.socket.end(
        'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ntrailer: x-sum\r\n\r\n3;a=b\r\nabc\r\n2\r\nde\r\n0\r\nx-sum: 1\r\n\r\n',
      );
    };
    const { raw, bytes } = await call();

    expect([bytes.toString(), valuesOf('trailer', raw)]).toEqual(['abcde', []]);
  });

  it('of unknown length ends with its connection', async () => {
    serve = (incoming) => void incoming.socket.end('HTTP/1.0 200 OK\r\ncontent-type: text/plain\r\n\r\nall of it');

    expect((await call()).bytes.toString()).toBe('all of it');
  });

  it('comes after the hints that precede it', async () => {
    serve = (_, response) => {
      response.writeEarlyHints({ link: '</a.css>; rel=preload' });
      response.writeProcessing();
      response.end('the answer');
    };

    expect((await call()).bytes.toString()).toBe('the answer');
  });
});

describe('the query through the proxy', () => {
  it.each([
    '?a=1&a=2&a=1',
    '?a[]=1&a[]=2&a[b]=c',
    '?empty=&none&=value',
    '?space=+&percent=%20&slash=%2F&plus=%2B',
    '?id=738529527931269425&n=1.0',
    '?latin=%E9&utf=%C3%A9',
    '?%24filter=a%20eq%20%27b%27&$top=1',
    '?q=a;b&c=%3B',
  ])('keeps its names, values and order: %s', async (query) => {
    let url = '';
    serve = (incoming, response) => {
      url = incoming.url ?? '';
      response.end();
    };
    await call({ query });

    expect(url).toBe(`/x${query}`);
  });

  it('keeps both lines of a header of the caller', async () => {
    let raw: string[] = [];
    serve = (incoming, response) => {
      raw = incoming.rawHeaders;
      response.end();
    };
    await call({ headers: ['nango-proxy-x-own', 'a', 'nango-proxy-x-own', 'b, c'] });

    expect(valuesOf('x-own', raw).join(', ')).toBe('a, b, c');
  });
});
