import { importConnection } from '../../support/import-practice-connection.ts';
import { saveFunction } from '../../support/server-workspace.ts';
import { type InProcessOptions, type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { waitFor } from '../../support/wait-for.ts';
import { DashboardClient } from '../dashboard/dashboard-client.ts';
import { ApiCaller } from '../http/api-caller.ts';

/** Data of a created session. */
export interface Created {
  session_id: string;
  session_token: string;
  mcp_url: string;
  expires_at: string;
  toolset: Record<string, { connected: boolean; tools_pinned: number; tools_searchable: number }>;
  meta_tools: Record<string, boolean>;
}

export interface CreationError {
  status: number;
  code: string;
  payload: unknown;
}

export interface AgentFixture {
  server: InProcessServer;
  api: ApiCaller;
  signIn(): Promise<DashboardClient>;
  /** A key of the environment; returns its id and secret. */
  createKey(body: { name: string; scopes?: string[]; allowed?: unknown[] }): Promise<{ id: number; secret: string }>;
  create(body: unknown, secret?: string): Promise<Created>;
  /** The refusal of a creation. */
  refusal(body: unknown, secret?: string): Promise<CreationError>;
  stop(): Promise<void>;
}

export function action(options: {
  endpoint?: string;
  input?: string;
  output?: string;
  description?: string;
  body?: string;
}): string {
  const {
    body = 'return input ?? null;',
    description = 'Does it',
    endpoint,
    input = 'z.void()',
    output = 'z.any()',
  } = options;
  return `import { createAction } from 'homeport';
import * as z from 'zod';

export default createAction({
  description: ${JSON.stringify(description)},
  version: '1.0.0',
  ${endpoint === undefined ? '' : `endpoint: ${endpoint},`}
  input: ${input},
  output: ${output},
  exec: async (nango, input) => {
    ${body}
  },
});
`;
}

const SYNC = `import { createSync } from 'homeport';
import * as z from 'zod';
export default createSync({
  description: 'Issues', version: '1.0.0', frequency: 'every hour', autoStart: false, syncType: 'full',
  models: { Thing: z.object({ id: z.string() }) },
  exec: async () => {},
});
`;

const READ = "{ method: 'GET', path: '/x/read' }";

/**
 * A hub with three integrations on the practice provider. `notes`: read-note, write-note, delete-note and the sync
 * fetch-notes, connections ada-notes and bob-notes. `mail`: send-mail, connection ada-mail. `empty`: nothing.
 */
export async function startAgentFixture(
  options: Pick<InProcessOptions, 'clock' | 'env' | 'resources'> = {},
): Promise<AgentFixture> {
  const server = await startInProcess({ hasExamples: false, ...options });
  const api = new ApiCaller(server);
  for (const unique_key of ['notes', 'mail', 'empty'])
    await api.send('POST /integrations', { body: { provider: 'practice', unique_key } });
  const connect = async (integration: string, connection_id: string, tags: Record<string, string>): Promise<void> => {
    const { status } = await importConnection(server, { provider_config_key: integration, connection_id, tags });
    if (status !== 201) throw new Error(`import answered ${status}`);
  };
  await connect('notes', 'ada-notes', { user: 'ada', team: 'red' });
  await connect('notes', 'bob-notes', { user: 'bob', team: 'red' });
  await connect('mail', 'ada-mail', { user: 'ada', team: 'red' });
  const files: Record<string, string> = {
    'notes/actions/read-note.ts': action({ endpoint: READ, description: 'Reads a note by its id' }),
    'notes/actions/write-note.ts': action({
      endpoint: "{ method: 'POST', path: '/x/write' }",
      input: 'z.object({ text: z.string() })',
      description: 'Writes a note',
    }),
    'notes/actions/delete-note.ts': action({
      endpoint: "{ method: 'DELETE', path: '/x/delete' }",
      input: 'z.object({ id: z.string() })',
      description: 'Deletes a note',
    }),
    'notes/syncs/fetch-notes.ts': SYNC,
    'mail/actions/send-mail.ts': action({
      endpoint: "{ method: 'POST', path: '/x/send' }",
      input: 'z.object({ to: z.string(), subject: z.string() })',
      description: 'Sends an email message',
    }),
  };
  for (const [path, source] of Object.entries(files)) await saveFunction(server.workspace, path, source);
  const names = Object.keys(files).map((path) => path.replace(/.*\/(.*)\.ts$/, '$1'));
  await waitFor(
    async () => {
      const { bytes } = await api.send('GET /scripts/config');
      return names.every((name) => bytes.toString().includes(`"name":"${name}"`));
    },
    { what: 'the functions' },
  );
  const send = (body: unknown, secret = server.secretKey) =>
    api.send('POST /sessions', { body, headers: { authorization: `Bearer ${secret}` } });
  return {
    server,
    api,
    signIn: () => DashboardClient.signIn({ url: server.url, signIn: server }),
    createKey: async ({ allowed, name, scopes = ['environment:agent_sessions:write'] }) => {
      const dashboard = await DashboardClient.signIn({ url: server.url, signIn: server });
      const created = await dashboard.call('POST /api/v1/keys', {
        body: { name, scopes, ...(allowed === undefined ? {} : { allowed: allowed as never }) },
      });
      return { id: created.id, secret: created.secret };
    },
    create: async (body, secret) => {
      const { body: answer, status } = await send(body, secret);
      if (status !== 201) throw new Error(`POST /sessions answered ${status}: ${JSON.stringify(answer)}`);
      return (answer as { data: Created }).data;
    },
    refusal: async (body, secret) => {
      const { body: answer, status } = await send(body, secret);
      const { code, payload } = (answer as { error?: { code: string; payload: unknown } }).error ?? {
        code: '',
        payload: undefined,
      };
      return { status, code, payload };
    },
    stop: () => server.stop(),
  };
}
