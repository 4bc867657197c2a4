import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AgentFixture, startAgentFixture } from './agent-fixture.ts';
import { ADDRESSES, type Reach, reachAll } from './mcp-addresses.ts';

const BOTH = 'application/json, text/event-stream';
const NEWEST = '2026-07-28';
const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const META = {
  'io.modelcontextprotocol/protocolVersion': NEWEST,
  'io.modelcontextprotocol/clientInfo': { name: 'edges', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const LIST_2026 = { ...LIST, params: { _meta: META } };

let fixture: AgentFixture;
let reach: Record<(typeof ADDRESSES)[number], Reach>;

beforeAll(async () => {
  fixture = await startAgentFixture();
  reach = await reachAll(fixture);
});
afterAll(() => fixture?.stop());

interface Answer {
  status: number;
  allow: string | null;
  cors: string | null;
  // Answers of any shape: each test asserts the members it needs.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  body: any;
}

describe.each(ADDRESSES)('%s', (address) => {
  const send = async (body: unknown, headers: Record<string, string> = {}, method = 'POST'): Promise<Answer> => {
    const own = reach[address];
    const response = await fetch(own.url, {
      method,
      headers: { accept: BOTH, 'content-type': 'application/json', ...own.headers, ...headers },
      ...(method === 'POST' ? { body: typeof body === 'string' ? body : JSON.stringify(body) } : {}),
    });
    const text = await response.text();
    const { headers: received, status } = response;
    const isJson = received.get('content-type')?.includes('json') ?? false;
    return {
      status,
      allow: received.get('allow'),
      cors: received.get('access-control-allow-origin'),
      body: isJson ? JSON.parse(text) : text,
    };
  };
  const newest = { 'mcp-protocol-version': NEWEST, 'mcp-method': 'tools/list' };

  it.each(['GET', 'DELETE'])('refuses %s, as the protocol asks', async (method) => {
    const error = { code: -32000, message: expect.any(String) };
    expect(await send(undefined, {}, method)).toMatchObject({
      status: 405,
      allow: 'POST',
      body: { jsonrpc: '2.0', error, id: null },
    });
  });

  it.each([
    ['text that is no JSON', '{"jsonrpc":', -32700],
    ['JSON that is no message', '{"hello":1}', -32600],
    ['a number', '7', -32600],
    ['an empty batch', '[]', -32600],
  ])('refuses %s', async (_what, text, code) => {
    expect(await send(text)).toMatchObject({ status: 400, body: { jsonrpc: '2.0', error: { code }, id: null } });
  });

  it.each(['2025-06-18', '2025-11-25'])('refuses a batch in revision %s', async (revision) => {
    const answer = await send([LIST, { ...LIST, id: 2 }], { 'mcp-protocol-version': revision });
    expect(answer).toMatchObject({ status: 400, body: { error: { code: -32600 } } });
  });

  it.each(['application/json', 'text/event-stream', 'text/html', `${BOTH};q=0`])(
    'answers 406 to Accept: %s',
    async (accept) => {
      expect((await send(LIST, { accept })).status).toBe(406);
    },
  );

  it.each([
    '*/*',
    'text/event-stream, application/json',
    'application/*, text/*',
    'Application/JSON;q=0.1, TEXT/event-stream',
  ])('answers 200 to Accept: %s', async (accept) => {
    expect((await send(LIST, { accept })).status).toBe(200);
  });

  it('refuses a body of another type', async () => {
    expect((await send(JSON.stringify(LIST), { 'content-type': 'text/plain' })).status).toBe(415);
  });

  it.each(['null', 'https://elsewhere.example', 'http://127.0.0.1:1'])(
    'refuses pages of the origin %s',
    async (origin) => {
      expect(await send(LIST, { origin })).toMatchObject({ status: 403, cors: null });
    },
  );

  it('refuses a revision that nobody serves, and names those that it serves', async () => {
    const { body, status } = await send(LIST, { 'mcp-protocol-version': '2031-01-01' });
    expect(status).toBe(400);
    expect(body.error.data.supported).toEqual(expect.arrayContaining([NEWEST, '2025-11-25', '2025-06-18']));
  });

  it('refuses a header of 2026-07-28 that disagrees with the body', async () => {
    const other = await send(LIST_2026, { ...newest, 'mcp-protocol-version': '2025-11-25' });
    expect(other.status).toBe(400);
    expect(other.body.error.data.supported).toContain(NEWEST);
    expect((await send(LIST_2026, { ...newest, 'mcp-method': 'tools/call' })).status).toBe(400);
    const call = { ...LIST, method: 'tools/call', params: { name: 'one', arguments: {}, _meta: META } };
    expect((await send(call, { ...newest, 'mcp-method': 'tools/call', 'mcp-name': 'two' })).status).toBe(400);
  });

  it('says in 2026-07-28 how long a client may keep the list, and who else may', async () => {
    const { body, status } = await send(LIST_2026, newest);
    expect(status).toBe(200);
    expect(body.result).toMatchObject({ ttlMs: expect.any(Number), cacheScope: 'private' });
    expect(body.result.tools.length).toBeGreaterThan(0);
  });
});
