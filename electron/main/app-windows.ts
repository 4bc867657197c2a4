import path from 'node:path';
import { app, BrowserWindow, dialog, nativeTheme, type Rectangle, screen, type WebContents } from 'electron';
import type { DesktopBridge } from '../../server/contract/shell-bridge.ts';
import type { ServerState } from '../../server/contract/shell-messages.ts';
import { isAppPage, isServerPage } from '../rules/address-rules.ts';
import type { DeepLink } from '../rules/deep-link.ts';
import { asksBeforeLeaving, HIDE_QUESTION, LEAVE_ANSWER, LEAVE_QUESTION } from '../rules/leave-question.ts';
import { statusPageUrl } from '../rules/status-page.ts';
import { nextWindow, remember, rescue, type ScreenArea, SMALLEST, windowMemory } from '../rules/window-bounds.ts';
import type { ServerSupervisor } from '../server-process/server-supervisor.ts';
import { askPerson } from './ask-person.ts';
import type { PageSession } from './page-session.ts';
import { JsonFile } from './shell-files.ts';
import { reportStart } from './start-report.ts';
import { revealWhenDrawn } from './window-reveal.ts';

interface Options {
  supervisor: ServerSupervisor;
  session: PageSession;
  /** Whether the app continues without a window. */
  staysInBackground: () => boolean;
  /** Whether a person finds the app again when its last window is hidden. */
  hasTray: () => boolean;
}

interface OpenWindow {
  window: BrowserWindow;
  /** Path below `/app` to show as soon as the server is ready. */
  wanted: string;
  /** When its page last ended unexpectedly, and when it last asked for a new session. */
  crashedAt: number;
  askedAt: number;
}

/** A page that ends again within this time is not reloaded automatically. */
const CALM_MS = 60_000;
/** A page that asks for a session again within this time could not use the one it got. */
const SIGN_IN_AGAIN_MS = 10_000;
const ABORTED = -3;

/**
 * All windows of the dashboard, with one shared session. They show pages of the server while it runs, otherwise the
 * status page.
 */
export class AppWindows {
  readonly #options: Options;
  readonly #open = new Map<number, OpenWindow>();
  readonly #memory = new JsonFile(path.join(app.getPath('userData'), 'windows.json'), windowMemory);
  #lastUsed: number | undefined;
  #isQuitting = false;
  #isAsking = false;

