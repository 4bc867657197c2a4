import { readFile } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { clearedPage, openContext, sharedBrowser } from '../../support/launch-chromium.ts';

declare global {
  interface Window {
    callNango(call: unknown): Promise<ClientOutcome>;
  }
}

const CLIENT_FOLDER = new URL('.', import.meta.resolve('@nangohq/frontend'));
const PAGE = `<!doctype html><title>Application</title><h1>Application</h1>
<script type="module">
import Nango from '/client/index.js';
window.callNango = async ({ method, settings, args }) => {
  const nango = new Nango(settings);
  try {
    return { made: await nango[method](...args) };
  } catch (error) {
    return { type: error.type, message: error.message };
  }
};
</script>`;

/** The result of the official client: an `AuthResult`, or the type and message of its error. */
export interface ClientOutcome {
  made?: { connectionId: string; providerConfigKey: string; isPending?: boolean };
  type?: string;
  message?: string;
}

export interface ClientCall {
  method: 'auth' | 'reconnect' | 'create';
  /** The address of the hub in the application. */
  host: string;
  token: string;
  args: unknown[];
}

/** An application of another origin, in a real browser, with the official frontend client. */
export class ApplicationPage {
  readonly browser: Browser;
  readonly #server: Server;
  #context: BrowserContext | undefined;

  private constructor(browser: Browser, server: Server) {
    this.browser = browser;
    this.#server = server;
  }

  static async start(): Promise<ApplicationPage> {
    const server = createServer((request, response) => void serve(request.url ?? '/', response)).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const browser = await sharedBrowser();
    return new ApplicationPage(browser, server);
  }

  /** A page without anything of the previous one, which is closed. */
  async open(): Promise<Page> {
    this.#context ??= await openContext(this.browser);
    const url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
    const page = await clearedPage(this.#context, url, { width: 1280, height: 720, scheme: 'light' });
    await page.goto(url);
    await page.waitForFunction('window.callNango');
    return page;
  }

  async stop(): Promise<void> {
    await this.#context?.close();
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

/** Calls the client on the page; resolves when its promise has settled. */
export function callClient(page: Page, { method, host, token, args }: ClientCall): Promise<ClientOutcome> {
  const call = { method, args, settings: { host, connectSessionToken: token } };
  return page.evaluate((parts) => window.callNango(parts), call);
}

async function serve(path: string, response: ServerResponse): Promise<void> {
  const [, name] = /^\/client\/([\w.]+\.js)$/.exec(path) ?? [];
  response.setHeader('content-type', name ? 'text/javascript' : 'text/html');
  response.end(name ? await readFile(fileURLToPath(new URL(name, CLIENT_FOLDER))) : PAGE);
}
