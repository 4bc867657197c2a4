import type { BrowserContext, FrameLocator, Page } from 'playwright-core';
import { clearedPage, lendContext, returnContext } from '../../support/launch-chromium.ts';
import { type InProcessOptions, type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { waitFor } from '../../support/wait-for.ts';

export interface HubPage {
  page: Page;
  /** The connect page, when it is open over the dashboard. */
  connect: FrameLocator;
  /** Exceptions and violations of a page's policy. */
  complaints: string[];
}

export interface HubView {
  width?: number;
  height?: number;
  scheme?: 'light' | 'dark';
}

/** A whole hub with the built dashboard and connect page, and a signed-in browser. */
export class HubBrowser {
  readonly hub: InProcessServer;
  readonly #context: BrowserContext;
  #complaints: string[] = [];

  private constructor(hub: InProcessServer, context: BrowserContext) {
    this.hub = hub;
    this.#context = context;
    context.on('weberror', (error) => this.#complaints.push(error.error().message));
    context.on('console', (message) => {
      if (/Content Security Policy|Warning:/i.test(message.text())) this.#complaints.push(message.text());
    });
  }

  static async start(options: Pick<InProcessOptions, 'clock' | 'env'> = {}): Promise<HubBrowser> {
    const hub = await startInProcess({ hasExamples: true, keepsPort: true, ...options });
    const context = await lendContext();
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    return new HubBrowser(hub, context);
  }

  /** A page of the dashboard in a browser that has just signed in and has no stored state. */
  async open(path: string, { width = 1280, height = 800, scheme = 'light' }: HubView = {}): Promise<HubPage> {
    const page = await clearedPage(this.#context, this.#blankUrl, { width, height, scheme });
    const complaints: string[] = [];
    this.#complaints = complaints;
    const address = `${this.hub.url}/app${path}`;
    // A link signs in wherever it leads, unless its fragment holds something else.
    if (path.includes('#')) {
      await page.goto(this.hub.loginUrl());
      await this.#signedIn(page);
      await page.goto(address);
    } else {
      await page.goto(`${address}#code=${this.hub.issueLinkCode()}`);
      await this.#signedIn(page);
    }
    return { page, connect: page.frameLocator('#connect-ui'), complaints };
  }

  async #signedIn(page: Page): Promise<void> {
    const isSignedIn = () => page.evaluate(() => localStorage.getItem('homeport.session') !== null);
    await waitFor(isSignedIn, { what: 'the session of the page' });
  }

  /** An empty page of the hub. */
  get #blankUrl(): string {
    return `${this.hub.url}/health`;
  }

  async api<Data>(method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: unknown): Promise<Data> {
    const response = await fetch(`${this.hub.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${this.hub.secretKey}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const parsed = (await response.json()) as Data;
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${JSON.stringify(parsed)}`);
    return parsed;
  }

  /** The copied text, as soon as it has this form: a button confirms before or after copying, and only for a moment. */
  copied(page: Page, like: RegExp): Promise<string> {
    return waitFor(
      async () => {
        const text = await page.evaluate(() => navigator.clipboard.readText());
        return like.test(text) && text;
      },
      { what: `${like} in the clipboard` },
    );
  }

  async stop(): Promise<void> {
    await returnContext(this.#context, this.#blankUrl);
    await this.hub.stop();
  }
}
