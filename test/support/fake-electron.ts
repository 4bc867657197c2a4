import { EventEmitter } from 'node:events';
import path from 'node:path';
import type * as Electron from 'electron';
import { FakeContents } from './fake-web-contents.ts';

/**
 * The part of Electron that the shell uses, for tests under Node: it records its calls and fires events on the test's
 * command. Every member is checked against Electron's own types, so that a call that does not exist there does not
 * compile here.
 */

/** A menu entry with its submenu. */
export interface FakeItem extends Electron.MenuItemConstructorOptions {
  entries: FakeItem[];
}

const MAIN_SCREEN = { id: 1, workArea: { x: 0, y: 0, width: 1920, height: 1040 } };

/** What goes wrong on computers of other people. Each is a switch that a test may also change while the app runs. */
export interface Unkind {
  /** Events that tell of a drawn or loaded page never come. */
  neverReady?: boolean;
  /** The session bus has no watcher of tray icons, as on GNOME. */
  noTray?: boolean;
  /** The desktop has no tray, and says so by an error. */
  trayThrows?: boolean;
  /** `register` answers true and does nothing. */
  deafShortcuts?: boolean;
  /** Switches of the command line, as Chromium knows them. */
  switches?: string[];
  /** The app was started by the login to the computer. */
  wasOpenedAtLogin?: boolean;
}

