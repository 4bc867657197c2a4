import { z } from 'zod';
import type { ServerState } from './shell-messages.ts';

/** What a person sets about the desktop app itself. The shell keeps it on this computer, outside the data folder. */
export const shellSettings = z.object({
  /** What closing the last window does: the hub goes on in the background, or everything ends. */
  closeAction: z.enum(['hide', 'quit']).default('hide'),
  /** Without a window, when this user signs in to the computer. */
  startAtLogin: z.boolean().default(false),
  /** As Electron names keys (`CommandOrControl+Shift+H`); null: none. Works while another program is in front. */
  quickPanelShortcut: z.string().max(60).nullable().default('CommandOrControl+Shift+H'),
  /** Opens files of functions; `system` is the program that this computer opens them with. */
  editor: z.enum(['system', 'vscode', 'cursor', 'zed']).default('system'),
  /** No schedule starts a run while the computer runs on battery. */
  pauseOnBattery: z.boolean().default(false),
});
export type ShellSettings = z.infer<typeof shellSettings>;

/** Members given replace what is stored; the others stay. */
export type ShellSettingsChange = Partial<ShellSettings>;

/** How far an update of the desktop app is. */
export type UpdateState =
  | { name: 'idle' }
  | { name: 'checking' }
  /** Nothing newer for this computer: the newest version, or one that is not yet rolled out to it. */
  | { name: 'current' }
  | { name: 'downloading'; version: string; percent: number }
  /** Downloaded and checked; installed when the person says so. */
  | { name: 'ready'; version: string; notes: string }
  /** To be installed as soon as nothing runs. */
  | { name: 'waiting'; version: string; notes: string; runningCount: number }
  | { name: 'installing'; version: string }
  | { name: 'failed'; message: string };

/** How something that a person asked the shell for ended. `message` is one sentence that says what to do. */
export type ShellResult<Value = object> = ({ ok: true } & Value) | { ok: false; message: string };

/** One file of the diagnostics, as it would be saved. */
export interface DiagnosticsFile {
  name: string;
  text: string;
}

/** A file of a person; an archive is no text. */
export interface BridgeFile {
  name: string;
  base64: string;
}

/** What a person drags out of the window: a text under a file name, or a file by its path in the functions folder. */
export type DraggedFile = { name: string; text: string } | { path: string };

/** What the desktop shell offers to its own pages as `window.homeport`; absent in a browser. */
export interface DesktopBridge {
  getVersion(): Promise<string>;
  getServerState(): Promise<ServerState>;
  /** Returns a function that ends the subscription. */
  onServerState(listener: (state: ServerState) => void): () => void;
  restartServer(): Promise<void>;
  /** Loads this page again with a new session; false while there is no server. */
  signIn(): Promise<boolean>;
  /** Opens an https address, or http on loopback, in the default browser; resolves to false when refused. */
  openExternal(url: string): Promise<boolean>;
  /** Shows a file of the functions folder in the file manager; resolves to false when it lies elsewhere. */
  showItemInFolder(path: string): Promise<boolean>;
  /** Opens a file of the functions folder in the editor that the settings name; false when it lies elsewhere. */
  openInEditor(path: string, line?: number): Promise<boolean>;
  /** Copies a secret and takes it from the clipboard again after a minute, unless something else was copied since. */
  copySecret(text: string): Promise<void>;
  /** Searches this page, from the last hit on; an empty text ends the search. */
  findInPage(text: string, options?: { backwards?: boolean }): Promise<{ hits: number; current: number }>;
  getSettings(): Promise<ShellSettings>;
  /** Stores and applies; not ok when the system refuses, such as a shortcut that another program has. */
  updateSettings(change: ShellSettingsChange): Promise<ShellResult<{ settings: ShellSettings }>>;
  /** Null in a package without a feed of updates, and in a checkout. */
  getUpdateState(): Promise<UpdateState | null>;
  /** Returns a function that ends the subscription. */
  onUpdateState(listener: (state: UpdateState) => void): () => void;
  /** Asks the feed and downloads what it offers; resolves at once. */
  checkForUpdates(): Promise<void>;
  /** Installs what is ready once nothing runs, and starts the app again; resolves at once. */
  installUpdate(): Promise<void>;
  /** An update that waits for running work is not installed now. */
  cancelUpdate(): Promise<void>;
  /** The `.homeport` file that was opened with the app or dropped on its icon; once, then null. */
  takeOpenedFile(): Promise<BridgeFile | null>;
  /** Puts `homeport` on the PATH of this user. `path`: the file that was written; `hint`: what is left to do. */
  installCommandLine(): Promise<ShellResult<{ path: string; hint: string | null }>>;
  /** Without secrets; for a preview before it is saved. */
  getDiagnostics(): Promise<DiagnosticsFile[]>;
  /** Asks where, then writes one text file; `path` is null when the person cancelled. */
  saveDiagnostics(): Promise<ShellResult<{ path: string | null }>>;
  /** Goes on with a drag that began in this page as a drag of a file; false when there is no such file or name. */
  startDrag(file: DraggedFile): Promise<boolean>;
  /** What can be done on this page and with which keys; the application menu shows it while the page is in front. */
  setCommands(
    commands: ReadonlyArray<{
      id: string;
      keys: readonly string[];
      label: string;
      group: 'Everywhere' | 'Go to' | 'List' | 'This page';
    }>,
  ): Promise<void>;
  /** Presses of the application menu; each is the id of a command of this page. Returns how to end it. */
  onCommand(listener: (id: string) => void): () => void;
}
