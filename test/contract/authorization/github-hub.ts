import { on } from 'node:events';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { FakeGithub } from '../../support/fake-github.ts';
import type { RecordedRequest } from '../../support/fake-provider.ts';
import { MovableClock } from '../../support/movable-clock.ts';
import { saveFunction } from '../../support/server-workspace.ts';
import { type InProcessOptions, type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { createTempHome } from '../../support/temp-home.ts';
import { waitFor } from '../../support/wait-for.ts';
import { ApiCaller, type ApiResponse } from '../http/api-caller.ts';

// Wire documents of any shape: each test asserts the members it needs.
// biome-ignore lint/suspicious/noExplicitAny: see above
type Wire = any;

/** The address of an authorization that was started at the hub, and the message with its result. */
export interface BegunAuthorization {
  /** The provider's page. */
  location: URL;
  /** The state with which the provider returns. */
  state: string;
  /** The message to the waiting page. */
  nextMessage(): Promise<Wire>;
}

export const APP_LINK = 'https://github.test/apps/acme';
export const PLUGIN = { username: 'plugin-user', password: 'plugin-password' };
const INSTALLATIONS = ['71', '72', '73', '74', '75', '76', '77', '78', '79'];

/** A hub with one scriptable server as its GitHub and its plugin marketplace. */
export class GithubHub {
  readonly server: InProcessServer;
  readonly api: ApiCaller;
  readonly github: FakeGithub;
  readonly clock: MovableClock;
  readonly #sockets: WebSocket[] = [];
  readonly #removeWorkspace: () => Promise<void>;

  private constructor(parts: {
    server: InProcessServer;
    github: FakeGithub;
    clock: MovableClock;
    remove(): Promise<void>;
  }) {
    this.server = parts.server;
    this.github = parts.github;
    this.clock = parts.clock;
    this.api = new ApiCaller(parts.server);
    this.#removeWorkspace = parts.remove;
  }

  /** `files`: sources of functions by their path in the workspace. */
  static async start(
    files: Record<string, string> = {},
    options: Pick<InProcessOptions, 'webhookRoutings'> = {},
  ): Promise<GithubHub> {
    const clock = new MovableClock();
    const github = await FakeGithub.start(clock, INSTALLATIONS);
    const folder = await createTempHome();
    const workspace = join(folder.path, 'functions');
    await saveFunction(workspace, 'providers.yaml', entriesAt(github.server.address));
    for (const [path, source] of Object.entries(files)) await saveFunction(workspace, path, source);
    github.server.on('POST /hook', { status: 200 });
    const env = { HOMEPORT_FUNCTIONS: workspace, HOMEPORT_WEBHOOK_URL: `${github.server.address}/hook` };
    const server = await startInProcess({ clock, env, ...options });
    const hub = new GithubHub({ server, github, clock, remove: () => folder.remove() });
    try {
      await hub.#createIntegrations();
    } catch (error) {
      await hub.stop();
      throw error;
    }
    return hub;
  }

  /** Starts an authorization as a pop-up does; `reconnect` renews that connection. */
  async begin(integration: string, { reconnect, user = 'u1' }: { reconnect?: string; user?: string } = {}) {
    const [route, body] = reconnect
      ? ['POST /connect/sessions/reconnect', { connection_id: reconnect, integration_id: integration }]
      : ['POST /connect/sessions', { end_user: { id: user } }];
    const session = (await this.api.send(route, { body })).body as Wire;
    const socket = new WebSocket(this.server.url.replace('http', 'ws'));
    this.#sockets.push(socket);
    const messages = on(socket, 'message');
    const next = async (): Promise<Wire> => JSON.parse(String((await messages.next()).value?.[0]));
    const query = `connect_session_token=${session.data.token}&ws_client_id=${(await next()).ws_client_id}`;
    const start = await fetch(`${this.server.url}/oauth/connect/${integration}?${query}`, { redirect: 'manual' });
    if (start.status !== 302) throw new Error(`The sign-in began with ${start.status}: ${await start.text()}`);
    const location = new URL(start.headers.get('location') ?? '');
    const state = location.searchParams.get('state') ?? location.searchParams.get('payload') ?? '';
    return { location, state, nextMessage: next } satisfies BegunAuthorization;
  }

  /** Calls the callback as the provider's redirect; returns the status of the result page. */
  async comeBack(path: string, query: Record<string, string>): Promise<{ status: number; text: string }> {
    const response = await fetch(`${this.server.url}${path}?${new URLSearchParams(query)}`, { redirect: 'manual' });
    return { status: response.status, text: await response.text() };
  }

  /** A whole authorization with the given callback path; resolves to its message. */
  async connect(integration: string, path: string, query: Record<string, string>, options = {}): Promise<Wire> {
    const begun = await this.begin(integration, options);
    await this.comeBack(path, { state: begun.state, ...query });
    return begun.nextMessage();
  }

  read(integration: string, connectionId: string, query = ''): Promise<ApiResponse & { body: Wire }> {
    const path = `/connections/${connectionId}?provider_config_key=${integration}${query}`;
    return this.api.send(`GET ${path}`);
  }

  async listOf(integration: string): Promise<Wire[]> {
    const { body } = await this.api.send(`GET /connections?integrationId=${integration}`);
    return (body as Wire).connections;
  }

  /** Waits until the application has received a connection's webhook: by then everything that follows its creation is done. */
  async settled(connectionId: string): Promise<void> {
    const isOf = ({ body }: RecordedRequest): boolean => JSON.parse(body.toString()).connectionId === connectionId;
    await waitFor(() => this.github.server.requestsTo('/hook').some(isOf), { what: `the message of ${connectionId}` });
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.terminate();
    await this.server.stop();
    await this.github.stop();
    await this.#removeWorkspace();
  }

  async #createIntegrations(): Promise<void> {
    const { appId, client, privateKey } = this.github;
    const app = { app_id: appId, app_link: APP_LINK, private_key: privateKey };
    const parts: Record<string, object> = {
      'github-app': { credentials: { type: 'APP', ...app } },
      'github-app-oauth': {
        credentials: { type: 'CUSTOM', client_id: client.id, client_secret: client.secret, ...app },
      },
      'acme-plugin': { custom: { ...PLUGIN, app_link: 'https://shop.test/plugins/acme?theme=dark' } },
    };
    for (const [key, own] of Object.entries(parts)) {
      const body = { provider: key, unique_key: key, ...own };
      const { status, body: response } = await this.api.send('POST /integrations', { body });
      if (status !== 200) throw new Error(`${key} was refused: ${JSON.stringify(response)}`);
    }
  }
}

function entriesAt(address: string): string {
  const installation = `${address}/app/installations/\${connectionConfig.installation_id}/access_tokens`;
  const fields = `
    appPublicLink: { type: string, title: Link, description: The app, automated: true }
    installation_id: { type: string, title: Installation, description: Of the app, automated: true }`;
  return `
github-app:
  extends: false
  display_name: GitHub (App)
  auth_mode: APP
  authorization_url: "\${connectionConfig.appPublicLink}/installations/new"
  token_url: "${installation}"
  proxy: { base_url: "${address}" }
  connection_config: ${fields}
github-app-oauth:
  extends: false
  display_name: GitHub (App and user)
  auth_mode: CUSTOM
  authorization_url: "\${connectionConfig.appPublicLink}/installations/new"
  authorization_url_skip_encode: [base_url]
  token_url: { OAUTH2: "${address}/login/oauth/access_token", APP: "${installation}" }
  webhook_routing_script: unauthenticatedWebhookRouting
  proxy: { base_url: "${address}" }
  connection_config: ${fields}
acme-plugin:
  display_name: Acme plugin
  auth_mode: INSTALL_PLUGIN
  auth_type: BASIC
  proxy: { base_url: "${address}", verification: { endpoints: [/whoami] } }
`;
}