export function createFakeElectron({ userFolder, unkind = {} }: { userFolder: string; unkind?: Unkind }) {
  const windows: FakeWindow[] = [];
  const menus: { application: FakeMenu | null; dock: FakeMenu | undefined } = { application: null, dock: undefined };
  const notifications: FakeNotification[] = [];
  const trays: FakeTray[] = [];
  const opened: string[] = [];
  const errors: string[] = [];
  const handlers = new Map<string, Parameters<Electron.IpcMain['handle']>[1]>();
  const shortcuts = new Map<string, () => void>();
  /** Shortcuts that another program holds. */
  const takenShortcuts = new Set<string>();
  const responses: { messageBox: number; savePath: string } = { messageBox: 0, savePath: '' };
  const messageBoxes: Electron.MessageBoxOptions[] = [];
  const screens = [MAIN_SCREEN];
  let focused: FakeWindow | undefined;
  let clipboardText = '';

  class FakeWindow extends EventEmitter implements WindowSurface {
    readonly id = windows.length + 1;
    readonly options: Electron.BrowserWindowConstructorOptions;
    readonly contents = new FakeContents();
    readonly webContents = this.contents as unknown as Electron.WebContents;
    readonly loaded: string[] = [];
    bounds: Electron.Rectangle;
    visible = false;
    destroyed = false;

    constructor(options: Electron.BrowserWindowConstructorOptions = {}) {
      super();
      this.options = options;
      const { x = 0, y = 0, width = 800, height = 600 } = options;
      this.bounds = { x, y, width, height };
      windows.push(this);
      app.emit('web-contents-created', {}, this.webContents);
      app.emit('browser-window-created', {}, this);
    }

    loadURL = async (url: string): Promise<void> => {
      if (!this.contents.mayUnload()) throw new Error('ERR_ABORTED (-3)');
      this.loaded.push(url);
      this.contents.url = url.replace(/#code=.*$/, '');
      if (unkind.neverReady) return;
      if (this.loaded.length === 1) this.emit('ready-to-show');
      this.contents.emit('did-finish-load');
    };
    show = (): void => {
      this.visible = true;
      this.focus();
    };
    focus = (): void => {
      focused = this;
      this.emit('focus');
      app.emit('browser-window-focus', {}, this);
    };
    hide = (): void => {
      this.visible = false;
      if (focused === this) focused = undefined;
      this.emit('blur');
    };
    restore = (): void => {};
    maximize = (): void => {};
    isMinimized = (): boolean => false;
    isMaximized = (): boolean => false;
    isVisible = (): boolean => this.visible;
    isDestroyed = (): boolean => this.destroyed;
    isFocused = (): boolean => focused === this;
    getBounds = (): Electron.Rectangle => this.bounds;
    getNormalBounds = (): Electron.Rectangle => this.bounds;
    setBounds = (bounds: Partial<Electron.Rectangle>): void => {
      this.bounds = { ...this.bounds, ...bounds };
    };
    setVisibleOnAllWorkspaces = (): void => {};
    /** Closes as a person does; the shell may prevent it, and so may a page with unsaved text. */
    close = (): void => {
      let isKept = false;
      const preventDefault = (): void => {
        isKept = true;
      };
      this.emit('close', { preventDefault });
      if (!isKept && this.contents.mayUnload()) this.destroy();
    };
    destroy = (): void => {
      if (this.destroyed) return;
      this.destroyed = true;
      this.hide();
      this.emit('closed');
      if (windows.every((one) => one.destroyed)) app.emit('window-all-closed');
    };
  }

  class FakeApp extends EventEmitter implements AppSurface {
    readonly isPackaged = false;
    readonly dock = { setMenu: (menu: unknown) => Object.assign(menus, { dock: menu }) } as unknown as Electron.Dock;
    readonly folders: Record<string, string> = {};
    hasQuit = false;
    badge = 0;
    loginItem: Electron.Settings | undefined;
    isSandboxed = false;
    desktopName = '';
    hasGraphics = true;
    exitStatus: number | undefined;
    readonly commandLine = {
      hasSwitch: (name: string) => unkind.switches?.includes(name) ?? false,
    } as Electron.CommandLine;

    setDesktopName = (name: string): void => {
      this.desktopName = name;
    };
    disableHardwareAcceleration = (): void => {
      this.hasGraphics = false;
    };
    /** Ends at once, without the events of `quit`. */
    exit = (status = 0): void => {
      this.exitStatus = status;
      this.hasQuit = true;
    };
    relaunch = (): void => {};
    getGPUFeatureStatus = () => ({ gpu_compositing: 'enabled' }) as Electron.GPUFeatureStatus;
    moveToApplicationsFolder = (): boolean => false;

    whenReady = async (): Promise<void> => {};
    isReady = (): boolean => true;
    getName = (): string => 'Homeport';
    getVersion = (): string => '0.0.0-test';
    getLocale = (): string => 'en';
    setName = (): void => {};
    setAppUserModelId = (): void => {};
    getPath = (name: Parameters<Electron.App['getPath']>[0]): string =>
      this.folders[name] ?? path.join(userFolder, name);
    setPath = (name: string, folder: string): void => {
      this.folders[name] = folder;
    };
    hasLock = false;
    requestSingleInstanceLock = (): boolean => {
      this.hasLock = true;
      return true;
    };
    releaseSingleInstanceLock = (): void => {
      this.hasLock = false;
    };
    enableSandbox = (): void => {
      this.isSandboxed = true;
    };
    setAsDefaultProtocolClient = (): boolean => true;
    setUserTasks = (): boolean => true;
    setBadgeCount = (count?: number): boolean => {
      this.badge = count ?? 0;
      return true;
    };
    setLoginItemSettings = (settings: Electron.Settings): void => {
      this.loginItem = settings;
    };
    getLoginItemSettings = () => ({ wasOpenedAtLogin: unkind.wasOpenedAtLogin ?? false }) as Electron.LoginItemSettings;
    /** Fires an event of Electron; a listener may prevent it. */
    quit = (): void => {
      let isPrevented = false;
      const preventDefault = (): void => {
        isPrevented = true;
      };
      this.emit('before-quit', { preventDefault });
      if (isPrevented) return;
      for (const window of windows) if (!window.destroyed) window.close();
      // A window that stays open ends the attempt.
      if (windows.some((window) => !window.destroyed)) return;
      this.hasQuit = true;
      this.emit('will-quit');
    };
  }

  class FakeMenu {
    readonly items: FakeItem[];

    constructor(template: readonly Electron.MenuItemConstructorOptions[]) {
      this.items = template.map((one) => ({
        ...one,
        entries: Array.isArray(one.submenu) ? new FakeMenu(one.submenu).items : [],
      }));
    }

    static buildFromTemplate(template: Electron.MenuItemConstructorOptions[]): FakeMenu {
      return new FakeMenu(template);
    }

    static setApplicationMenu(menu: FakeMenu | null): void {
      menus.application = menu;
    }

    static getApplicationMenu(): { items: unknown[] } | null {
      const asItem = (item: FakeItem): object => ({
        label: item.label,
        submenu: { items: item.entries.map(asItem) },
        click: () => item.click?.({} as Electron.MenuItem, undefined, {} as Electron.KeyboardEvent),
      });
      return menus.application && { items: menus.application.items.map(asItem) };
    }

    popup(): void {}

    /** The entry at a path of labels. */
    entry(...labels: string[]): FakeItem {
      let items = this.items;
      let found: FakeItem | undefined;
      for (const label of labels) {
        found = items.find((item) => item.label?.startsWith(label));
        if (!found)
          throw new Error(`There is no entry ${label} among ${items.map((item) => item.label ?? item.role)}.`);
        items = found.entries;
      }
      if (!found) throw new Error('Name an entry.');
      return found;
    }

    press(...labels: string[]): void {
      const { click, enabled } = this.entry(...labels);
      if (enabled === false || !click) throw new Error(`${labels.join(' > ')} cannot be pressed.`);
      click({} as Electron.MenuItem, undefined, {} as Electron.KeyboardEvent);
    }
  }

  class FakeTray extends EventEmitter implements TraySurface {
    picture: string;
    toolTip = '';
    title = '';
    menu: FakeMenu | undefined;

    constructor(picture: unknown) {
      super();
      if (unkind.trayThrows) throw new Error('There is no tray.');
      this.picture = String(picture);
      trays.push(this);
    }
    setImage = (picture: unknown): void => {
      this.picture = String(picture);
    };
    setToolTip = (text: string): void => {
      this.toolTip = text;
    };
    setTitle = (text: string): void => {
      this.title = text;
    };
    setContextMenu = (menu: unknown): void => {
      this.menu = menu as FakeMenu;
    };
  }

  class FakeNotification extends EventEmitter implements NotificationSurface {
    readonly options: Electron.NotificationConstructorOptions;
    isShown = false;

    constructor(options: Electron.NotificationConstructorOptions = {}) {
      super();
      this.options = options;
      notifications.push(this);
    }
    static isSupported = (): boolean => true;
    show = (): void => {
      this.isShown = true;
      this.emit('show', {});
    };
    close = (): void => {
      this.isShown = false;
      this.emit('close', {});
    };
  }

  const app = new FakeApp();
  const powerMonitor = Object.assign(new EventEmitter(), { onBatteryPower: false });
  const clipboard = {
    readText: async () => clipboardText,
    writeText: async (text: string) => {
      clipboardText = text;
    },
    clear: () => {
      clipboardText = '';
    },
  } satisfies Pick<Electron.Clipboard, 'clear' | 'readText' | 'writeText'>;
  const dialog = {
    showMessageBox: (async (...args: [Electron.MessageBoxOptions] | [unknown, Electron.MessageBoxOptions]) => {
      messageBoxes.push(args.at(-1) as Electron.MessageBoxOptions);
      return { response: responses.messageBox, checkboxChecked: false };
    }) as Electron.Dialog['showMessageBox'],
    showMessageBoxSync: ((...args: [Electron.MessageBoxSyncOptions] | [unknown, Electron.MessageBoxSyncOptions]) => {
      messageBoxes.push(args.at(-1) as Electron.MessageBoxSyncOptions);
      return responses.messageBox;
    }) as Electron.Dialog['showMessageBoxSync'],
    showErrorBox: (title: string, content: string) => void errors.push(`${title}: ${content}`),
    showSaveDialog: (async () => ({
      canceled: responses.savePath === '',
      filePath: responses.savePath,
    })) as Electron.Dialog['showSaveDialog'],
  } satisfies Pick<Electron.Dialog, 'showErrorBox' | 'showMessageBox' | 'showMessageBoxSync' | 'showSaveDialog'>;
  const shell = {
    openExternal: async (url: string) => void opened.push(url),
    openPath: async (file: string) => {
      opened.push(file);
      return '';
    },
    showItemInFolder: (file: string) => void opened.push(file),
  } satisfies Pick<Electron.Shell, 'openExternal' | 'openPath' | 'showItemInFolder'>;
  const globalShortcut = {
    register: (accelerator: string, press: () => void) => {
      if (takenShortcuts.has(accelerator)) return false;
      if (unkind.deafShortcuts) return true;
      shortcuts.set(accelerator, press);
      return true;
    },
    isRegistered: (accelerator: string) => shortcuts.has(accelerator),
    unregister: (accelerator: string) => void shortcuts.delete(accelerator),
    unregisterAll: () => shortcuts.clear(),
  } satisfies Pick<Electron.GlobalShortcut, 'isRegistered' | 'register' | 'unregister' | 'unregisterAll'>;
  const screen = Object.assign(new EventEmitter(), {
    getAllDisplays: () => screens as Electron.Display[],
    getPrimaryDisplay: () => screens[0] as Electron.Display,
    getDisplayMatching: () => screens[0] as Electron.Display,
    getDisplayNearestPoint: () => screens[0] as Electron.Display,
    getCursorScreenPoint: () => ({ x: 0, y: 0 }),
  }) satisfies Pick<
    Electron.Screen,
    'getAllDisplays' | 'getCursorScreenPoint' | 'getDisplayMatching' | 'getDisplayNearestPoint' | 'getPrimaryDisplay'
  >;
  const cleared: string[] = [];
  const session = {
    defaultSession: {
      clearStorageData: async (options?: Electron.ClearStorageDataOptions) =>
        void cleared.push(...(options?.storages ?? [])),
    } satisfies Pick<Electron.Session, 'clearStorageData'>,
  };
  const ipcMain: Pick<Electron.IpcMain, 'handle'> = {
    handle: (name: string, handler: Parameters<Electron.IpcMain['handle']>[1]) => void handlers.set(name, handler),
  };

  return {
    /** The module that `import … from 'electron'` resolves to. */
    module: {
      app,
      BrowserWindow: FakeWindow,
      clipboard,
      dialog,
      globalShortcut,
      ipcMain,
      Menu: FakeMenu,
      nativeImage: { createFromPath: (file: string) => file },
      nativeTheme: { shouldUseDarkColors: false },
      Notification: FakeNotification,
      powerMonitor,
      screen,
      session,
      shell,
      Tray: FakeTray,
    } as Record<string, unknown>,
    app,
    answers: responses,
    cleared,
    clipboard,
    errors,
    menus,
    messageBoxes,
    notifications,
    opened,
    powerMonitor,
    screen,
    screens,
    shortcuts,
    takenShortcuts,
    trays,
    windows,
    /** No window of the app has the focus any more. */
    lookElsewhere: () => {
      focused = undefined;
    },
    /** A page calls the bridge; `frameUrl` and `parent` are the sender's. */
    callBridge: (
      name: string,
      args: unknown[],
      from: { window: { webContents: Electron.WebContents }; frameUrl: string; parent?: unknown },
    ): Promise<unknown> => {
      const handler = handlers.get(name);
      if (!handler) throw new Error(`The bridge has no ${name}.`);
      const event = {
        sender: from.window.webContents,
        senderFrame: { url: from.frameUrl, parent: from.parent ?? null },
      };
      return Promise.resolve().then(() => handler(event as Electron.IpcMainInvokeEvent, ...args));
    },
  };
}

export type FakeElectron = ReturnType<typeof createFakeElectron>;

type WindowSurface = Pick<
  Electron.BrowserWindow,
  | 'close'
  | 'destroy'
  | 'focus'
  | 'getBounds'
  | 'getNormalBounds'
  | 'hide'
  | 'id'
  | 'isDestroyed'
  | 'isFocused'
  | 'isMaximized'
  | 'isMinimized'
  | 'isVisible'
  | 'loadURL'
  | 'maximize'
  | 'restore'
  | 'setBounds'
  | 'setVisibleOnAllWorkspaces'
  | 'show'
  | 'webContents'
>;
type AppSurface = Pick<
  Electron.App,
  | 'commandLine'
  | 'disableHardwareAcceleration'
  | 'dock'
  | 'enableSandbox'
  | 'exit'
  | 'getGPUFeatureStatus'
  | 'getLocale'
  | 'getLoginItemSettings'
  | 'getPath'
  | 'getVersion'
  | 'isPackaged'
  | 'isReady'
  | 'moveToApplicationsFolder'
  | 'quit'
  | 'relaunch'
  | 'releaseSingleInstanceLock'
  | 'requestSingleInstanceLock'
  | 'setAppUserModelId'
  | 'setAsDefaultProtocolClient'
  | 'setBadgeCount'
  | 'setDesktopName'
  | 'setLoginItemSettings'
  | 'setName'
  | 'setPath'
  | 'setUserTasks'
  | 'whenReady'
>;
type TraySurface = Pick<Electron.Tray, 'setTitle' | 'setToolTip'>;
type NotificationSurface = Pick<Electron.Notification, 'close' | 'show'>;
