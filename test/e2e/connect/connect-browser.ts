import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContext, BrowserContextOptions, FrameLocator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { AuthStandIn } from '../../support/auth-stand-in.ts';
import { clearedPage, openContext, sharedBrowser } from '../../support/launch-chromium.ts';
import { MovableClock } from '../../support/movable-clock.ts';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { CONNECT_INTEGRATIONS, CONNECT_PROVIDERS } from './connect-providers.ts';
import { HOST_PAGE } from './host-page-source.ts';

declare global {
  interface Window {
    openConnect(settings: unknown, token?: string): void;
    setToken(token: string): void;
    events: [];
  }
}

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
/** The official client, as published. */
const FRONTEND = join(ROOT, 'node_modules/@nangohq/frontend/dist');

export interface View {
  width?: number;
  height?: number;
  scheme?: 'light' | 'dark';
  locale?: string;
  /** Runs in every page before the page's own scripts. */
  init?: () => void;
  /** Routes requests of the page before it is opened: a frame that loads meanwhile sends some past a later route. */
  prepare?: (page: Page) => Promise<unknown>;
}

export interface OpenedPage {
  page: Page;
  /** Exceptions, violations of the page's policy, and requests that leave this computer. */
  complaints: string[];
}

export interface EmbeddedPage extends OpenedPage {
  /** The frame that the official client created. */
  ui: FrameLocator;
  /** The events that the client passed to `onEvent`. */
  events(): Promise<Array<{ type: string; payload?: Record<string, unknown> }>>;
}

/** Gives the tests of a file one browser, which forgets what the test before did; `assign` may prepare it further. */
export function startConnectBrowser(assign: (started: ConnectBrowser) => void | Promise<void>): void {
  let browser: ConnectBrowser | undefined;
  beforeAll(async () => {
    browser = await ConnectBrowser.start();
    await assign(browser);
  });
  beforeEach(() => browser?.auth.reset());
  afterAll(() => browser?.stop());
}

/** A hub with the built page, the stand-in for authorizations, an app's page on another port, and a browser. */
export class ConnectBrowser {
  /** Folder of the built page. */
  readonly dist = join(ROOT, 'dist/connect');
  readonly clock: MovableClock;
  readonly hub: InProcessServer;
  readonly auth: AuthStandIn;
  readonly #workspace: string;
  readonly #host: Server;
  readonly #browser: Browser;
  #context: BrowserContext | undefined;
  /** The language of the context; undefined when a test added a script to it. */
  #language: string | undefined;
  #complaints: string[] = [];

  private constructor(parts: {
    workspace: string;
    clock: MovableClock;
    hub: InProcessServer;
    auth: AuthStandIn;
    host: Server;
    browser: Browser;
  }) {
    this.clock = parts.clock;
    this.hub = parts.hub;
    this.auth = parts.auth;
    this.#workspace = parts.workspace;
    this.#host = parts.host;
    this.#browser = parts.browser;
  }

  /** `entries`: further providers, as YAML. */
  static async start({ entries = '' } = {}): Promise<ConnectBrowser> {
    const workspace = await mkdtemp(join(tmpdir(), 'homeport-connect-workspace-'));
    await writeFile(join(workspace, 'providers.yaml'), `${CONNECT_PROVIDERS}\n${entries}`);
    const clock = new MovableClock();
    const hub = await startInProcess({
      clock,
      env: { HOMEPORT_FUNCTIONS: workspace },
    });
    const auth = await AuthStandIn.start(hub.url);
    const host = await startHostPage();
    const browser = await sharedBrowser();
    const started = new ConnectBrowser({ workspace, clock, hub, auth, host, browser });
    for (const [key, name] of Object.entries(CONNECT_INTEGRATIONS))
      await started.addIntegration(key, key, name, key.startsWith('sign-in'));
    return started;
  }

  /** Another name of this computer than the one in the API's address. */
  get pageOrigin(): string {
    return this.hub.url.replace('127.0.0.1', 'localhost');
  }

  async addIntegration(key: string, provider: string, name: string, needsClient = false): Promise<void> {
    const credentials = { type: 'OAUTH2', client_id: 'an-app', client_secret: 'its-secret' };
    const body = { unique_key: key, provider, display_name: name, ...(needsClient ? { credentials } : {}) };
    await this.#post('/integrations', body);
  }

