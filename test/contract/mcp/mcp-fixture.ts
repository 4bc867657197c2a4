import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { ApprovalRow } from '../../../server/mcp/dashboard-mcp.contract.ts';
import { importConnection, importPracticeConnection } from '../../support/import-practice-connection.ts';
import { QuestionClock } from '../../support/question-clock.ts';
import { saveFunction } from '../../support/server-workspace.ts';
import { type InProcessOptions, type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { waitFor } from '../../support/wait-for.ts';
import { DashboardClient } from '../dashboard/dashboard-client.ts';
import { ApiCaller } from '../http/api-caller.ts';

export interface McpFixture {
  server: InProcessServer;
  api: ApiCaller;
  dashboard: DashboardClient;
  /** Creates an API key with the scopes; returns its secret. */
  createKey(name: string, scopes?: string[]): Promise<{ id: number; secret: string }>;
  /** The official client for a connection of `practice`; closed by `stop`. */
  connect(secret: string, connectionId?: string): Promise<Client>;
  /** The only question that waits for a decision. */
  question(): Promise<ApprovalRow>;
  decide(decision: string): Promise<void>;
  /** Lets the time limit of waiting questions pass. */
  expire(): void;
  /** Ends every question: one that a failed test left would be answered in place of the next one. */
  endQuestions(): Promise<void>;
  stop(): Promise<void>;
}

/** Text of a call that must fail. */
export async function failure(call: Promise<unknown>): Promise<string> {
  const { content, isError } = (await call) as { content: { text: string }[]; isError?: boolean };
  if (!isError) throw new Error(`it succeeded: ${JSON.stringify(content)}`);
  return content.map(({ text }) => text).join();
}

const FUNCTIONS = {
  'read-me': action({ endpoint: "{ method: 'GET', path: '/practice/me' }", input: 'z.void()' }),
  'write-note': action({
    endpoint: "{ method: 'POST', path: '/practice/notes' }",
    input: 'z.object({ text: z.string(), tags: z.array(z.object({ name: z.string() })).optional() })',
  }),
  'delete-note': action({
    endpoint: "{ method: 'DELETE', path: '/practice/notes' }",
    input: 'z.object({ id: z.string() })',
  }),
  undeclared: action({ input: 'z.object({})' }),
  'only-reads': action({ input: 'z.void()' }).replace("version: '1.0.0',", "version: '1.0.0',\n  readOnly: true,"),
  listed: action({ input: 'z.array(z.string())' }),
  refuses: action({ endpoint: "{ method: 'GET', path: '/practice/refuses' }", input: 'z.void()' }).replace(
    'return input ?? null;',
    "throw new nango.ActionError({ reason: 'no' });",
  ),
};

function action({ endpoint, input }: { endpoint?: string; input: string }): string {
  return `import { createAction } from 'homeport';
import * as z from 'zod';

export default createAction({
  description: 'Does it',
  version: '1.0.0',
  ${endpoint === undefined ? '' : `endpoint: ${endpoint},`}
  input: ${input},
  output: z.any(),
  exec: async (nango, input) => {
    return input ?? null;
  },
});
`;
}

/** A hub with the integration `practice`, its connections `me` and `other`, and tools of every kind. */
export async function startMcpFixture(options: Pick<InProcessOptions, 'env' | 'logger'> = {}): Promise<McpFixture> {
  const clock = new QuestionClock();
  const server = await startInProcess({ ...options, clock });
  const api = new ApiCaller(server);
  const clients: Client[] = [];
  await importPracticeConnection(server);
  await importConnection(server, { provider_config_key: 'practice', connection_id: 'other' });
  const names = Object.keys(FUNCTIONS);
  for (const [name, source] of Object.entries(FUNCTIONS))
    await saveFunction(server.workspace, `practice/actions/${name}.ts`, source);
  await waitFor(
    async () => {
      const { bytes } = await api.send('GET /scripts/config');
      return names.every((name) => bytes.toString().includes(`"name":"${name}"`));
    },
    { what: 'the tools' },
  );
  const dashboard = await DashboardClient.signInByLink(server);

  const question = async (): Promise<ApprovalRow> => {
    let rows: ApprovalRow[] = [];
    const hasOne = async (): Promise<boolean> => {
      rows = (await dashboard.call('GET /api/v1/mcp/approvals')).data;
      return rows.length > 0;
    };
    await waitFor(hasOne, { what: 'a question' });
    return rows[0] as ApprovalRow;
  };

  return {
    server,
    api,
    dashboard,
    createKey: async (display_name, scopes = ['environment:mcp']) => {
      const { body } = await api.send('POST /environment/api-keys', { body: { display_name, scopes } });
      return (body as { data: { id: number; secret: string } }).data;
    },
    connect: async (secret, connectionId = 'me') => {
      const client = new Client({ name: 'test', version: '1' });
      const headers = {
        authorization: `Bearer ${secret}`,
        'provider-config-key': 'practice',
        'connection-id': connectionId,
      };
      const transport = new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { requestInit: { headers } });
      await client.connect(transport as Parameters<typeof client.connect>[0]);
      clients.push(client);
      return client;
    },
    question,
    decide: async (decision) => {
      const { id } = await question();
      await dashboard.call('POST /api/v1/mcp/approvals/:approvalId', {
        params: { approvalId: id },
        body: { decision },
      });
    },
    expire: () => clock.expire(),
    endQuestions: async () => {
      clock.expire();
      await waitFor(async () => (await dashboard.call('GET /api/v1/mcp/approvals')).data.length === 0, {
        what: 'the end of every question',
      });
    },
    stop: async () => {
      for (const client of clients) await client.close();
      await server.stop();
    },
  };
}