  constructor(options: Options) {
    this.#options = options;
    options.supervisor.onState((state) => this.#onServerState(state));
  }

  /** `isHidden`: the app was started by the login of this user to the computer. */
  openWhenReady({ isHidden }: { isHidden: boolean }): void {
    void app.whenReady().then(() => {
      screen.on('display-removed', () => this.#rescueAll());
      screen.on('display-metrics-changed', () => this.#rescueAll());
      if (isHidden) reportStart({ hasWindow: true });
      else this.show();
    });
    app.on('activate', () => this.show());
    app.on('before-quit', () => this.#rememberAll());
    // Keeps Electron from quitting: the quick panel is a window too, and the app may continue in the tray.
    app.on('window-all-closed', () => {});
  }

  /** Shows the window used last, or opens one. */
  show(): void {
    if (!app.isReady()) return;
    const known = this.#front();
    if (known) raise(known.window);
    else this.openNew();
  }

  /** Opens another window. Without a path the dashboard chooses its page. */
  openNew(page = '/app/'): void {
    if (!app.isReady()) return;
    void this.#showServer(this.#create(page));
  }

  /** Shows a page below `/app` in the window used last. */
  goTo(page: string): void {
    const known = this.#front();
    if (!known) return this.openNew(page);
    known.wanted = page;
    raise(known.window);
    void this.#showServer(known, { isMove: true });
  }

  follow(link: DeepLink): void {
    if (link.kind === 'retry') this.retry();
    else if (link.kind === 'quit') app.quit();
    else this.goTo(link.path);
  }

  /** Reloads a page that ended, or restarts a server that ended, at a person's request. */
  retry(): void {
    if (this.#options.supervisor.state.name !== 'ready') void this.#options.supervisor.restart();
    else for (const known of this.#open.values()) if (!this.#showsServer(known)) void this.#showServer(known);
  }

  /**
   * Reloads the page with a new session. Resolves to false while there is no server, and for a page that has just got a
   * session.
   */
  async logInAgain(contents: WebContents): Promise<boolean> {
    const known = [...this.#open.values()].find(({ window }) => window.webContents === contents);
    if (!known || !this.#options.supervisor.ready || Date.now() - known.askedAt < SIGN_IN_AGAIN_MS) return false;
    known.askedAt = Date.now();
    known.wanted = this.#pathOf(known) ?? known.wanted;
    this.#options.session.invalidate();
    await this.#showServer(known, { isMove: true });
    return true;
  }

  /** Sends a command that was chosen in the menu to the page in front. */
  sendCommand(id: string): void {
    this.#front()?.window.webContents.send('onCommand', id);
  }

  /** Sends an event to every page. */
  send(name: keyof DesktopBridge, value: unknown): void {
    for (const { window } of this.#open.values()) window.webContents.send(name, value);
  }

  get front(): BrowserWindow | undefined {
    return this.#front()?.window;
  }

  /** Whether a person currently sees one of the windows. */
  get isInFront(): boolean {
    return [...this.#open.values()].some(({ window }) => window.isFocused());
  }

  has(contents: WebContents): boolean {
    return [...this.#open.values()].some(({ window }) => window.webContents === contents);
  }

  /**
   * Asks once, if anything is typed in one of the windows and not saved. Resolves to false when the person keeps it.
   * Call it before something ends that the pages need.
   */
  async mayCloseAll(): Promise<boolean> {
    const answers = await Promise.all(
      [...this.#open.values()].map(async (known) =>
        (await asksBeforeLeaving(known.window.webContents)) ? known : undefined,
      ),
    );
    const [first] = answers.filter((known) => known !== undefined);
    if (!first || first.window.isDestroyed()) return true;
    // The last window may be hidden: the person sees what is asked about.
    raise(first.window);
    return mayLeave(first.window);
  }

  /** From now on closing a window really closes it without a question, and the end of the server changes no page. */
  prepareQuit(): void {
    this.#isQuitting = true;
  }

  #front(): OpenWindow | undefined {
    return this.#open.get(this.#lastUsed ?? -1) ?? [...this.#open.values()].at(-1);
  }

  #create(page: string): OpenWindow {
    const taken = [...this.#open.values()].map(({ window }) => window.getBounds());
    const primaryId = String(screen.getPrimaryDisplay().id);
    const { bounds, isMaximized } = nextWindow({ screens: screens(), primaryId, memory: this.#memory.value, taken });
    const window = new BrowserWindow({
      ...bounds,
      minWidth: SMALLEST.width,
      minHeight: SMALLEST.height,
      title: 'Homeport',
      // The window is shown after its first paint; a dark page would otherwise start with a white flash.
      show: false,
      backgroundColor: nativeTheme.shouldUseDarkColors ? '#0d1215' : '#ffffff',
      ...(process.platform === 'linux' ? { icon: path.join(import.meta.dirname, 'icon.png') } : {}),
      webPreferences: PAGE_PREFERENCES,
    });
    const known: OpenWindow = {
      window,
      wanted: page,
      crashedAt: Number.NEGATIVE_INFINITY,
      askedAt: Number.NEGATIVE_INFINITY,
    };
    const { id } = window;
    this.#open.set(id, known);
    this.#lastUsed = id;
    if (isMaximized) window.maximize();
    revealWhenDrawn(window);
    window.on('focus', () => {
      this.#lastUsed = id;
    });
    window.on('blur', () => this.#remember(known));
    window.on('close', (event) => this.#onClose(known, event));
    window.on('closed', () => {
      this.#open.delete(id);
      if (this.#open.size === 0 && !this.#isQuitting && !this.#options.staysInBackground()) app.quit();
    });
    this.#watchPage(known);
    return known;
  }

  #onClose(known: OpenWindow, event: { preventDefault(): void }): void {
    this.#remember(known);
    const isLast = this.#open.size === 1;
    if (!isLast || this.#isQuitting || !this.#options.staysInBackground()) return;
    // The window is only hidden and keeps its page, so that it can be shown at once.
    event.preventDefault();
    if (this.#options.hasTray()) known.window.hide();
    else void this.#askToHide(known.window);
  }

  /** A window is never hidden where nothing would bring it back without the consent of the person. */
  async #askToHide(window: BrowserWindow): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    const { response } = await dialog.showMessageBox(window, HIDE_QUESTION);
    this.#isAsking = false;
    if (window.isDestroyed()) return;
    if (response === 0) app.quit();
    else if (response === 1) window.hide();
  }

  /** Handles a page that ends, hangs or cannot be loaded. */
  #watchPage(known: OpenWindow): void {
    const { webContents } = known.window;
    webContents.on('render-process-gone', (_event, { reason }) => {
      if (reason === 'clean-exit' || this.#isQuitting) return;
      known.wanted = this.#pathOf(known) ?? known.wanted;
      const isFirst = Date.now() - known.crashedAt > CALM_MS;
      known.crashedAt = Date.now();
      if (isFirst) void this.#showServer(known, { isMove: true });
      else void this.#load(known, statusPageUrl('page-ended'));
    });
    // Without this, Electron keeps a page that has unsaved text, and says nothing.
    webContents.on('will-prevent-unload', (event) => {
      if (this.#isQuitting || mayLeave(known.window)) event.preventDefault();
    });
    known.window.on('unresponsive', () => void this.#askAboutHang(known));
    webContents.on('did-fail-load', (_event, code, _description, _url, isMainFrame) => {
      // While the server is not ready, its next state loads the page.
      if (isMainFrame && code !== ABORTED && this.#options.supervisor.ready)
        void this.#load(known, statusPageUrl('page-failed'));
    });
  }

  async #askAboutHang(known: OpenWindow): Promise<void> {
    const isWanted = await askPerson({
      type: 'warning',
      message: 'This page does not answer.',
      detail: 'Unsaved input is lost when it is loaded again.',
      yes: 'Load again',
      no: 'Wait',
      enter: 'no',
      window: known.window,
    });
    if (!isWanted || known.window.isDestroyed()) return;
    known.wanted = this.#pathOf(known) ?? known.wanted;
    // Ends the process of the page; `render-process-gone` then loads it again.
    known.window.webContents.forcefullyCrashRenderer();
  }

  #onServerState(state: ServerState): void {
    this.send('onServerState', state);
    for (const known of this.#open.values()) {
      if (this.#isQuitting) continue;
      // An open dashboard shows by itself that the server is restarting.
      const keepsPage = state.name === 'restarting' || state.name === 'starting' || state.name === 'ready';
      if (keepsPage && this.#showsServer(known)) continue;
      known.wanted = this.#pathOf(known) ?? known.wanted;
      void this.#showServer(known);
    }
  }

  /** `isMove`: replaces also a page of the server by the wanted one. */
  async #showServer(known: OpenWindow, { isMove = false } = {}): Promise<void> {
    const { state } = this.#options.supervisor;
    if (state.name !== 'ready') return this.#load(known, statusPageUrl(state));
    if (!isMove && this.#showsServer(known)) return;
    const addresses = await this.#options.session.addressesOf(known.wanted);
    for (const address of addresses) await this.#load(known, address);
  }

  #showsServer({ window }: OpenWindow): boolean {
    const { session, supervisor } = this.#options;
    return isServerPage(window.webContents.getURL(), supervisor.ready?.address ?? session.address);
  }

  /** Path of the current page if it is a page of the dashboard. */
  #pathOf({ window }: OpenWindow): string | undefined {
    const text = window.webContents.getURL();
    if (!isAppPage(text, this.#options.session.address)) return undefined;
    const { pathname, search, hash } = new URL(text);
    return `${pathname}${search}${hash.startsWith('#code=') ? '' : hash}`;
  }

  async #load({ window }: OpenWindow, url: string): Promise<void> {
    if (window.isDestroyed()) return;
    try {
      await window.loadURL(url);
    } catch (error) {
      // A newer page replaced it, or the server stopped. `did-fail-load` and the server's next state handle this.
      if (!(error instanceof Error)) throw error;
    }
  }

  #remember({ window }: OpenWindow): void {
    if (window.isDestroyed() || window.isMinimized()) return;
    const bounds = window.getNormalBounds();
    const screenId = String(screen.getDisplayMatching(window.getBounds()).id);
    const isMaximized = window.isMaximized();
    this.#memory.keep(remember(this.#memory.value, { screenId, bounds, isMaximized }));
  }

  #rememberAll(): void {
    const front = this.#front();
    for (const known of this.#open.values()) if (known !== front) this.#remember(known);
    if (front) this.#remember(front);
  }

  #rescueAll(): void {
    for (const { window } of this.#open.values()) {
      const bounds: Rectangle | undefined = rescue(window.getBounds(), screens());
      if (bounds) window.setBounds(bounds);
    }
  }
}

/** Preferences of every page: no Node, and a sandboxed process of its own. */
export const PAGE_PREFERENCES = {
  preload: path.join(import.meta.dirname, 'preload.cjs'),
  contextIsolation: true,
  sandbox: true,
  nodeIntegration: false,
  webSecurity: true,
  spellcheck: false,
};

function screens(): ScreenArea[] {
  return screen.getAllDisplays().map(({ id, workArea }) => ({ id: String(id), workArea }));
}

/** Asks before a page with unsaved text is left; the event behind it waits for no promise. */
function mayLeave(window: BrowserWindow): boolean {
  return dialog.showMessageBoxSync(window, LEAVE_QUESTION) === LEAVE_ANSWER;
}

function raise(window: BrowserWindow): void {
  if (window.isMinimized()) window.restore();
  window.show();
  window.focus();
}
