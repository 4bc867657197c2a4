import { z } from 'zod';
import type { ServerState } from './shell-messages.ts';

/** Settings of the desktop app. The shell stores them on this computer, outside the data folder. */
export const shellSettings = z.object({
  /** Effect of closing the last window: the hub continues in the background, or everything stops. */
  closeAction: z.enum(['hide', 'quit']).default('hide'),
  /** Starts without a window when this user logs in to the computer. */
  startAtLogin: z.boolean().default(false),
  /**
   * In Electron's notation (`CommandOrControl+Shift+H`); null switches it off. It works while another program is in
   * front.
   */
  quickPanelShortcut: z.string().max(60).nullable().default('CommandOrControl+Shift+H'),
  /** Program for files of functions. `system` is the computer's default program. */
  editor: z.enum(['system', 'vscode', 'cursor', 'zed']).default('system'),
  /** If true, no schedule starts a run while the computer runs on battery. */
  pauseOnBattery: z.boolean().default(false),
  /** False when its driver failed, or a person switched it off. Applies from the next start on. */
  useGraphicsCard: z.boolean().default(true),
});
export type ShellSettings = z.infer<typeof shellSettings>;

/** Only the given members change. */
export type ShellSettingsChange = Partial<ShellSettings>;

/** Something that does not work on this computer as expected. `message` says what to do. */
export interface ShellNotice {
  id: 'shortcut' | 'tray' | 'graphics' | 'sandbox' | 'location' | 'updates';
  message: string;
}

/** State of an update of the desktop app. */
export type UpdateState =
  | { name: 'idle' }
  | { name: 'checking' }
  /** There is no newer version for this computer: this is the newest, or the newer one is not yet rolled out to it. */
  | { name: 'current' }
  | { name: 'downloading'; version: string; percent: number }
  /** Downloaded and checked. It is installed when the person asks for it. */
  | { name: 'ready'; version: string; notes: string }
  /** It will be installed as soon as no operation runs. */
  | { name: 'waiting'; version: string; notes: string; runningCount: number }
  | { name: 'installing'; version: string }
  | { name: 'failed'; message: string };

/** Result of a request to the shell. `message` is one sentence that says what to do. */
export type ShellResult<Value = object> = ({ ok: true } & Value) | { ok: false; message: string };

/** One file of the diagnostics, as it would be saved. */
export interface DiagnosticsFile {
  name: string;
  text: string;
}

/** A file of the person. An archive is passed as bytes, not as text. */
export interface BridgeFile {
  name: string;
  base64: string;
}

/** A file that a person drags out of the window: a text with a file name, or a path in the functions folder. */
export type DraggedFile = { name: string; text: string } | { path: string };

/** Functions that the desktop shell offers to its own pages as `window.homeport`; undefined in a browser. */
export interface DesktopBridge {
  getVersion(): Promise<string>;
  getServerState(): Promise<ServerState>;
  /** Returns a function that ends the subscription. */
  onServerState(listener: (state: ServerState) => void): () => void;
  restartServer(): Promise<void>;
  /** Loads this page again with a new session. Resolves to false while there is no server. */
  logIn(): Promise<boolean>;
  /**
   * A one-time code with which this page opens a new session without being loaded again. Null while there is no server.
   */
  getLoginCode(): Promise<string | null>;
  /** Opens an https address, or http on loopback, in the default browser. Resolves to false when refused. */
  openExternal(url: string): Promise<boolean>;
  /** Shows a file of the functions folder in the file manager. Resolves to false for other files. */
  showItemInFolder(path: string): Promise<boolean>;
  /** Opens a file of the functions folder in the editor from the settings. Resolves to false for other files. */
  openInEditor(path: string, line?: number): Promise<boolean>;
  /** Copies a secret and removes it from the clipboard after a minute, unless something else was copied since. */
  copySecret(text: string): Promise<void>;
  /** Searches this page from the last match on. An empty text ends the search. */
  findInPage(text: string, options?: { backwards?: boolean }): Promise<{ hits: number; current: number }>;
  getSettings(): Promise<ShellSettings>;
  /** Stores and applies the change. Fails when the system refuses it, for example a shortcut of another program. */
  updateSettings(change: ShellSettingsChange): Promise<ShellResult<{ settings: ShellSettings }>>;
  /** What does not work on this computer as expected, for the settings. */
  getNotices(): Promise<ShellNotice[]>;
  /** Null where the app does not update itself: without an update feed, in a checkout, and for the reason in a notice. */
  getUpdateState(): Promise<UpdateState | null>;
  /** Returns a function that ends the subscription. */
  onUpdateState(listener: (state: UpdateState) => void): () => void;
  /** Reads the update feed and downloads a newer version. Resolves at once. */
  checkForUpdates(): Promise<void>;
  /** Installs the downloaded version when no operation runs, and restarts the app. Resolves at once. */
  installUpdate(): Promise<void>;
  /** Cancels an installation that waits for running operations. */
  cancelUpdate(): Promise<void>;
  /** The `.homeport` file that was opened with the app or dropped on its icon. Returns it once, then null. */
  takeOpenedFile(): Promise<BridgeFile | null>;
  /**
   * Adds `homeport` to the PATH of this user. `path` is the written file; `hint` says what the person still has to do.
   */
  installCommandLine(): Promise<ShellResult<{ path: string; hint: string | null }>>;
  /** The diagnostics without secrets, for a preview before saving. */
  getDiagnostics(): Promise<DiagnosticsFile[]>;
  /** Asks for a place and writes one text file. `path` is null when the person cancelled. */
  saveDiagnostics(): Promise<ShellResult<{ path: string | null }>>;
  /** Continues a drag of this page as a drag of a file. Resolves to false when there is no such file or name. */
  startDrag(file: DraggedFile): Promise<boolean>;
  /** The commands of this page and their keys. The application menu shows them while the page is in front. */
  setCommands(
    commands: ReadonlyArray<{
      id: string;
      keys: readonly string[];
      label: string;
      group: 'Everywhere' | 'Go to' | 'List' | 'This page';
    }>,
  ): Promise<void>;
  /**
   * Calls the listener with the id of a command that was chosen in the application menu. Returns a function that ends
   * the subscription.
   */
  onCommand(listener: (id: string) => void): () => void;
}
