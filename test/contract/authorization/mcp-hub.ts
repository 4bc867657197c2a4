import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { FakeProvider, type ScriptedResponse } from '../../support/fake-provider.ts';
import { MovableClock } from '../../support/movable-clock.ts';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { waitFor } from '../../support/wait-for.ts';
import { ApiCaller } from '../http/api-caller.ts';

/** A hub whose end users authorize at MCP servers on this computer. */
export interface McpHub {
  readonly server: InProcessServer;
  readonly api: ApiCaller;
  readonly clock: MovableClock;
  /** The callback address of the hub. */
  readonly callbackUrl: string;
  /** Replaces the list of private hosts that are allowed. */
  allow(...hosts: string[]): Promise<void>;
  /** Writes the workspace's catalogue and waits until it holds `provider`. */
  define(provider: string, entry: Record<string, unknown>): Promise<void>;
  addIntegration(body: Record<string, unknown>): Promise<void>;
  /** Starts an authorization; returns the provider's address, or the error. */
  start(key: string, query?: Record<string, string>): Promise<{ to?: URL; refusal?: string; message?: string }>;
  /** Returns from the provider; resolves to the connection's id, or to the text of the failure page. */
  finish(callback: URL): Promise<{ status: number; text: string }>;
  /** The newest connection of the integration, as the API returns it. */
  connection(key: string, query?: string): Promise<McpConnection>;
  stop(): Promise<void>;
}

export interface McpConnection {
  connection_id: string;
  connection_config: Record<string, string>;
  credentials: { access_token: string; refresh_token?: string; config_override?: Record<string, string> };
}

export async function startMcpHub(): Promise<McpHub> {
  const clock = new MovableClock();
  const server = await startInProcess({ clock });
  const api = new ApiCaller(server);
  const entries: Record<string, unknown> = {};

  const start: McpHub['start'] = async (key, query = {}) => {
    const session = await api.send('POST /connect/sessions', { body: { end_user: { id: 'u1' } } });
    const { token } = (session.body as { data: { token: string } }).data;
    const search = new URLSearchParams({ connect_session_token: token, ...query });
    const response = await api.send(`GET /oauth/connect/${key}?${search}`, { headers: { accept: 'application/json' } });
    const { error } = (response.body ?? {}) as { error?: { code: string; message: string } };
    if (response.status !== 302) return { refusal: `${response.status} ${error?.code}`, message: error?.message ?? '' };
    return { to: new URL(String(response.headers.location)) };
  };

  return {
    server,
    api,
    clock,
    callbackUrl: `http://localhost:${new URL(server.url).port}/oauth/callback`,
    allow: async (...hosts) => {
      const { status } = await api.send('PATCH /environment/settings', { body: { allowed_hosts: hosts } });
      if (status !== 200) throw new Error(`the hosts were refused: ${status}`);
    },
    define: async (provider, entry) => {
      entries[provider] = { display_name: provider, docs: 'https://example.test', auth_mode: 'MCP_OAUTH2', ...entry };
      const path = join(server.workspace, 'providers.yaml');
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, JSON.stringify(entries));
      const known = async () => (await api.send(`GET /providers/${provider}`)).status === 200;
      await waitFor(known, { what: `the provider ${provider}` });
    },
    addIntegration: async (body) => {
      const { status, body: response } = await api.send('POST /integrations', { body });
      if (status !== 200) throw new Error(`the integration was refused: ${JSON.stringify(response)}`);
    },
    start,
    finish: async (callback) => {
      const page = await fetch(callback);
      return { status: page.status, text: await page.text() };
    },
    connection: async (key, query = '') => {
      const list = await api.send('GET /connections');
      const own = (
        list.body as { connections: Array<{ id: number; connection_id: string; provider_config_key: string }> }
      ).connections
        .filter((one) => one.provider_config_key === key)
        .sort((a, b) => b.id - a.id);
      const path = `/connections/${own[0]?.connection_id}?provider_config_key=${key}&refresh_token=true${query}`;
      const { body } = await api.send(`GET ${path}`);
      return body as McpConnection;
    },
    stop: () => server.stop(),
  };
}

const DESCRIPTION = '/.well-known/oauth-protected-resource/mcp';

/** An MCP server at `/mcp` that requires tokens of an authorization server. `description` adds to its metadata. */
export async function startMcpServer(issuer: string, description: Record<string, unknown> = {}): Promise<FakeProvider> {
  const server = await FakeProvider.start();
  const resource = `${server.address}/mcp`;
  const document: ScriptedResponse = { body: { resource, authorization_servers: [issuer], ...description } };
  return server
    .on('POST /mcp', {
      status: 401,
      headers: { 'www-authenticate': `Bearer resource_metadata="${server.address}${DESCRIPTION}"` },
    })
    .on(`GET ${DESCRIPTION}`, document);
}

/** The metadata of an authorization server; `changes` replace members, undefined removes them. */
export function serverMetadata(issuer: string, changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    registration_endpoint: `${issuer}/register`,
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
    ...changes,
  };
}
