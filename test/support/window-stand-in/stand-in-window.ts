import { EventEmitter } from 'node:events';
import type * as Electron from 'electron';
import { type BrowserProcess, ignoreEnded, type OpenedTarget } from './browser-process.ts';
import { StandInContents } from './stand-in-contents.ts';
import { hideXWindow, minimizeXWindow, raiseXWindow, screenSize } from './x-windows.ts';

/** What all windows of the app share. */
export interface WindowParts {
  /** Resolves when the browser runs. */
  browser: Promise<BrowserProcess>;
  app: EventEmitter & { isQuitting: boolean; onWindowClosed(): void };
  session: Electron.Session;
  handlers: Map<string, Parameters<Electron.IpcMain['handle']>[1]>;
}

/** Calls are sent to the real window in their order; what is asked is answered at once. */
export class StandInWindow extends EventEmitter implements WindowSurface {
  /** Set before the first window. */
  static parts: WindowParts;
  static readonly #all = new Map<number, StandInWindow>();
  static #lastId = 0;
  static getAllWindows = (): StandInWindow[] => [...StandInWindow.#all.values()];
  static getFocusedWindow = (): StandInWindow | null =>
    StandInWindow.getAllWindows().find((one) => one.isFocused()) ?? null;
  static fromId = (id: number): StandInWindow | null => StandInWindow.#all.get(id) ?? null;
  static fromWebContents = (contents: unknown): StandInWindow | null =>
    StandInWindow.getAllWindows().find((one) => one.contents === contents) ?? null;

  readonly id: number;
  readonly contents: StandInContents;
  readonly webContents: Electron.WebContents;
  readonly #opened: Promise<OpenedTarget>;
  /** The last call that was sent; the next one waits for it. */
  #calls: Promise<unknown>;
  #xWindow: string | undefined;
  #bounds: Electron.Rectangle;
  #isVisible: boolean;
  #isFocused = false;
  #isMinimized = false;
  #isMaximized = false;
  #isDestroyed = false;
  #isDestroying = false;

  constructor(options: Electron.BrowserWindowConstructorOptions = {}) {
    super();
    StandInWindow.#lastId += 1;
    this.id = StandInWindow.#lastId;
    const { parts } = StandInWindow;
    const { width = 800, height = 600, show = true } = options;
    const area = screenSize();
    const { x = Math.round((area.width - width) / 2), y = Math.round((area.height - height) / 2) } = options;
    this.#bounds = { x, y, width, height };
    this.#isVisible = show;
    this.contents = new StandInContents({
      preferences: options.webPreferences ?? {},
      session: parts.session,
      handlers: parts.handlers,
      onCloseAsked: () => this.close(),
    });
    this.webContents = this.contents as unknown as Electron.WebContents;
    StandInWindow.#all.set(this.id, this);
    const showWhenPainted = (): void => void this.emit('ready-to-show');
    this.contents.once('stand-in-paint', showWhenPainted);
    parts.app.emit('browser-window-created', {}, this);
    parts.app.emit('web-contents-created', {}, this.webContents);
    this.#opened = this.#open();
    this.#calls = this.#opened.catch((error: Error) => {
      if (!this.#isDestroyed) throw error;
    });
  }

