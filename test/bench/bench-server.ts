import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { importConnection, officialClient, type PracticeConnection } from '../support/import-practice-connection.ts';
import { type StartedServer, startServer } from '../support/start-server.ts';
import { createTempHome } from '../support/temp-home.ts';
import { type BaselineServer, startBaseline } from './baseline-process.ts';
import type { Target } from './measure.ts';

export const BENCH_INTEGRATION = 'bench';

/** The hub with a provider in another process, so that the provider's work is not measured as the hub's. */
export interface BenchServer {
  server: StartedServer;
  upstream: BaselineServer;
  connection: PracticeConnection;
  /** A request to the hub with key and connection headers. */
  target(path: string, body?: unknown): Target;
  /** Adds another connection of the same integration; `further` adds to the body of the import. */
  connect(connectionId: string, further?: Record<string, unknown>): Promise<PracticeConnection>;
  stop(): Promise<void>;
}

export async function startBenchServer(): Promise<BenchServer> {
  const upstream = await startBaseline('hello-server');
  const home = await createTempHome();
  await writeProvider(join(home.path, 'functions'), upstream.url);
  const server = await startServer({ home: home.path, env: { HOMEPORT_TRUST_WORKSPACE: '1' } });
  const nango = officialClient(server);
  await nango.createIntegration({ provider: 'bench-upstream', unique_key: BENCH_INTEGRATION });

  const connect: BenchServer['connect'] = async (connectionId, further) => {
    const response = await importConnection(server, {
      provider_config_key: BENCH_INTEGRATION,
      connection_id: connectionId,
      ...further,
    });
    if (response.status !== 201) throw new Error(`import answered ${response.status}: ${await response.text()}`);
    return { nango, integration: BENCH_INTEGRATION, connectionId };
  };
  return {
    server,
    upstream,
    connection: await connect('one'),
    connect,
    target: (path, body) => targetOf(server, path, body),
    stop: async () => {
      await server.stop();
      await upstream.stop();
      await home.remove();
    },
  };
}

function targetOf(server: StartedServer, path: string, body: unknown): Target {
  const headers = {
    authorization: `Bearer ${server.secretKey}`,
    'provider-config-key': BENCH_INTEGRATION,
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

async function writeProvider(workspace: string, address: string): Promise<void> {
  await mkdir(workspace, { recursive: true });
  const entry = `bench-upstream:
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
`;
  await writeFile(join(workspace, 'providers.yaml'), entry);
}
