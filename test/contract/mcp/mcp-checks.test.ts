import { afterAll, beforeAll, expect, it } from 'vitest';
import { saveFunction } from '../../support/server-workspace.ts';
import { waitFor } from '../../support/wait-for.ts';
import { connectAsking, REVISIONS } from './mcp-clients.ts';
import { failure, type McpFixture, startMcpFixture } from './mcp-fixture.ts';

const SOURCE = `import { createAction } from 'homeport';
import * as z from 'zod';

export default createAction({
  description: 'Gives a note',
  version: '1.0.0',
  endpoint: { method: 'GET', path: '/practice/note' },
  input: z.object({ kind: z.string(), at: z.object({ line: z.number() }).optional() }),
  output: z.object({ id: z.number(), due: z.iso.datetime({ offset: true }).optional() }),
  exec: async (nango, input) => {
    if (input.kind === 'fits') return { id: 1, due: '2026-01-02T03:04:05+02:00' };
    if (input.kind === 'list') return [1] as any;
    return { id: 'seven', extra: true } as any;
  },
});
`;

let hub: McpFixture;
let headers: Record<string, string>;

beforeAll(async () => {
  hub = await startMcpFixture();
  await saveFunction(hub.server.workspace, 'practice/actions/give-note.ts', SOURCE);
  await waitFor(
    async () => (await hub.api.send('GET /scripts/config')).bytes.toString().includes('"name":"give-note"'),
    { what: 'the tool' },
  );
  const { secret } = await hub.createKey('Agent');
  headers = { authorization: `Bearer ${secret}`, 'provider-config-key': 'practice', 'connection-id': 'me' };
});
afterAll(() => hub?.stop());

it.each(REVISIONS)('an official client gets every output, also one that breaks its schema: %s', async (revision) => {
  const client = await connectAsking(revision, { url: `${hub.server.url}/mcp`, headers });
  try {
    // From now on it knows the schemas and checks results.
    const { tools } = await client.listTools();
    expect(tools.find(({ name }) => name === 'give-note')).toMatchObject({ outputSchema: { type: 'object' } });

    const fits = await client.call('give-note', { kind: 'fits' });
    expect(fits.isError ?? false).toBe(false);
    expect(fits.structuredContent).toEqual({ id: 1, due: '2026-01-02T03:04:05+02:00' });

    const breaks = await client.call('give-note', { kind: 'breaks' });
    expect(breaks).toMatchObject({ isError: true });
    expect(breaks).not.toHaveProperty('structuredContent');
    expect(breaks.content[0]?.text).toMatch(/ran, but its output does not fit the schema .*id must be number/);
    expect(JSON.parse(breaks.content[1]?.text ?? '')).toEqual({ id: 'seven', extra: true });

    const list = await client.call('give-note', { kind: 'list' });
    expect(list).toMatchObject({ isError: true });
    expect(JSON.parse(list.content[1]?.text ?? '')).toEqual([1]);
  } finally {
    await client.close();
  }
});

it('wrong input names its fields, and nobody is asked about it', async () => {
  const client = await hub.connect((await hub.createKey('Careless')).secret);

  const read = await failure(client.callTool({ name: 'give-note', arguments: { kind: 5, at: { line: 'x' } } }));
  expect(read).toMatch(/^kind: /m);
  expect(read).toMatch(/^at\.line: /m);
  expect(read).toContain('change the input');
  const write = await failure(client.callTool({ name: 'write-note', arguments: {} }));
  expect(write).toMatch(/^text: /m);
});