  loadURL = (url: string): Promise<void> => this.contents.loadURL(url);
  show = (): void => {
    this.#isVisible = true;
    this.#isMinimized = false;
    this.#then(({ xWindow }) => raiseXWindow(xWindow));
    this.emit('show');
  };
  focus = (): void => this.#then(({ xWindow }) => (this.#isVisible ? raiseXWindow(xWindow) : Promise.resolve()));
  hide = (): void => {
    if (!this.#isVisible) return;
    this.#isVisible = false;
    this.#then(({ xWindow }) => hideXWindow(xWindow));
    this.emit('hide');
  };
  minimize = (): void => {
    this.#isMinimized = true;
    this.#then(({ xWindow }) => minimizeXWindow(xWindow));
    this.emit('minimize');
  };
  restore = (): void => {
    this.#isMinimized = false;
    this.#then(({ xWindow }) => raiseXWindow(xWindow));
    this.emit('restore');
  };
  maximize = (): void => {
    this.#isMaximized = true;
    this.#setBounds({ windowState: 'maximized' });
    this.emit('maximize');
  };
  isMinimized = (): boolean => this.#isMinimized;
  isMaximized = (): boolean => this.#isMaximized;
  isVisible = (): boolean => this.#isVisible;
  isDestroyed = (): boolean => this.#isDestroyed;
  isFocused = (): boolean => this.#isFocused;
  getBounds = (): Electron.Rectangle => this.#bounds;
  getNormalBounds = (): Electron.Rectangle => this.#bounds;
  setBounds = (bounds: Partial<Electron.Rectangle>): void => {
    this.#bounds = { ...this.#bounds, ...bounds };
    const { x, y, width, height } = this.#bounds;
    this.#setBounds({ left: x, top: y, width, height });
  };
  setVisibleOnAllWorkspaces = (): void => {};
  getTitle = (): string => 'Homeport';
  /** A listener may prevent it, and so may a page with unsaved text. */
  close = (): void => {
    let isKept = false;
    const preventDefault = (): void => {
      isKept = true;
    };
    this.emit('close', { preventDefault });
    if (!isKept) void this.contents.close().catch(ignoreEnded);
  };
  /** Asks nobody. */
  destroy = (): void => {
    if (this.#isDestroyed || this.#isDestroying) return;
    this.#isDestroying = true;
    this.contents.removeAllListeners('will-prevent-unload');
    this.contents.on('will-prevent-unload', (event: { preventDefault(): void }) => event.preventDefault());
    this.#then(async ({ targetId }) => {
      const { link } = await StandInWindow.parts.browser;
      await link.browser.send('Target.closeTarget', { targetId });
    });
    this.#onGone();
  };

  /** The window manager gave the focus to this window or took it. */
  onFocus(xWindow: string | undefined): void {
    const isFocused = xWindow !== undefined && xWindow === this.#xWindow && this.#isVisible;
    if (isFocused === this.#isFocused) return;
    this.#isFocused = isFocused;
    this.emit(isFocused ? 'focus' : 'blur');
    StandInWindow.parts.app.emit(isFocused ? 'browser-window-focus' : 'browser-window-blur', {}, this);
  }

  async #open(): Promise<OpenedTarget> {
    const browser = await StandInWindow.parts.browser;
    const opened = await browser.open(`stand-in-${process.pid}-${this.id}`, this.#bounds);
    this.#xWindow = opened.xWindow;
    if (!this.#isVisible) await hideXWindow(opened.xWindow);
    browser.link.browser.on('Target.detachedFromTarget', ({ targetId }) => {
      if (targetId === opened.targetId) this.#onGone();
    });
    await this.contents.attach(opened.target, opened.targetId, browser);
    return opened;
  }

  #setBounds(bounds: object): void {
    this.#then(async ({ targetId }) => {
      const { link } = await StandInWindow.parts.browser;
      const { windowId } = await link.browser.send('Browser.getWindowForTarget', { targetId });
      await link.browser.send('Browser.setWindowBounds', { windowId, bounds });
    });
  }

  #then(call: (opened: OpenedTarget) => Promise<unknown>): void {
    this.#calls = this.#calls.then(async () => call(await this.#opened)).catch(ignoreEnded);
  }

  #onGone(): void {
    if (this.#isDestroyed) return;
    this.onFocus(undefined);
    this.#isDestroyed = true;
    StandInWindow.#all.delete(this.id);
    this.contents.detach();
    this.emit('closed');
    StandInWindow.parts.app.onWindowClosed();
  }
}

type WindowSurface = Pick<
  Electron.BrowserWindow,
  | 'close'
  | 'destroy'
  | 'focus'
  | 'getBounds'
  | 'getNormalBounds'
  | 'getTitle'
  | 'hide'
  | 'id'
  | 'isDestroyed'
  | 'isFocused'
  | 'isMaximized'
  | 'isMinimized'
  | 'isVisible'
  | 'loadURL'
  | 'maximize'
  | 'minimize'
  | 'restore'
  | 'setBounds'
  | 'setVisibleOnAllWorkspaces'
  | 'show'
  | 'webContents'
>;
