import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Clock } from '../../server/platform/lib/clock.ts';
import { FakeProvider } from './fake-provider.ts';
import { importConnection, officialClient, type PracticeConnection } from './import-practice-connection.ts';
import { saveFunction, waitUntilLive } from './server-workspace.ts';
import { type InProcessServer, startInProcess } from './start-in-process.ts';
import { type StartedServer, startServer } from './start-server.ts';
import { createTempHome } from './temp-home.ts';

export interface HubResponse {
  status: number;
  /** Parsed JSON; undefined when there is none. */
  // Wire documents of any shape: each test asserts the members it needs.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  body: any;
  headers: Headers;
}

/** A server whose workspace has a provider of its own, `acme`, that a scriptable server plays. */
export interface FunctionHub<Server extends InProcessServer | StartedServer = InProcessServer> {
  readonly server: Server;
  readonly provider: FakeProvider;
  /** Integration `acme`, connection `c1`. */
  readonly connection: PracticeConnection;
  /** Any request to the public API, with the secret key. */
  call(
    method: string,
    path: string,
    options?: { body?: unknown; headers?: Record<string, string> },
  ): Promise<HubResponse>;
  /** `POST /action/trigger` on `c1`. */
  action(name: string, input?: unknown, headers?: Record<string, string>): Promise<HubResponse>;
  /** `GET /records` of `c1`; `query` without the question mark. */
  records(query: string): Promise<HubResponse>;
  /** Saves files under `acme/` and waits until each is live for the first time. */
  deploy(files: Record<string, string>): Promise<void>;
  addConnection(connectionId: string, body?: Record<string, unknown>): Promise<HubResponse>;
  /** Removes `c1` with its syncs, records and metadata, and imports it again: no test sees what another one left. */
  renewConnection(): Promise<void>;
  stop(): Promise<void>;
}

/** With a server in its own process. */
export type FunctionHubProcess = FunctionHub<StartedServer>;
/** Independent of where its server runs. */
export type AnyFunctionHub = FunctionHub<InProcessServer | StartedServer>;

const INTEGRATION = 'acme';
const CONNECTION = 'c1';

export interface FunctionHubOptions {
  /** Further environment variables of the server. */
  env?: Record<string, string>;
  /** A clock of the test, for a server within its process. */
  clock?: Clock;
  /** Sets up the provider before the first connection is imported. */
  prepare?: (provider: FakeProvider) => void;
}

/**
 * A server within the test's process, with a provider of its own that a fake provider plays. `files`: sources by their
 * path under `acme/`, in the workspace before the server starts.
 */
export function startFunctionHub(
  files: Record<string, string>,
  options: FunctionHubOptions = {},
): Promise<FunctionHub> {
  const { clock } = options;
  return startHub(files, options, (use) => startInProcess({ ...use, ...(clock ? { clock } : {}) }));
}

/** The same with a server in its own process, which can be killed and restarted. */
export function startFunctionHubProcess(
  files: Record<string, string>,
  options: FunctionHubOptions = {},
): Promise<FunctionHubProcess> {
  return startHub(files, options, startServer);
}

async function startHub<Server extends InProcessServer | StartedServer>(
  files: Record<string, string>,
  { env = {}, prepare }: FunctionHubOptions,
  start: (options: { home: string; env: Record<string, string> }) => Promise<Server>,
): Promise<FunctionHub<Server>> {
  const provider = await FakeProvider.start();
  prepare?.(provider);
  const home = await createTempHome();
  const workspace = join(home.path, 'functions');
  await write(join(workspace, 'providers.yaml'), providerEntry(provider.address));
  for (const [path, source] of Object.entries(files)) await write(join(workspace, INTEGRATION, path), source);
  const server = await start({ home: home.path, env });
  const hub = hubOn(server, provider, async () => {
    await server.stop();
    await provider.stop();
    await home.remove();
  });
  try {
    await fill(hub, Object.keys(files));
  } catch (error) {
    await hub.stop();
    throw error;
  }
  return hub;
}

async function fill(hub: AnyFunctionHub, paths: string[]): Promise<void> {
  const created = await hub.call('POST', '/integrations', { body: { provider: INTEGRATION, unique_key: INTEGRATION } });
  if (created.status !== 200) throw new Error(`the integration was refused: ${JSON.stringify(created.body)}`);
  await waitForOwn(hub, paths);
  await importFirst(hub);
}

async function importFirst(hub: AnyFunctionHub): Promise<void> {
  const imported = await hub.addConnection(CONNECTION);
  if (imported.status !== 201) throw new Error(`the import was refused: ${JSON.stringify(imported.body)}`);
}

function hubOn<Server extends InProcessServer | StartedServer>(
  server: Server,
  provider: FakeProvider,
  stop: () => Promise<void>,
): FunctionHub<Server> {
  const scope = { 'provider-config-key': INTEGRATION, 'connection-id': CONNECTION };
  const call: AnyFunctionHub['call'] = async (method, path, { body, headers } = {}) => {
    const response = await fetch(`${server.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${server.secretKey}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return toResponse(response);
  };
  const hub: FunctionHub<Server> = {
    server,
    provider,
    connection: { nango: officialClient(server), integration: INTEGRATION, connectionId: CONNECTION },
    call,
    stop,
    action: (name, input, headers) =>
      call('POST', '/action/trigger', { body: { action_name: name, input }, headers: { ...scope, ...headers } }),
    records: (query) => call('GET', `/records?${query}`, { headers: scope }),
    deploy: async (files) => {
      for (const [path, source] of Object.entries(files))
        await saveFunction(server.workspace, `${INTEGRATION}/${path}`, source);
      await waitForOwn(hub, Object.keys(files));
    },
    addConnection: async (connectionId, body) =>
      toResponse(
        await importConnection(server, {
          provider_config_key: INTEGRATION,
          connection_id: connectionId,
          credentials: { type: 'API_KEY', apiKey: 'acme-key' },
          ...body,
        }),
      ),
    renewConnection: async () => {
      await call('DELETE', `/connections/${CONNECTION}?provider_config_key=${INTEGRATION}`);
      await importFirst(hub);
    },
  };
  return hub;
}

async function toResponse(response: Response): Promise<HubResponse> {
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
}

/** `paths` as in the workspace, below `acme/`; files that are no functions are not waited for. */
const waitForOwn = (hub: AnyFunctionHub, paths: string[]): Promise<void> =>
  waitUntilLive(
    hub.server,
    paths.filter((path) => /^(syncs|actions|on-events)\//.test(path)).map((path) => `${INTEGRATION}/${path}`),
  );

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

function providerEntry(address: string): string {
  return `acme:
  display_name: Acme
  auth_mode: API_KEY
  docs: ${address}
  proxy:
    base_url: ${address}
    headers:
      authorization: Bearer \${apiKey}
    retry:
      after: retry-after
    paginate:
      type: cursor
      cursor_path_in_response: next
      cursor_name_in_request: cursor
      response_path: items
  credentials:
    apiKey:
      type: string
      title: API key
      description: Any text.
      secret: true
`;
}
