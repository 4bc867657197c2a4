import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { expect, it } from 'vitest';
import { importPracticeConnection } from '../../support/import-practice-connection.ts';
import { runCli } from '../../support/run-cli.ts';
import { saveFunction } from '../../support/server-workspace.ts';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { createTempHome } from '../../support/temp-home.ts';
import { waitFor } from '../../support/wait-for.ts';
import { DashboardClient } from '../dashboard/dashboard-client.ts';
import { action } from './agent-fixture.ts';
import { signInWith, type Transport } from './oauth-client.ts';

const MOST_SECONDS = 180;

it.skipIf(process.platform !== 'linux').each(['session', 'sign-in'] as const)(
  'takes less than three minutes from an empty folder to the first successful call of an agent, with %s',
  async (access) => {
    const begun = performance.now();
    const person = await createTempHome();
    const hub = await startInProcess();
    let client: Client | undefined;
    try {
      await importPracticeConnection(hub);
      const source = action({
        endpoint: "{ method: 'GET', path: '/x/me' }",
        description: 'Who am I',
        body: "return (await nango.get({ endpoint: '/v1/me', retries: 0 })).data;",
      });
      await saveFunction(hub.workspace, 'practice/actions/who-am-i.ts', source);
      // Not by searches: the same call again and again is asked about.
      const config = { headers: { authorization: `Bearer ${hub.secretKey}` } };
      await waitFor(
        async () => (await (await fetch(`${hub.url}/scripts/config`, config)).text()).includes('"who-am-i"'),
        { what: 'the function' },
      );
      const args = ['agents', 'add', 'cursor', '--access', access, '--auto-confirm'];
      const own = access === 'session' ? ['--connection', 'me'] : [];
      const run = await runCli([...args, ...own], { cwd: person.path, home: hub.home, env: { HOME: person.path } });
      expect([run.status, run.errors]).toEqual([0, expect.any(String)]);

      // As the program reads it.
      const { mcpServers } = JSON.parse(await readFile(join(person.path, '.cursor/mcp.json'), 'utf8'));
      const connected = await connect(hub, access, mcpServers.homeport);
      client = connected;
      const found = await connected.callTool({ name: 'nango_tool_search', arguments: { queries: ['who am I'] } });
      expect(JSON.stringify(found.content)).toContain('practice__who-am-i');
      const result = await connected.callTool({
        name: 'nango_execute',
        arguments: { tool: 'practice__who-am-i', input: {} },
      });
      expect(result.isError, JSON.stringify(result.content)).not.toBe(true);
      expect(result.content).toMatchObject([{ type: 'text', text: expect.stringContaining('"login"') }]);
    } finally {
      await client?.close();
      await hub.stop();
      await person.remove();
    }
    const seconds = (performance.now() - begun) / 1000;
    process.stdout.write(`first call of an agent with ${access} after ${seconds.toFixed(1)} s\n`);
    expect(seconds).toBeLessThan(MOST_SECONDS);
  },
);

/** The program connects with its entry; to sign in, the person allows it on the page that opens. */
async function connect(
  hub: InProcessServer,
  access: 'session' | 'sign-in',
  { headers = {}, url }: { url: string; headers?: Record<string, string> },
): Promise<Client> {
  const name = 'first-call';
  if (access === 'sign-in') {
    const dashboard = await DashboardClient.signIn({ url: hub.url, signIn: hub });
    const connection = { integrationKey: 'practice', connectionId: 'me', tools: null };
    return (await signInWith(new URL(url), { name, dashboard, connection })).client;
  }
  const client = new Client({ name, version: '1' });
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
  await client.connect(transport as Transport);
  return client;
}
