import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import type * as Electron from 'electron';
import { type BrowserProcess, ignoreEnded } from './browser-process.ts';
import type { CdpTarget } from './cdp-link.ts';
import {
  BINDING,
  findText,
  mainWorldScript,
  type PageMessage,
  PRELOAD_WORLD,
  preloadWorldScript,
} from './page-worlds.ts';

/** What the contents need of the rest of the app. */
export interface ContentsParts {
  preferences: Electron.WebPreferences;
  session: Electron.Session;
  /** Handlers of `ipcMain`. */
  handlers: Map<string, Parameters<Electron.IpcMain['handle']>[1]>;
  onCloseAsked: () => void;
}

const ABORTED = -3;
/** Chromium's names for its errors, and Electron's numbers. */
const ERRORS: Record<string, number> = {
  'net::ERR_ABORTED': ABORTED,
  'net::ERR_FAILED': -2,
  'net::ERR_CONNECTION_REFUSED': -102,
  'net::ERR_CONNECTION_RESET': -101,
  'net::ERR_EMPTY_RESPONSE': -324,
};
let lastToken = 0;

/** The page of a window: a real one, behind the events and calls of Electron's `WebContents`. */
export class StandInContents extends EventEmitter implements ContentsSurface {
  readonly session: Electron.Session;
  readonly drags: Electron.Item[] = [];
  readonly #parts: ContentsParts;
  readonly #target = Promise.withResolvers<CdpTarget>();
  #mainFrame = '';
  #world: number | undefined;
  #url = '';
  /** The address of `loadURL` that is not shown yet. */
  #pending: string | undefined;
  #loads = new Map<string, PromiseWithResolvers<void>>();
  #finished = new Set<string>();
  #zoom = 1;
  #searches = 0;
  #isDestroyed = false;
  #openHandler: Parameters<Electron.WebContents['setWindowOpenHandler']>[0] | undefined;

  constructor(parts: ContentsParts) {
    super();
    this.#parts = parts;
    this.session = parts.session;
  }

