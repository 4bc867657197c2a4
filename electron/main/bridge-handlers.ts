import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { app, type IpcMainInvokeEvent, ipcMain, shell, type WebContents } from 'electron';
import { z } from 'zod';
import type {
  DesktopBridge,
  ShellNotice,
  ShellResult,
  ShellSettingsChange,
} from '../../server/contract/shell-bridge.ts';
import { editorTarget, isAppPage, isInsideFolder, mayOpenOutside } from '../rules/address-rules.ts';
import { LAUNCHER_MARK, toolLauncher } from '../rules/command-line-tool.ts';
import type { PageCommand } from '../rules/menu-model.ts';
import type { SecretClipboard } from '../rules/secret-clipboard.ts';
import type { ServerSupervisor } from '../server-process/server-supervisor.ts';
import { isSystemError } from '../server-process/system-error.ts';
import { isMisplaced } from './app-location.ts';
import type { AppWindows } from './app-windows.ts';
import type { ApplicationMenu } from './application-menu.ts';
import type { DiagnosticsBundle } from './diagnostics-bundle.ts';
import type { DraggedFiles } from './dragged-files.ts';
import type { OpenedFile } from './opened-file.ts';
import type { PageSession } from './page-session.ts';
import { locateServer } from './server-location.ts';
import type { ShellSettingsFile } from './shell-settings.ts';
import type { UpdateFlow } from './update-flow.ts';

interface BridgeParts {
  supervisor: ServerSupervisor;
  windows: AppWindows;
  session: PageSession;
  settings: ShellSettingsFile;
  menu: ApplicationMenu;
  diagnostics: DiagnosticsBundle;
  openedFile: OpenedFile;
  secrets: SecretClipboard;
  draggedFiles: DraggedFiles;
  notices: () => ShellNotice[];
  /** Undefined when the app is not updated automatically. */
  updates: UpdateFlow | undefined;
}

/**
 * The bridge without its subscriptions, which `AppWindows` sends. Arguments come from a page, so their types are
 * unknown.
 */
type Handlers = {
  [Name in Exclude<keyof DesktopBridge, 'onCommand' | 'onServerState' | 'onUpdateState'>]: (
    page: WebContents,
    ...args: unknown[]
  ) => ReturnType<DesktopBridge[Name]>;
};

/** The text that was last searched in each page. */
type Searches = WeakMap<WebContents, string>;

/** In characters. Secrets are keys and tokens, which are much shorter. */
const MAX_SECRET_LENGTH = 100_000;
const MAX_SEARCH_LENGTH = 1000;
/** In characters. Large enough for a log with all its messages. */
const MAX_DRAGGED_TEXT_LENGTH = 100_000_000;

const draggedFile = z.union([
  z.object({
    name: z
      .string()
      .max(100)
      .regex(/^[\w-][\w.-]*$/),
    text: z.string().max(MAX_DRAGGED_TEXT_LENGTH),
  }),
  z.object({ path: z.string().max(1000) }),
]);

const pageCommands: z.ZodType<PageCommand[]> = z
  .array(
    z.object({
      id: z.string().max(100),
      keys: z.array(z.string().max(40)).max(8).readonly(),
      label: z.string().max(100),
      group: z.enum(['Everywhere', 'Go to', 'List', 'This page']),
    }),
  )
  .max(200);

export function setupBridge(parts: BridgeParts): void {
  const { diagnostics, draggedFiles, menu, openedFile, secrets, session, settings, supervisor, updates, windows } =
    parts;
  const searches: Searches = new WeakMap();
  const handlers: Handlers = {
    getVersion: async () => app.getVersion(),
    getServerState: async () => supervisor.state,
    restartServer: () => supervisor.restart(),
    logIn: (page) => windows.logInAgain(page),
    getLoginCode: async () => (await session.loginCode()) ?? null,
    async openExternal(_page, url) {
      if (typeof url !== 'string' || !mayOpenOutside(url)) return false;
      await shell.openExternal(url);
      return true;
    },
    async showItemInFolder(_page, path) {
      const file = await realFile(path, supervisor);
      if (file === undefined) return false;
      shell.showItemInFolder(file.path);
      return true;
    },
    async openInEditor(_page, path, line) {
      const file = await realFile(path, supervisor);
      const { editor } = settings.value;
      const target =
        file && editorTarget(file.path, { ...file, editor, line: typeof line === 'number' ? line : undefined });
      if (!target) return false;
      if ('path' in target) return (await shell.openPath(target.path)) === '';
      await shell.openExternal(target.address);
      return true;
    },
    async copySecret(_page, text) {
      if (typeof text === 'string' && text.length <= MAX_SECRET_LENGTH) await secrets.copy(text);
    },
    findInPage: (page, text, options) => find(searches, page, text, options),
    getSettings: async () => settings.value,
    updateSettings: async (_page, change) =>
      typeof change === 'object' && change !== null
        ? settings.change(change as ShellSettingsChange)
        : { ok: false, message: 'Name what is to change.' },
    getNotices: async () => parts.notices(),
    getUpdateState: async () => updates?.state ?? null,
    checkForUpdates: async () => void updates?.check(),
    installUpdate: async () => void updates?.install(),
    cancelUpdate: async () => updates?.cancelInstall(),
    takeOpenedFile: async () => openedFile.take(),
    installCommandLine: async () => installCommandLine(),
    getDiagnostics: async () => diagnostics.files,
    saveDiagnostics: () => diagnostics.save(),
    async startDrag(page, dragged) {
      const { data } = draggedFile.safeParse(dragged);
      if (!data) return false;
      const file = 'text' in data ? draggedFiles.write(data) : (await realFile(data.path, supervisor))?.path;
      if (file === undefined) return false;
      draggedFiles.start(page, file);
      return true;
    },
    async setCommands(page, commands) {
      const parsed = pageCommands.safeParse(commands);
      if (parsed.success) menu.setCommands(page, parsed.data);
    },
  };
  for (const [name, handle] of Object.entries(handlers)) {
    ipcMain.handle(name, (event, ...args) => {
      checkSender(event, supervisor);
      return (handle as (page: WebContents, ...args: unknown[]) => unknown)(event.sender, ...args);
    });
  }
}

