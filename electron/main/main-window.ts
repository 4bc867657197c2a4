import path from 'node:path';
import { app, BrowserWindow } from 'electron';
import type { ServerState } from '../../server/contract/shell-messages.ts';
import type { ServerSupervisor } from '../server-process/server-supervisor.ts';
import { isServerPage } from './address-rules.ts';
import type { DeepLink } from './deep-link.ts';
import { statusPageUrl } from './status-page.ts';

/** The one window: pages of the server while it runs, the status page otherwise. */
export class MainWindow {
  readonly #supervisor: ServerSupervisor;
  #window: BrowserWindow | undefined;
  /** Asked for while there was no server to show it. */
  #waitingPath: string | undefined;

  constructor(supervisor: ServerSupervisor) {
    this.#supervisor = supervisor;
    supervisor.onState((state) => this.#onServerState(state));
  }

  openWhenReady(): void {
    void app.whenReady().then(() => this.show());
    app.on('activate', () => this.show());
    // The server keeps running for local apps; the tray and a second start bring the window back.
    app.on('window-all-closed', () => {});
  }

  show(): void {
    if (!app.isReady()) return;
    if (this.#window) {
      if (this.#window.isMinimized()) this.#window.restore();
      this.#window.show();
      return;
    }
    this.#window = this.#create();
    void this.#showServer();
  }

  follow(link: DeepLink): void {
    if (link.kind === 'retry') void this.#supervisor.restart();
    else if (link.kind === 'quit') app.quit();
    else {
      this.#waitingPath = link.path;
      const isOpen = this.#window !== undefined;
      this.show();
      if (isOpen) void this.#showServer();
    }
  }

  #create(): BrowserWindow {
    const window = new BrowserWindow({
      width: 1280,
      height: 800,
      minWidth: 900,
      minHeight: 600,
      title: 'Homeport',
      webPreferences: {
        preload: path.join(import.meta.dirname, 'preload.cjs'),
        contextIsolation: true,
        sandbox: true,
        nodeIntegration: false,
        webSecurity: true,
        spellcheck: false,
      },
    });
    window.on('closed', () => {
      this.#window = undefined;
    });
    return window;
  }

  #onServerState(state: ServerState): void {
    this.#window?.webContents.send('onServerState', state);
    // A dashboard that is open tells by itself that the server is coming back.
    const keepsPage = state.name === 'restarting' || state.name === 'starting';
    if (keepsPage && this.#window && !this.#window.webContents.getURL().startsWith('data:')) return;
    void this.#showServer();
  }

  async #showServer(): Promise<void> {
    const { state } = this.#supervisor;
    if (state.name !== 'ready') return this.#load(statusPageUrl(state));
    const isSignedIn = isServerPage(this.#window?.webContents.getURL() ?? '', state.address);
    if (!isSignedIn && !(await this.#signIn())) return;
    const path = this.#waitingPath;
    this.#waitingPath = undefined;
    if (path === undefined) return;
    const target = new URL(path, state.address).href;
    // `loadURL` fires no `will-navigate`, so the guard of navigation does not see this address.
    if (isServerPage(target, state.address)) await this.#load(target);
  }

  /** False when the server went away meanwhile; its next state brings us here again. */
  async #signIn(): Promise<boolean> {
    const link = await this.#supervisor.requestSignInLink().catch(() => undefined);
    if (link !== undefined) await this.#load(link);
    return link !== undefined;
  }

  async #load(url: string): Promise<void> {
    try {
      await this.#window?.loadURL(url);
    } catch (error) {
      // ERR_ABORTED: a newer page took its place. Anything else: the server went away; its next state says so.
      if (!(error instanceof Error)) throw error;
    }
  }
}
