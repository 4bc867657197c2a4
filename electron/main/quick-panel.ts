import { app, BrowserWindow, globalShortcut, nativeTheme, screen } from 'electron';
import { isServerPage } from '../rules/address-rules.ts';
import { isWayland } from '../rules/desktop-environment.ts';
import { panelBounds } from '../rules/window-bounds.ts';
import type { ServerSupervisor } from '../server-process/server-supervisor.ts';
import { PAGE_PREFERENCES } from './app-windows.ts';
import type { PageSession } from './page-session.ts';

const PAGE = '/app/quick-panel';

/** A small window with health, running work, last failures and pending approvals. */
export class QuickPanelWindow {
  readonly #supervisor: ServerSupervisor;
  readonly #session: PageSession;
  #window: BrowserWindow | undefined;
  readonly #isWayland = isWayland({ platform: process.platform, env: process.env, argv: process.argv });
  #shortcut: string | undefined;
  #isRefused = false;

  constructor({ supervisor, session }: { supervisor: ServerSupervisor; session: PageSession }) {
    this.#supervisor = supervisor;
    this.#session = session;
    supervisor.onState((state) => {
      this.#window?.webContents.send('onServerState', state);
      if (state.name !== 'ready') this.#window?.hide();
    });
    app.on('will-quit', () => globalShortcut.unregisterAll());
  }

  /** Registers the global shortcut. Returns false when another program has it already. */
  takeShortcut(accelerator: string | null): boolean {
    if (this.#shortcut) globalShortcut.unregister(this.#shortcut);
    this.#shortcut = undefined;
    this.#isRefused = accelerator !== null && !registers(accelerator, () => this.toggle());
    if (accelerator !== null && !this.#isRefused) this.#shortcut = accelerator;
    return !this.#isRefused;
  }

  /** Whether the system refused the shortcut that is wanted. */
  get isShortcutRefused(): boolean {
    return this.#isRefused;
  }

  toggle(): void {
    if (this.#window?.isVisible()) this.#window.hide();
    else
      this.#show().catch((error: unknown) => {
        // The server stopped while the page was loading: `onState` hides the panel, and the next press tries again.
        if (!(error instanceof Error)) throw error;
      });
  }

  close(): void {
    this.#window?.destroy();
  }

  async #show(): Promise<void> {
    const { ready } = this.#supervisor;
    if (!app.isReady() || !ready) return;
    const { workArea } = screen.getDisplayNearestPoint(screen.getCursorScreenPoint());
    const window = this.#window ?? this.#create();
    // Wayland places windows itself.
    if (!this.#isWayland) window.setBounds(panelBounds(workArea));
    if (!isServerPage(window.webContents.getURL(), ready.address))
      for (const address of await this.#session.addressesOf(PAGE)) await window.loadURL(address);
    window.show();
    window.focus();
  }

  #create(): BrowserWindow {
    const window = new BrowserWindow({
      width: 380,
      height: 520,
      title: 'Homeport',
      show: false,
      alwaysOnTop: !this.#isWayland,
      skipTaskbar: true,
      resizable: true,
      minimizable: false,
      maximizable: false,
      fullscreenable: false,
      backgroundColor: nativeTheme.shouldUseDarkColors ? '#0d1215' : '#ffffff',
      webPreferences: PAGE_PREFERENCES,
    });
    window.setVisibleOnAllWorkspaces(true, { visibleOnFullScreen: true });
    window.on('close', (event) => {
      event.preventDefault();
      window.hide();
    });
    // Wayland keeps no window on top: it would stay behind the others, where its shortcut only hides it.
    if (this.#isWayland) window.on('blur', () => window.isVisible() && window.hide());
    window.on('closed', () => {
      this.#window = undefined;
    });
    window.webContents.on('render-process-gone', () => window.destroy());
    window.webContents.on('before-input-event', (_event, { key, type }) => {
      if (type === 'keyUp' && key === 'Escape') window.hide();
    });
    this.#window = window;
    return window;
  }
}

/** Electron throws for text that is not a valid shortcut, and may answer true for one that it did not get. */
function registers(accelerator: string, press: () => void): boolean {
  try {
    return globalShortcut.register(accelerator, press) && globalShortcut.isRegistered(accelerator);
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}