/** Only the top frame of a dashboard page may use the bridge. */
function checkSender(event: IpcMainInvokeEvent, supervisor: ServerSupervisor): void {
  const frame = event.senderFrame;
  const isAllowed = frame?.parent === null && isAppPage(frame.url, supervisor.ready?.address);
  if (!isAllowed) throw new Error('This page may not use the desktop bridge.');
}

/**
 * Resolves to the real path of an existing file in the functions folder. The file is named by its whole path or
 * relative to the folder. Links are resolved, because one could lead out of the folder.
 */
async function realFile(
  file: unknown,
  { ready }: ServerSupervisor,
): Promise<{ path: string; folder: string } | undefined> {
  if (typeof file !== 'string' || !ready) return undefined;
  try {
    const whole = path.resolve(ready.functionsFolder, file);
    const [real, folder] = await Promise.all([realpath(whole), realpath(ready.functionsFolder)]);
    return isInsideFolder(real, folder) ? { path: real, folder } : undefined;
  } catch (error) {
    if (isSystemError(error)) return undefined;
    throw error;
  }
}

function find(
  searches: Searches,
  page: WebContents,
  text: unknown,
  options: unknown,
): Promise<{ hits: number; current: number }> {
  const nothing = { hits: 0, current: 0 };
  if (typeof text !== 'string' || text === '' || text.length > MAX_SEARCH_LENGTH) {
    searches.delete(page);
    page.stopFindInPage('clearSelection');
    return Promise.resolve(nothing);
  }
  const isAgain = searches.get(page) === text;
  searches.set(page, text);
  const isBackwards =
    typeof options === 'object' && options !== null && 'backwards' in options && options.backwards === true;
  return new Promise((resolve) => {
    const requestId = page.findInPage(text, { forward: !isBackwards, findNext: !isAgain });
    const settle = (answer: { hits: number; current: number }): void => {
      page.off('found-in-page', onFound);
      page.off('destroyed', onGone);
      resolve(answer);
    };
    const onGone = (): void => settle(nothing);
    const onFound = (_event: unknown, result: Electron.FoundInPageResult): void => {
      if (result.requestId < requestId || !result.finalUpdate) return;
      settle({ hits: result.matches, current: result.activeMatchOrdinal });
    };
    page.on('found-in-page', onFound);
    page.once('destroyed', onGone);
  });
}

const NO_APP_IMAGE =
  'An AppImage runs from another path at each start. Install the deb or rpm package, or the command line from its own archive.';

const ON_DISK_IMAGE =
  'Homeport runs from its disk image. Move it to the Applications folder, start it from there, then try again.';

/** Adds `homeport` of this installation to the PATH of this user. A file of another program is not replaced. */
function installCommandLine(): ShellResult<{ path: string; hint: string | null }> {
  const { entry, runtime } = locateServer();
  const launcher = toolLauncher({
    platform: process.platform,
    home: app.getPath('home'),
    runtime,
    entry: path.join(path.dirname(entry), 'cli-main.mjs'),
    searchPath: process.env['PATH'] ?? '',
    appImage: process.env['APPIMAGE'],
  });
  if (!launcher) return { ok: false, message: NO_APP_IMAGE };
  if (isMisplaced()) return { ok: false, message: ON_DISK_IMAGE };
  try {
    const known = readIfExists(launcher.file);
    if (known !== undefined && !known.includes(LAUNCHER_MARK))
      return { ok: false, message: `${launcher.file} belongs to another program. Rename it, then try again.` };
    mkdirSync(path.dirname(launcher.file), { recursive: true });
    writeFileSync(launcher.file, launcher.text);
    chmodSync(launcher.file, 0o755);
    return { ok: true, path: launcher.file, hint: launcher.hint ?? null };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { ok: false, message: `The command could not be installed: ${error.message}` };
  }
}

function readIfExists(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (isSystemError(error) && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
