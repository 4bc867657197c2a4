import { join } from 'node:path';
import { FakeProvider } from '../../support/fake-provider.ts';
import { saveFunction } from '../../support/server-workspace.ts';
import { type InProcessOptions, startInProcess } from '../../support/start-in-process.ts';
import { type ServerAddress, startServer } from '../../support/start-server.ts';
import { createTempHome } from '../../support/temp-home.ts';
import { waitFor } from '../../support/wait-for.ts';
import { ApiCaller, type ApiResponse, type Refusal } from '../http/api-caller.ts';
import { authorizationProviders, INTEGRATION_PARTS } from './authorization-providers.ts';

// Wire documents of any shape: each test asserts the members it needs.
// biome-ignore lint/suspicious/noExplicitAny: see above
export type Wire = any;

export interface Submission {
  /** Default: a new session without restrictions. */
  token?: string;
  /** Parameters beside the token, without a leading ampersand. */
  query?: string;
  body?: unknown;
}

export interface AuthModesHubOptions extends InProcessOptions {
  /** Sources of functions by their path in the workspace; live when the hub is ready. */
  files?: Record<string, string>;
  /** A data folder for a server in a process of its own; it is not removed at the end. */
  home?: string;
}

type HubServer = ServerAddress & {
  readonly home: string;
  readonly workspace: string;
  errorOutput?(): string;
  stop(): Promise<void>;
};

export const END_USER = { id: 'u1', email: 'u1@example.test', display_name: 'U One' };

/** A server with an integration of every mode, and one provider for all of them. */
export class AuthModesHub {
  readonly server: HubServer;
  readonly api: ApiCaller;
  readonly provider: FakeProvider;
  readonly #removeWorkspace: () => Promise<void>;

  private constructor(server: HubServer, provider: FakeProvider, removeWorkspace: () => Promise<void>) {
    this.server = server;
    this.api = new ApiCaller(server);
    this.provider = provider;
    this.#removeWorkspace = removeWorkspace;
  }

  static async start({ files = {}, home, ...options }: AuthModesHubOptions = {}): Promise<AuthModesHub> {
    const provider = await FakeProvider.start();
    const folder = await createTempHome();
    const workspace = join(folder.path, 'functions');
    await saveFunction(workspace, 'providers.yaml', authorizationProviders(provider.address));
    for (const [path, source] of Object.entries(files)) await saveFunction(workspace, path, source);
    const env = { ...options.env, HOMEPORT_FUNCTIONS: workspace };
    const server = await (home === undefined ? startInProcess({ ...options, env }) : startServer({ home, env }));
    const hub = new AuthModesHub(server, provider, () => folder.remove());
    try {
      await hub.#fill(Object.keys(files));
    } catch (error) {
      await hub.stop();
      throw error;
    }
    return hub;
  }

  /** The token of a session for one end user; `parts` are added or replace members. */
  async openSession(parts: object = {}): Promise<string> {
    return this.#tokenOf('POST /connect/sessions', { end_user: END_USER, ...parts });
  }

  /** The token of a session that reconnects a connection, without other members except `parts`. */
  async openReconnect(integration: string, connectionId: string, parts: object = {}): Promise<string> {
    const body = { integration_id: integration, connection_id: connectionId, ...parts };
    return this.#tokenOf('POST /connect/sessions/reconnect', body);
  }

  /** Sends an end user's input, as the frontend client does: without a key. */
  async submit(path: string, { token, query = '', body }: Submission = {}): Promise<ApiResponse> {
    const session = token ?? (await this.openSession());
    return this.api.send(`POST ${path}?connect_session_token=${session}${query && `&${query}`}`, {
      headers: { authorization: undefined },
      ...(body === undefined ? {} : { body }),
    });
  }

  async refusal(path: string, submission: Submission = {}): Promise<Refusal & { message?: string }> {
    const { status, body } = await this.submit(path, submission);
    const { error } = (body ?? {}) as { error?: { code: string; message?: string; errors?: Wire[] } };
    if (status < 400 || !error) throw new Error(`${path} answered ${status}: ${JSON.stringify(body)}`);
    const issues = error.errors?.map((issue) => [issue.code, issue.path.join('.')].join(' ').trim());
    return {
      status,
      code: error.code,
      ...(issues ? { issues } : {}),
      ...(error.message === undefined ? {} : { message: error.message }),
    };
  }

  /** Connects and returns the id of the connection. */
  async connect(path: string, submission: Submission = {}): Promise<string> {
    const { status, body } = await this.submit(path, submission);
    if (status !== 200) throw new Error(`${path} answered ${status}: ${JSON.stringify(body)}`);
    return (body as { connectionId: string }).connectionId;
  }

  async read(integration: string, connectionId: string, query = ''): Promise<Wire> {
    const path = `/connections/${encodeURIComponent(connectionId)}?provider_config_key=${integration}${query}`;
    const { status, body } = await this.api.send(`GET ${path}`);
    if (status !== 200) throw new Error(`${path} answered ${status}: ${JSON.stringify(body)}`);
    return body;
  }

  async listOf(integration: string): Promise<Wire[]> {
    const { body } = await this.api.send(`GET /connections?integrationId=${integration}`);
    return (body as { connections: Wire[] }).connections;
  }

  /** The output of a server in a process of its own. */
  errorOutput(): string {
    if (!this.server.errorOutput) throw new Error('the server runs in the process of the test');
    return this.server.errorOutput();
  }

  async stop(): Promise<void> {
    await this.server.stop();
    await this.provider.stop();
    await this.#removeWorkspace();
  }

  async #tokenOf(route: string, body: object): Promise<string> {
    const response = await this.api.send(route, { body });
    if (response.status !== 201)
      throw new Error(`${route} answered ${response.status}: ${JSON.stringify(response.body)}`);
    return (response.body as { data: { token: string } }).data.token;
  }

  async #fill(paths: string[]): Promise<void> {
    for (const [key, parts] of Object.entries(INTEGRATION_PARTS)) {
      const response = await this.api.send('POST /integrations', {
        body: { provider: key, unique_key: key, ...parts },
      });
      if (response.status !== 200) throw new Error(`${key} was refused: ${JSON.stringify(response.body)}`);
    }
    await waitFor(async () => isLive(paths, (await this.api.send('GET /scripts/config')).body as Wire[]), {
      what: `the functions ${paths.join(', ')}`,
    });
  }
}

function isLive(paths: string[], integrations: Wire[]): boolean {
  const live = integrations.flatMap((one) =>
    ['syncs', 'actions', 'on-events'].flatMap((kind) =>
      (one[kind] ?? []).map(({ name }: { name: string }) => `${one.providerConfigKey}/${kind}/${name}.ts`),
    ),
  );
  return paths.every((path) => live.includes(path));
}

/** A complete on-event file around one body. */
export function onEventSource(event: string, body: string): string {
  return `import { createOnEvent } from 'homeport';

export default createOnEvent({
  description: 'Written by a test',
  event: '${event}',
  exec: async (nango) => {
    ${body}
  },
});
`;
}
