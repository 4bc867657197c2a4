import { afterAll, beforeAll, expect, it } from 'vitest';
import { importConnection } from '../../support/import-practice-connection.ts';
import { lookInto } from '../../support/look-into.ts';
import { waitFor } from '../../support/wait-for.ts';
import { type AgentFixture, startAgentFixture } from './agent-fixture.ts';

let hub: AgentFixture;
beforeAll(async () => {
  hub = await startAgentFixture();
});
afterAll(() => hub?.stop());

it('a session forgets the tags of a person whose connection was deleted, and of nobody else', async () => {
  const meta_tools = { nango_create_connection: true };
  const sessionOf = async (id: string): Promise<string> => {
    const end_user = { id };
    await importConnection(hub.server, { provider_config_key: 'notes', connection_id: id, end_user });
    const tenant = { connections: { any: [{ tags: { end_user_id: id } }] } };
    return (await hub.create({ tenant, meta_tools })).session_id;
  };
  const [frida, gerd] = [await sessionOf('frida-4711-x'), await sessionOf('gerd-0815-yy')];
  const isTagged = (id: string): Promise<boolean> =>
    lookInto(hub.server.home, async ({ reader }) => {
      const row = await reader.get<{ tags: string | null }>('SELECT tags FROM agent_sessions WHERE id = ?', [id]);
      return row?.tags !== null;
    });
  expect([await isTagged(frida), await isTagged(gerd)]).toEqual([true, true]);

  await hub.api.send('DELETE /connections/frida-4711-x?provider_config_key=notes');

  await waitFor(async () => !(await isTagged(frida)), { what: 'the tags to go' });
  expect(await isTagged(gerd)).toBe(true);
});
