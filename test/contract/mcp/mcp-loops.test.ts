import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { waitFor } from '../../support/wait-for.ts';
import { type CallResult, choose, connectAsking, type Person, type Revision, type Shown } from './mcp-clients.ts';
import { failure, type McpFixture, startMcpFixture } from './mcp-fixture.ts';

let hub: McpFixture;
beforeAll(async () => {
  hub = await startMcpFixture();
});
afterAll(() => hub?.stop());

const textOf = ({ content }: CallResult): string => content.map(({ text }) => text).join();
const ROW = 'The same call came 5 times in a row.';

async function connect(revision: Revision, person: Person) {
  const { secret } = await hub.createKey(`Loop ${crypto.randomUUID()}`);
  const headers = { authorization: `Bearer ${secret}`, 'provider-config-key': 'practice', 'connection-id': 'me' };
  const client = await connectAsking(revision, { url: `${hub.server.url}/mcp`, headers, person });
  onTestFinished(() => client.close());
  return client;
}

describe('a client in a loop', () => {
  it.each(['2025-11-25', '2026-07-28'] as const)(
    'of revision %s: its person is asked, also about a tool that only reads',
    async (revision) => {
      const shown: Shown[] = [];
      const client = await connect(revision, async (question, signal) => {
        shown.push(question);
        return await choose(shown.length === 1 ? 'Allow once' : 'Allow for this session')(question, signal);
      });

      for (let count = 0; count < 4; count += 1) await client.call('read-me');
      expect(shown).toEqual([]);
      for (let count = 0; count < 4; count += 1)
        expect(await client.call('read-me')).not.toHaveProperty('isError', true);

      expect(shown).toHaveLength(2);
      expect(shown[0]?.message).toContain(ROW);
      const field = Object.values(shown[0]?.requestedSchema.properties ?? {})[0];
      expect(JSON.stringify(field)).not.toContain('allow-always');
      for (let count = 0; count < 5; count += 1) await client.call('only-reads');
      expect(shown).toHaveLength(3);
    },
  );

  it('is told what happened and what else to try when nobody answers', async () => {
    const client = await hub.connect((await hub.createKey('Alone')).secret);
    for (let count = 0; count < 4; count += 1) await client.callTool({ name: 'read-me', arguments: {} });
    const call = client.callTool({ name: 'read-me', arguments: {} });
    expect((await hub.question()).reasons).toEqual([ROW]);

    hub.expire();

    const text = await failure(call);
    expect(text).toContain('did not answer within 55 s');
    expect(text).toContain('The same call came 5 times in a row');
    expect(text).toContain('use the result that you have');
  });

  it('is noticed when it writes the same arguments differently, and not when it does something else between', async () => {
    const shown: Shown[] = [];
    const client = await connect('2025-11-25', async (question, signal) => {
      shown.push(question);
      return await choose('Allow for this session')(question, signal);
    });
    const notes = [
      { text: 'milk', tags: [] },
      { tags: [], text: ' milk' },
    ];
    await client.call('write-note', notes[0]);
    expect(shown).toHaveLength(1);

    for (let count = 1; count < 4; count += 1) await client.call('write-note', notes[count % 2]);
    await client.call('read-me');
    for (let count = 0; count < 4; count += 1) await client.call('write-note', notes[count % 2]);
    expect(shown).toHaveLength(1);
    expect(textOf(await client.call('write-note', notes[1]))).toContain('milk');
    expect(shown).toHaveLength(2);
    expect(shown[1]?.message).toContain(ROW);
  });
});

describe('a client with a key beyond its limits', () => {
  it.each([
    [{ calls: 1 }, 'read-me', 'call_limit_reached'],
    [{ calls_per_minute: 1 }, 'read-me', 'call_rate_reached'],
    [{ writes: 0 }, 'write-note', 'call_limit_reached'],
  ])('with %j is in the log, once a minute', async (limits, tool, code) => {
    const name = `Limited ${crypto.randomUUID()}`;
    const { id, secret } = await hub.createKey(name);
    await hub.api.send('PUT /environment/limits', { body: { kind: 'key', id: String(id), limits } });
    const client = await hub.connect(secret);
    await client.callTool({ name: 'read-me', arguments: {} });
    const args = tool === 'write-note' ? { text: 'milk' } : {};
    for (let count = 0; count < 3; count += 1)
      expect(await failure(client.callTool({ name: tool, arguments: args }))).toContain(code);

    const own = await waitFor(
      async () => {
        const { data } = await hub.dashboard.call('GET /api/v1/mcp/calls');
        const calls = data.filter((one) => one.clientName === name);
        return calls.length > 1 && calls;
      },
      { what: 'both calls' },
    );
    expect(own.map(({ error, state, tool: called }) => [called, state, error])).toEqual([
      [tool, 'cancelled', expect.stringContaining('The API key may')],
      ['read-me', 'success', null],
    ]);
  });
});