  async attach(target: CdpTarget, targetId: string, browser: BrowserProcess): Promise<void> {
    this.#mainFrame = targetId;
    this.#listen(target);
    lastToken += 1;
    const token = `stand-in-${process.pid}-${lastToken}`;
    const { preload } = this.#parts.preferences;
    await target.send('Page.enable');
    await target.send('Page.setLifecycleEventsEnabled', { enabled: true });
    await target.send('Runtime.enable');
    await target.send('Inspector.enable');
    await target.send('Network.enable');
    await target.send('Runtime.addBinding', { name: BINDING, executionContextName: PRELOAD_WORLD });
    await target.send('Page.addScriptToEvaluateOnNewDocument', { source: mainWorldScript(token) });
    await target.send('Page.addScriptToEvaluateOnNewDocument', {
      source: preloadWorldScript(token, preload ? readFileSync(preload, 'utf8') : ''),
      worldName: PRELOAD_WORLD,
    });
    await target.send('Fetch.enable', { patterns: [{ resourceType: 'Document', urlPattern: '*' }] });
    target.on('Page.frameNavigated', ({ frame }) => {
      if (frame.id === this.#mainFrame) void this.#applyPermissions(browser, frame.url).catch(ignoreEnded);
    });
    this.#target.resolve(target);
  }

  /** The page has gone with its window. */
  detach(): void {
    this.#isDestroyed = true;
    for (const load of this.#loads.values()) load.reject(new Error('The window was closed.'));
    this.emit('destroyed');
  }

  getURL = (): string => this.#pending ?? this.#url;
  isDestroyed = (): boolean => this.#isDestroyed;
  getZoomFactor = (): number => this.#zoom;
  setZoomFactor = (factor: number): void => {
    this.#zoom = factor;
    void this.#applyZoom().catch(ignoreEnded);
  };
  setWindowOpenHandler: Electron.WebContents['setWindowOpenHandler'] = (handler) => {
    this.#openHandler = handler;
  };
  startDrag = (item: Electron.Item): void => void this.drags.push(item);
  forcefullyCrashRenderer = (): void => {
    // A page that ends cannot answer.
    void this.#target.promise.then((target) => target.send('Page.crash')).catch(ignoreEnded);
  };
  reload = (): void => {
    void this.#target.promise.then((target) => target.send('Page.reload')).catch(ignoreEnded);
  };

  send = (channel: string, ...args: unknown[]): void => {
    void this.#inPreloadWorld(`standInSend(${JSON.stringify(channel)}, ${JSON.stringify(args)})`).catch(ignoreEnded);
  };

  executeJavaScript = async (code: string): Promise<unknown> => {
    const target = await this.#target.promise;
    const { result, exceptionDetails } = await target.send('Runtime.evaluate', {
      expression: code,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  };

  findInPage = (text: string, { forward = true, findNext = false }: Electron.FindInPageOptions = {}): number => {
    this.#searches += 1;
    const requestId = this.#searches;
    const asked = JSON.stringify({ text, forward, isAgain: !findNext });
    void this.#inPreloadWorld(`(${findText})(${asked})`).then((found) => {
      this.emit('found-in-page', {}, { ...(found as object), requestId, finalUpdate: true });
    }, ignoreEnded);
    return requestId;
  };
  stopFindInPage = (): void => {
    void this.#inPreloadWorld('getSelection()?.removeAllRanges()').catch(ignoreEnded);
  };

  /** Rejects when another page is loaded meanwhile, when nothing answers, and when the page is kept. */
  loadURL = async (url: string): Promise<void> => {
    const target = await this.#target.promise;
    this.#pending = url;
    const { errorText, loaderId } = await target.send('Page.navigate', { url });
    if (this.#pending === url) this.#pending = undefined;
    if (errorText) {
      if (errorText !== 'net::ERR_ABORTED') this.#failLoad(errorText, url);
      throw new Error(`${errorText.replace('net::', '')} (${ERRORS[errorText] ?? -2}) loading '${url}'`);
    }
    // A move within the same document loads nothing.
    if (!loaderId || this.#finished.has(loaderId)) return;
    for (const [id, former] of this.#loads) {
      former.reject(new Error(`ERR_ABORTED (${ABORTED}) loading another page`));
      this.#loads.delete(id);
    }
    const load = Promise.withResolvers<void>();
    this.#loads.set(loaderId, load);
    await load.promise;
  };

  async close(): Promise<void> {
    const target = await this.#target.promise;
    await target.send('Page.close').catch(ignoreEnded);
  }

  #listen(target: CdpTarget): void {
    target.on('Runtime.executionContextCreated', ({ context }) => {
      if (context.name === PRELOAD_WORLD && context.auxData?.['frameId'] === this.#mainFrame) this.#world = context.id;
    });
    target.on('Runtime.bindingCalled', ({ payload }) => this.#onMessage(JSON.parse(payload) as PageMessage));
    target.on('Page.frameNavigated', ({ frame }) => {
      if (frame.id !== this.#mainFrame) return;
      this.#url = `${frame.url}${frame.urlFragment ?? ''}`;
      if (this.#zoom !== 1) void this.#applyZoom().catch(ignoreEnded);
      this.emit('did-navigate', {}, this.#url, 200, '');
    });
    target.on('Page.navigatedWithinDocument', ({ frameId, url }) => {
      if (frameId !== this.#mainFrame) return;
      this.#url = url;
      this.emit('did-navigate-in-page', {}, url, true);
    });
    target.on('Page.lifecycleEvent', ({ frameId, loaderId, name }) => {
      if (frameId !== this.#mainFrame) return;
      if (name === 'firstPaint') this.emit('stand-in-paint');
      if (name !== 'load') return;
      this.#finished.add(loaderId);
      this.#loads.get(loaderId)?.resolve();
      this.#loads.delete(loaderId);
      this.emit('did-finish-load');
    });
    target.on('Network.loadingFailed', ({ errorText, type }) => {
      if (type === 'Document' && this.#pending === undefined) this.#failLoad(errorText, this.#url);
    });
    target.on('Page.javascriptDialogOpening', ({ type }) => {
      if (type === 'beforeunload')
        void target.send('Page.handleJavaScriptDialog', { accept: this.#mayUnload() }).catch(ignoreEnded);
    });
    target.on('Inspector.targetCrashed', () => {
      this.#world = undefined;
      this.emit('render-process-gone', {}, { reason: 'crashed', exitCode: 1 });
    });
    this.#listenToNavigation(target);
  }

  #listenToNavigation(target: CdpTarget): void {
    target.on('Fetch.requestPaused', ({ frameId, redirectedRequestId, request, requestId }) => {
      const isMainFrame = frameId === this.#mainFrame;
      const url = `${request.url}${request.urlFragment ?? ''}`;
      const isAllowed =
        redirectedRequestId === undefined
          ? this.#pending === url || this.#mayNavigate(url, isMainFrame)
          : this.#isLeft('will-redirect', { url, isMainFrame });
      const answer = isAllowed
        ? target.send('Fetch.continueRequest', { requestId })
        : target.send('Fetch.failRequest', { requestId, errorReason: 'Aborted' });
      void answer.catch(ignoreEnded);
    });
    // Other schemes are never requested: Chromium hands them to the system, Electron asks the app.
    target.on('Page.frameRequestedNavigation', ({ disposition, frameId, url }) => {
      if (disposition !== 'currentTab') this.#openWindow({ url, frameName: '', features: '' });
      else if (!/^(https?|data|about|blob):/.test(url)) this.#mayNavigate(url, frameId === this.#mainFrame);
    });
    // Links with a target; `window.open` is answered in the page. `BrowserProcess` closes what Chromium opens.
    target.on('Page.windowOpen', ({ url, windowFeatures, windowName }) =>
      this.#openWindow({
        url,
        frameName: windowName === '_blank' ? '' : windowName,
        features: windowFeatures.join(','),
      }),
    );
  }

  #onMessage(message: PageMessage): void {
    if (message.kind === 'invoke') void this.#answer(message).catch(ignoreEnded);
    else if (message.kind === 'open') this.#openWindow(message);
    else if (message.kind === 'close') this.#parts.onCloseAsked();
    else if (message.kind === 'key') this.emit('before-input-event', { preventDefault() {} }, message);
    else if (message.kind === 'context-menu') {
      const { hasText, isEditable, selectionText } = message;
      const editFlags = { canCut: hasText && isEditable, canCopy: hasText, canPaste: isEditable };
      this.emit('context-menu', {}, { isEditable, selectionText, editFlags });
    }
  }

  async #answer({ args, channel, id }: Extract<PageMessage, { kind: 'invoke' }>): Promise<void> {
    const event = {
      sender: this as unknown as Electron.WebContents,
      senderFrame: { url: this.#url, parent: null },
    } as Electron.IpcMainInvokeEvent;
    let answer: object;
    try {
      const handler = this.#parts.handlers.get(channel);
      if (!handler) throw new Error(`No handler registered for '${channel}'`);
      answer = { id, value: await handler(event, ...args) };
    } catch (error) {
      answer = { id, error: `Error invoking remote method '${channel}': ${String(error)}` };
    }
    await this.#inPreloadWorld(`standInAnswer(${JSON.stringify(answer)})`);
  }

  #openWindow({ features, frameName, url }: { url: string; frameName: string; features: string }): void {
    const details = {
      url,
      frameName,
      features,
      disposition: 'new-window',
      referrer: { url: this.#url, policy: 'default' },
    };
    const response = this.#openHandler?.(details as Electron.HandlerDetails);
    if (response?.action !== 'deny')
      throw new Error('The stand-in opens no window for a page. Let the handler deny it, and open a BrowserWindow.');
  }

  #mayNavigate(url: string, isMainFrame: boolean): boolean {
    const isLeft = !isMainFrame || this.#isLeft('will-navigate', { url, isMainFrame });
    return this.#isLeft('will-frame-navigate', { url, isMainFrame }) && isLeft;
  }

  /** False when a listener prevents what Electron would do. */
  #isLeft(name: string, details: object): boolean {
    let isLeft = true;
    const preventDefault = (): void => {
      isLeft = false;
    };
    this.emit(name, { ...details, preventDefault });
    return isLeft;
  }

  /** Electron asks nobody: the page stays unless a listener prevents that. */
  #mayUnload(): boolean {
    return !this.#isLeft('will-prevent-unload', {});
  }

  #failLoad(errorText: string, url: string): void {
    const code = ERRORS[errorText] ?? -2;
    this.emit('did-fail-load', {}, code, errorText.replace('net::', ''), url, true);
  }

  async #inPreloadWorld(expression: string): Promise<unknown> {
    const target = await this.#target.promise;
    if (this.#world === undefined) return undefined;
    const { result, exceptionDetails } = await target.send('Runtime.evaluate', {
      expression,
      contextId: this.#world,
      returnByValue: true,
    });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  /** A zoomed page has fewer and larger pixels, as in a browser. */
  async #applyZoom(): Promise<void> {
    const target = await this.#target.promise;
    if (this.#zoom === 1) return void (await target.send('Emulation.clearDeviceMetricsOverride'));
    await target.send('Emulation.clearDeviceMetricsOverride');
    const { cssLayoutViewport } = await target.send('Page.getLayoutMetrics');
    await target.send('Emulation.setDeviceMetricsOverride', {
      width: Math.round(cssLayoutViewport.clientWidth / this.#zoom),
      height: Math.round(cssLayoutViewport.clientHeight / this.#zoom),
      deviceScaleFactor: this.#zoom,
      scale: this.#zoom,
      mobile: false,
    });
  }

  /** What the app answers about permissions becomes what pages of this origin have. */
  async #applyPermissions(browser: BrowserProcess, url: string): Promise<void> {
    const address = URL.parse(url);
    if (!address || !/^https?:$/.test(address.protocol)) return;
    const { check } = this.session as unknown as { check: Electron.Session['setPermissionCheckHandler'] };
    const decide = check as unknown as ((contents: unknown, permission: string, origin: string) => boolean) | null;
    for (const [permission, name] of Object.entries(PERMISSIONS)) {
      const setting = (decide?.(this, permission, address.origin) ?? true) ? 'granted' : 'denied';
      await browser.link.browser.send('Browser.setPermission', {
        origin: address.origin,
        permission: { name },
        setting,
      });
    }
  }
}

/** Electron's names of permissions, and those of the protocol. */
const PERMISSIONS: Record<string, string> = {
  'clipboard-read': 'clipboard-read',
  'clipboard-sanitized-write': 'clipboard-write',
  geolocation: 'geolocation',
  media: 'camera',
  midi: 'midi',
  notifications: 'notifications',
};

type ContentsSurface = Pick<
  Electron.WebContents,
  | 'executeJavaScript'
  | 'findInPage'
  | 'forcefullyCrashRenderer'
  | 'getURL'
  | 'getZoomFactor'
  | 'isDestroyed'
  | 'reload'
  | 'send'
  | 'session'
  | 'setWindowOpenHandler'
  | 'setZoomFactor'
  | 'startDrag'
  | 'stopFindInPage'
>;
