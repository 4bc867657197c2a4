import { EventEmitter } from 'node:events';
import type * as Electron from 'electron';

/** A page. Nothing is drawn; `url` is the last loaded address. */
export class FakeContents extends EventEmitter implements ContentsSurface {
  url = '';
  /** The page asks before it is left: it has text that is not saved. */
  hasUnsavedText = false;
  readonly sent: Array<{ channel: string; args: unknown[] }> = [];
  readonly searches: Array<{ text: string; options: Electron.FindInPageOptions | undefined }> = [];
  readonly drags: Electron.Item[] = [];
  zoom = 1;
  windowOpenHandler: Parameters<Electron.WebContents['setWindowOpenHandler']>[0] | undefined;
  readonly session = new FakeSession() as unknown as Electron.Session;

  getURL = (): string => this.url;
  send = (channel: string, ...args: unknown[]): void => void this.sent.push({ channel, args });
  getZoomFactor = (): number => this.zoom;
  setZoomFactor = (factor: number): void => {
    this.zoom = factor;
  };
  forcefullyCrashRenderer = (): void => this.crash();
  startDrag = (item: Electron.Item): void => void this.drags.push(item);
  findInPage = (text: string, options?: Electron.FindInPageOptions): number => this.searches.push({ text, options });
  stopFindInPage = (): void => void this.searches.push({ text: '', options: undefined });
  setWindowOpenHandler = (handler: Parameters<Electron.WebContents['setWindowOpenHandler']>[0]): void => {
    this.windowOpenHandler = handler;
  };

  /** The shell runs code in pages to learn whether they ask before they are left; a test may answer other code. */
  executeJavaScript: (code: string) => Promise<unknown> = async () => this.hasUnsavedText;

  /** The page is to be left. False when it has unsaved text, unless a listener of `will-prevent-unload` says otherwise. */
  mayUnload(): boolean {
    if (!this.hasUnsavedText) return true;
    let isLeft = false;
    const preventDefault = (): void => {
      isLeft = true;
    };
    this.emit('will-prevent-unload', { preventDefault });
    if (isLeft) this.hasUnsavedText = false;
    return isLeft;
  }

  /** Its process ends. */
  crash(reason: Electron.RenderProcessGoneDetails['reason'] = 'crashed'): void {
    this.url = '';
    this.emit('render-process-gone', {}, { reason, exitCode: 1 });
  }

  /** Clicks a link; true when the shell allows the navigation. */
  navigate(url: string, { isMainFrame = true } = {}): boolean {
    let isAllowed = true;
    const preventDefault = (): void => {
      isAllowed = false;
    };
    const event = { url, isMainFrame, preventDefault };
    if (isMainFrame) this.emit('will-navigate', event);
    this.emit('will-frame-navigate', event);
    if (isAllowed && isMainFrame) this.url = url;
    return isAllowed;
  }
}

type ContentsSurface = Pick<
  Electron.WebContents,
  | 'executeJavaScript'
  | 'findInPage'
  | 'forcefullyCrashRenderer'
  | 'getURL'
  | 'getZoomFactor'
  | 'send'
  | 'session'
  | 'setWindowOpenHandler'
  | 'setZoomFactor'
  | 'startDrag'
  | 'stopFindInPage'
>;

/** Decisions of the shell about permissions. */
export class FakeSession implements SessionSurface {
  request: Parameters<Electron.Session['setPermissionRequestHandler']>[0] = null;
  check: Parameters<Electron.Session['setPermissionCheckHandler']>[0] = null;
  device: Parameters<Electron.Session['setDevicePermissionHandler']>[0] = null;

  setPermissionRequestHandler: Electron.Session['setPermissionRequestHandler'] = (handler) => {
    this.request = handler;
  };
  setPermissionCheckHandler: Electron.Session['setPermissionCheckHandler'] = (handler) => {
    this.check = handler;
  };
  setDevicePermissionHandler: Electron.Session['setDevicePermissionHandler'] = (handler) => {
    this.device = handler;
  };
}

type SessionSurface = Pick<
  Electron.Session,
  'setDevicePermissionHandler' | 'setPermissionCheckHandler' | 'setPermissionRequestHandler'
>;
