import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { importConnection, officialClient, type PracticeConnection } from '../support/import-practice-connection.ts';
import { type StartedServer, type StartServerOptions, startServer } from '../support/start-server.ts';
import { createTempHome } from '../support/temp-home.ts';
import { waitFor } from '../support/wait-for.ts';
import { type BaselineServer, startBaseline } from './baseline-process.ts';
import type { Target } from './measure.ts';

export const BENCH_INTEGRATION = 'bench';
/** An integration of the same provider with OAuth 2, with one connection whose token is valid. */
export const BENCH_OAUTH = 'bench-oauth';

/**
 * The hub as a person has it (`npm run serve`, a data folder with the starter functions, type checks), with a provider
 * in another process, so that the provider's work does not count as the hub's.
 */
export interface BenchServer {
  server: StartedServer;
  upstream: BaselineServer;
  connection: PracticeConnection;
  /** A request to the hub with the key and the headers for the connection `one`. */
  target(path: string, body?: unknown, integration?: string): Target;
  /** Adds another connection of the same integration; `further` adds to the body of the import. */
  connect(connectionId: string, further?: Record<string, unknown>): Promise<PracticeConnection>;
  stop(): Promise<void>;
}

export async function startBenchServer(): Promise<BenchServer> {
  const upstream = await startBaseline('hello-server');
  const home = await createTempHome();
  const server = await startPersonsServer({ home: home.path, env: { HOMEPORT_TRUST_WORKSPACE: '1' } });
  const nango = officialClient(server);
  // A functions folder that exists before the first start would get no starter functions.
  await writeFile(join(server.workspace, 'providers.yaml'), providersFile(upstream.url));
  const isKnown = async (): Promise<boolean> =>
    (await nango.listProviders({ search: 'bench-upstream' })).data.some(({ name }) => name === 'bench-upstream');
  await waitFor(isKnown, { what: 'the provider' });
  await nango.createIntegration({ provider: 'bench-upstream', unique_key: BENCH_INTEGRATION });
  await nango.createIntegration({
    provider: 'bench-oauth',
    unique_key: BENCH_OAUTH,
    credentials: { type: 'OAUTH2', client_id: 'id', client_secret: 'secret', scopes: '' },
  });

  const connect: BenchServer['connect'] = async (connectionId, further) => {
    const response = await importConnection(server, {
      provider_config_key: BENCH_INTEGRATION,
      connection_id: connectionId,
      ...further,
    });
    if (response.status !== 201) throw new Error(`import answered ${response.status}: ${await response.text()}`);
    return { nango, integration: BENCH_INTEGRATION, connectionId };
  };
  await connect('one', {
    provider_config_key: BENCH_OAUTH,
    credentials: {
      type: 'OAUTH2',
      access_token: 'access',
      refresh_token: 'refresh',
      expires_at: new Date(Date.now() + 86_400_000).toISOString(),
    },
  });
  return {
    server,
    upstream,
    connection: await connect('one'),
    connect,
    target: (path, body, integration = BENCH_INTEGRATION) => targetOf(server, path, body, integration),
    stop: async () => {
      await server.stop();
      await upstream.stop();
      await home.remove();
    },
  };
}

/** `npm run serve` without npm: the launcher, the shipped examples, type checks. */
export function startPersonsServer(
  options: Pick<StartServerOptions, 'home' | 'env'> & { hasExamples?: boolean } = {},
): Promise<StartedServer> {
  const { env } = options;
  return startServer({ hasExamples: true, ...options, isServed: true, env: { HOMEPORT_TYPE_CHECK: '1', ...env } });
}

function targetOf(server: StartedServer, path: string, body: unknown, integration: string): Target {
  const headers = {
    authorization: `Bearer ${server.secretKey}`,
    'provider-config-key': integration,
    'connection-id': 'one',
  };
  if (body === undefined) return { url: server.url + path, headers };
  return {
    url: server.url + path,
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
}

function providersFile(address: string): string {
  return `bench-upstream:
  display_name: Bench upstream
  auth_mode: API_KEY
  docs: ${address}/
  webhook_routing_script: filloutWebhookRouting
  proxy:
    base_url: ${address}
    headers:
      authorization: Bearer \${apiKey}
  credentials:
    apiKey: { type: string, title: API key, description: Any text, secret: true }
bench-oauth:
  display_name: Bench upstream, OAuth 2
  auth_mode: OAUTH2
  docs: ${address}/
  authorization_url: ${address}/authorize
  token_url: ${address}/token
  proxy:
    base_url: ${address}
`;
}
