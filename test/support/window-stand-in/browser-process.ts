import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { CdpLink, type CdpTarget } from './cdp-link.ts';
import { findXWindow } from './x-windows.ts';

const CHROMIUM = process.env['HOMEPORT_TEST_CHROMIUM'] ?? '/usr/bin/chromium';
const FLAGS = [
  // A test machine's container has no user namespaces, and is the root user.
  '--no-sandbox',
  // Without the bar that warns of the flag above.
  '--test-type',
  '--disable-gpu',
  '--no-first-run',
  '--no-default-browser-check',
  '--no-startup-window',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-features=Translate,MediaRouter,OptimizationHints,PaintHolding,HttpsUpgrades',
  '--password-store=basic',
  '--remote-debugging-port=0',
];
/** Links of the app's own scheme are the app's, as in Electron; Chromium would ask which program opens them. */
const PREFERENCES = {
  protocol_handler: { excluded_schemes: { homeport: true } },
  browser: { has_seen_welcome_page: true },
};

interface NewTarget {
  sessionId: string;
  targetInfo: { targetId: string; type: string; url: string };
}

/** A window as the browser and the screen know it. */
export interface OpenedTarget {
  target: CdpTarget;
  targetId: string;
  xWindow: string;
}

/** The Chromium of one run of the app, without any window that the app did not open. */
export class BrowserProcess {
  readonly link: CdpLink;
  readonly address: string;
  readonly #process: ChildProcess;
  readonly #profile: string;
  readonly #coming = new Map<string, PromiseWithResolvers<NewTarget>>();

  private constructor(parts: { link: CdpLink; address: string; process: ChildProcess; profile: string }) {
    this.link = parts.link;
    this.address = parts.address;
    this.#process = parts.process;
    this.#profile = parts.profile;
  }

  static async start(profile: string, flags: string[] = []): Promise<BrowserProcess> {
    const settings = path.join(profile, 'Default', 'Preferences');
    if (!existsSync(settings)) {
      mkdirSync(path.dirname(settings), { recursive: true });
      writeFileSync(settings, JSON.stringify(PREFERENCES));
    }
    const child = spawn(CHROMIUM, [...FLAGS, ...flags, `--user-data-dir=${profile}`], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const address = await new Promise<string>((resolve, reject) => {
      let output = '';
      child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
        output += chunk;
        const found = /DevTools listening on (ws:\S+)/.exec(output)?.[1];
        if (found) resolve(found);
      });
      child.once('error', reject);
      child.once('exit', (code) => reject(new Error(`Chromium ended (${code}).\n${output}`)));
    });
    const browser = new BrowserProcess({ link: await CdpLink.open(address), address, process: child, profile });
    await browser.#watchTargets();
    return browser;
  }

  /** Opens a window without an address bar, whose title is the token. */
  async open(token: string, { x, y, width, height }: Electron.Rectangle): Promise<OpenedTarget> {
    const coming = Promise.withResolvers<NewTarget>();
    this.#coming.set(token, coming);
    const bounds = [`--window-size=${width},${height}`, `--window-position=${x},${y}`];
    const page = `--app=data:text/html,<title>${token}</title>`;
    // Asks the running browser for the window, and ends.
    spawn(CHROMIUM, ['--no-sandbox', '--test-type', ...bounds, `--user-data-dir=${this.#profile}`, page], {
      stdio: 'ignore',
    });
    const { sessionId, targetInfo } = await coming.promise;
    return { target: this.link.target(sessionId), targetId: targetInfo.targetId, xWindow: await findXWindow(token) };
  }

  kill(): void {
    this.#process.kill('SIGKILL');
  }

  /** Every page waits until it is known: a page that the app did not ask for is closed before it loads anything. */
  async #watchTargets(): Promise<void> {
    const { browser } = this.link;
    browser.on('Target.attachedToTarget', async (found) => {
      const { sessionId, targetInfo, waitingForDebugger } = found;
      const target = this.link.target(sessionId);
      if (targetInfo.type === 'page') {
        const token = /<title>([\w-]+)<\/title>/.exec(decodeURIComponent(targetInfo.url))?.[1] ?? '';
        const coming = this.#coming.get(token);
        this.#coming.delete(token);
        if (coming) coming.resolve(found);
        else
          return void (await browser.send('Target.closeTarget', { targetId: targetInfo.targetId }).catch(ignoreEnded));
      }
      if (waitingForDebugger) await target.send('Runtime.runIfWaitingForDebugger').catch(ignoreEnded);
    });
    await browser.send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: true, flatten: true });
  }
}

/** A target can end while it is spoken to. */
export function ignoreEnded(error: unknown): void {
  if (!(error instanceof Error)) throw error;
}
