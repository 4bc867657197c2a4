import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { oneAtATime } from '../../../server/platform/http/one-at-a-time.ts';
import { RawConnection } from '../../support/raw-http.ts';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { waitFor } from '../../support/wait-for.ts';

let server: InProcessServer;
beforeAll(async () => {
  server = await startInProcess();
});
afterAll(() => server.stop());

const call = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${server.url}${path}`, { headers: { authorization: `Bearer ${server.secretKey}`, ...headers } });

describe('A connection with many requests at once', () => {
  it('gets no second answer made before it has read the first, and then all in their order', async () => {
    const handled: string[] = [];
    const http = createServer(
      oneAtATime((request, response) => {
        handled.push(request.url ?? '');
        response.end('x'.repeat(20_000_000));
      }),
    ).listen(0, '127.0.0.1');
    await once(http, 'listening');
    const socket = connect((http.address() as AddressInfo).port, '127.0.0.1');
    try {
      socket.pause();
      socket.write(['/1', '/2', '/3'].map((path) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`).join(''));
      await waitFor(async () => handled.length > 0, { what: 'the first request' });
      // Another connection is served meanwhile, with the same answer.
      const other = await fetch(`http://127.0.0.1:${(http.address() as AddressInfo).port}/other`);
      expect((await other.text()).length).toBe(20_000_000);
      expect(handled).toEqual(['/1', '/other']);

      socket.resume();
      await waitFor(async () => handled.length === 4, { what: 'the other requests' });
      expect(handled).toEqual(['/1', '/other', '/2', '/3']);
    } finally {
      socket.destroy();
      http.closeAllConnections();
      http.close();
    }
  });

  it('is answered completely by the hub', async () => {
    const connection = await RawConnection.open(server);
    connection.write('GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(3));
    let text = '';
    connection.socket.on('data', (part: string) => {
      text += part;
    });
    await waitFor(async () => text.split('{"result":"ok"}').length === 4, { what: 'three answers' });
    connection.socket.destroy();
  });
});

describe('A large answer', () => {
  it.each(['/providers', '/providers.json', '/openapi.json', '/providers?search=practice'])(
    'has an ETag at %s, and is not sent again to a caller that has it',
    async (path) => {
      const first = await call(path);
      const etag = first.headers.get('etag') ?? '';
      const text = await first.text();
      const [again, known, weak] = await Promise.all([
        call(path),
        call(path, { 'if-none-match': etag }),
        call(path, { 'if-none-match': `"other", W/${etag}` }),
      ]);

      expect(etag).toMatch(/^"[\w-]{20,}"$/);
      expect(await again.text()).toBe(text);
      expect([known.status, weak.status]).toEqual([304, 304]);
      expect(await known.text()).toBe('');
    },
  );
});
