import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { AuthorizationCaller } from '../../support/authorization-caller.ts';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { waitFor } from '../../support/wait-for.ts';

/** The most sockets that the hub accepts at the same time. */
const LIMIT = 1000;
const LIMIT_PER_ORIGIN = 50;
const HANDSHAKE = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
};

let server: InProcessServer;
let caller: AuthorizationCaller;

beforeAll(async () => {
  server = await startInProcess();
  caller = new AuthorizationCaller(server);
});
afterAll(() => server?.stop());

/** The status of the response to a handshake; 101 when it is accepted. */
function shakeHands(path: string, headers: Record<string, string> = {}): Promise<number> {
  const { hostname, port } = new URL(server.url);
  return new Promise((resolve, reject) => {
    const asked = request({ hostname, port, path, headers: { ...HANDSHAKE, ...headers } });
    asked.on('upgrade', (response, socket) => {
      socket.destroy();
      resolve(response.statusCode ?? 0);
    });
    asked.on('response', (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    asked.on('error', reject);
    asked.end();
  });
}

const refusedStart = (page: { id: string }): Promise<Response> =>
  fetch(`${server.url}/oauth/connect/nowhere?ws_client_id=${page.id}`);

describe('the socket of a page that waits', () => {
  it('gets its id at once, and every outcome once', async () => {
    const page = await caller.openPage();
    expect(page.ack).toEqual({
      message_type: 'connection_ack',
      ws_client_id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
    });
    const other = await caller.openPage();
    expect(other.id).not.toBe(page.id);

    await refusedStart(page);
    await refusedStart(page);
    await refusedStart(other);

    expect(await page.next()).toMatchObject({ message_type: 'error', error_type: 'missing_public_key' });
    expect(await other.next()).toMatchObject({ message_type: 'error' });
    const nothing = Symbol('nothing');
    const again = await Promise.race([page.next(), fetch(`${server.url}/health`).then(() => nothing)]);
    expect(again).toBe(nothing);
    page.close();
    other.close();
  });

  it('may be gone when the message come', async () => {
    const page = await caller.openPage();
    page.close();

    expect((await refusedStart(page)).status).toBe(401);
    expect((await refusedStart({ id: 'unknown' })).status).toBe(401);
  });

  it.each(['127.0.0.1', 'localhost', '[::1]', 'LOCALHOST'])('is served to the name %s', async (name) => {
    expect(await shakeHands('/', { host: `${name}:${new URL(server.url).port}` })).toBe(101);
    expect(await shakeHands('/?x=y', { host: name })).toBe(101);
  });

  it.each<[string, string, Record<string, string>]>([
    ['another path', '/socket', {}],
    ['a path of the API', '/connections', {}],
    ['a path that looks like it', '//', {}],
    ['a foreign name', '/', { host: 'evil.test' }],
    ['a name that begins like ours', '/', { host: 'localhost.evil.test' }],
    ['a tunnel', '/', { host: 'localhost', 'x-forwarded-for': '203.0.113.1' }],
    ['a tunnel of another kind', '/', { host: 'localhost', forwarded: 'for=203.0.113.1' }],
    ['a tunnel that names the host', '/', { host: 'localhost', 'x-forwarded-host': 'hub.example.test' }],
    ['the public name', '/', { host: 'hub.example.test' }],
  ])('is not served to %s', async (_what, path, headers) => {
    if (headers['host'] === 'hub.example.test') await setPublicUrl('https://hub.example.test');

    expect(await shakeHands(path, headers)).toBe(404);
  });

  it('takes no more than it must', async () => {
    const { hostname, port } = new URL(server.url);
    const socket = new WebSocket(`ws://${hostname}:${port}/`);
    await once(socket, 'message');
    socket.send('a page sends nothing, this is ignored');
    socket.send('x'.repeat(2000));

    const [code] = (await once(socket, 'close')) as [number];

    expect([1006, 1009]).toContain(code);
  });

  it('survives a handshake that breaks off', async () => {
    const { hostname, port } = new URL(server.url);
    for (const text of [
      'GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
      'GET /x HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
    ]) {
      const raw = connect(Number(port), hostname);
      raw.on('error', () => {
        // The other side closed it, as expected.
      });
      raw.write(text);
      raw.resetAndDestroy();
      await once(raw, 'close');
    }

    expect(await shakeHands('/')).toBe(101);
  });

  it('is one of fifty at most for the pages of one origin', async () => {
    const { hostname, port } = new URL(server.url);
    const open = (origin: string) => new WebSocket(`ws://${hostname}:${port}/`, { origin });
    const sockets = Array.from({ length: LIMIT_PER_ORIGIN }, () => open('https://one.test'));
    await Promise.all(sockets.map((socket) => once(socket, 'message')));

    expect(await shakeHands('/', { origin: 'https://one.test' })).toBe(503);
    expect(await shakeHands('/', { origin: 'https://other.test' })).toBe(101);
    expect(await shakeHands('/')).toBe(101);
    sockets[0]?.terminate();
    await waitFor(async () => (await shakeHands('/', { origin: 'https://one.test' })) === 101, { what: 'a free slot' });
    for (const socket of sockets) socket.terminate();
  });

  it('is one of a thousand at most, and free again when one leaves', async () => {
    const { hostname, port } = new URL(server.url);
    const sockets = Array.from({ length: LIMIT }, () => new WebSocket(`ws://${hostname}:${port}/`));
    await Promise.all(sockets.map((socket) => once(socket, 'message')));

    expect(await shakeHands('/')).toBe(503);
    expect((await fetch(`${server.url}/health`)).status).toBe(200);
    for (const socket of sockets) socket.terminate();

    await waitFor(async () => (await shakeHands('/')) === 101, { what: 'a free place' });
  });
});

describe('another protocol that is offered on the side', () => {
  it('changes no answer: clients of HTTP/2 ask this way', async () => {
    const h2c = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAMAAABkAAQAoAAAAAIAAAAA' };

    expect(await shakeHands('/health', h2c)).toBe(200);
    expect(await shakeHands('/connections', h2c)).toBe(401);
  });
});

async function setPublicUrl(public_url: string): Promise<void> {
  const response = await fetch(`${server.url}/environment/settings`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${server.secretKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ public_url }),
  });
  if (response.status !== 200) throw new Error(await response.text());
}