  /** The token of a session; for all integrations by default. */
  async session(allowed: string[] = [], more: Record<string, unknown> = {}): Promise<string> {
    const body = {
      end_user: { id: 'user-1' },
      ...(allowed.length > 0 ? { allowed_integrations: allowed } : {}),
      ...more,
    };
    return (await this.#post<{ token: string }>('/connect/sessions', body)).token;
  }

  async reconnectSession(integrationId: string, connectionId: string): Promise<string> {
    const body = { integration_id: integrationId, connection_id: connectionId };
    return (await this.#post<{ token: string }>('/connect/sessions/reconnect', body)).token;
  }

  async importConnection(body: Record<string, unknown>): Promise<void> {
    await this.#post('/connections', body);
  }

  /** The page in a tab of its own; `query` is added to token and API. */
  async openLink(
    token: string | undefined,
    view: View = {},
    query: Record<string, string> = {},
    origin: string = this.pageOrigin,
  ): Promise<OpenedPage> {
    const opened = await this.#newPage(view);
    const url = new URL('/connect/', origin);
    const all = { apiURL: this.auth.url, ...(token === undefined ? {} : { session_token: token }), ...query };
    for (const [name, value] of Object.entries(all)) url.searchParams.set(name, value);
    await opened.page.goto(url.href);
    return opened;
  }

  /** The page in a frame that the official client puts over an app. */
  async openEmbedded(
    token: string | undefined,
    view: View = {},
    options: Record<string, unknown> = {},
  ): Promise<EmbeddedPage> {
    const opened = await this.#newPage(view);
    const { port } = this.#host.address() as AddressInfo;
    await opened.page.goto(`http://localhost:${port}/`);
    await opened.page.locator('[data-ready]').waitFor({ state: 'attached' });
    const baseURL = `${this.hub.url}/connect`;
    await opened.page.evaluate(([settings, sessionToken]) => window.openConnect(settings, sessionToken ?? undefined), [
      { baseURL, apiURL: this.auth.url, ...options },
      token ?? null,
    ] as const);
    return {
      ...opened,
      ui: opened.page.frameLocator('#connect-ui'),
      events: () => opened.page.evaluate(() => window.events),
    };
  }

  async stop(): Promise<void> {
    await this.#context?.close();
    await this.auth.stop();
    await this.hub.stop();
    this.#host.closeAllConnections();
    await new Promise((resolve) => this.#host.close(resolve));
    await rm(this.#workspace, { recursive: true, force: true });
  }

  async #newPage({
    width = 500,
    height = 700,
    scheme = 'light',
    locale = 'en-US',
    init,
    prepare,
  }: View): Promise<OpenedPage> {
    const language = init ? undefined : locale;
    if (!this.#context || language === undefined || language !== this.#language) await this.#renewContext({ locale });
    this.#language = language;
    const context = this.#context as BrowserContext;
    if (init) await context.addInitScript(init);
    const page = await clearedPage(context, `${this.pageOrigin}/health`, { width, height, scheme });
    const complaints: string[] = [];
    this.#complaints = complaints;
    await prepare?.(page);
    return { page, complaints };
  }

  /** A context costs the compiled scripts of the one before. */
  async #renewContext(options: BrowserContextOptions): Promise<void> {
    await this.#context?.close();
    const context = await openContext(this.#browser, options);
    this.#context = context;
    context.on('console', (message) => {
      if (/Content Security Policy|Refused|Warning:/i.test(message.text())) this.#complaints.push(message.text());
    });
    context.on('weberror', (error) => this.#complaints.push(error.error().message));
    context.on('request', (request) => {
      if (!/^(data:|blob:|about:|http:\/\/(localhost|127\.0\.0\.1):)/.test(request.url()))
        this.#complaints.push(`asked ${request.url()}`);
    });
  }

  async #post<Data>(path: string, body: unknown): Promise<Data> {
    const response = await fetch(`${this.hub.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.hub.secretKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const parsed = (await response.json()) as { data: Data };
    if (!response.ok) throw new Error(`POST ${path} answered ${response.status}: ${JSON.stringify(parsed)}`);
    return parsed.data;
  }
}

/**
 * Does something that removes the frame. The browser may never confirm such a key or click to the driver, because the
 * frame that handled it is gone: nothing waits for the confirmation, and the test asserts the outcome.
 */
export function actAndLeave(action: Promise<void>): void {
  action.catch(() => {});
}

/** An app's page that contains only the official client. */
async function startHostPage(): Promise<Server> {
  const server = createServer(async (request, response) => {
    const file = /^\/frontend\/([\w.-]+)$/.exec(request.url ?? '')?.[1];
    if (file === undefined) response.setHeader('content-type', 'text/html').end(HOST_PAGE);
    else if (file.endsWith('.js'))
      response.setHeader('content-type', 'text/javascript').end(await readFile(join(FRONTEND, file)));
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  return server;
}
