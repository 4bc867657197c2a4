/**
 * Runs the desktop app as Electron's program does: `node run-stand-in.ts <main file> [arguments]`. The main file gets the
 * stand-in where it imports `electron`. A package is started by `--package <its program>`, next to which its `resources` are.
 * README.md says what it stands for and what not.
 */
import { EventEmitter } from 'node:events';
import { createRequire, registerHooks } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { createFakeElectron } from '../fake-electron.ts';
import { BrowserProcess, ignoreEnded } from './browser-process.ts';
import { serveEvaluation } from './evaluate-server.ts';
import { readStart } from './packaged-start.ts';
import { StandInApp } from './stand-in-app.ts';
import { requestAsElectron } from './stand-in-net.ts';
import { StandInSession } from './stand-in-session.ts';
import { StandInWindow } from './stand-in-window.ts';
import { screenSize, watchFocus } from './x-windows.ts';

const NAME = Symbol.for('homeport.electron-stand-in');
const { args, entry, executable, isPackaged, version } = readStart(process.argv.slice(2));
const electronVersion = createRequire(import.meta.url)('electron/package.json').version as string;
process.argv = [executable, ...(isPackaged ? [] : [entry]), ...args];
Object.defineProperty(process.versions, 'electron', { value: electronVersion, configurable: true });

const endings: Array<() => void> = [];
const app = new StandInApp({
  name: 'Electron',
  version,
  isPackaged,
  executable,
  appPath: path.dirname(entry),
  onExit: () => {
    for (const end of endings) end();
  },
});
process.once('exit', () => {
  for (const end of endings) end();
});
process.once('SIGTERM', () => app.quit());

const browser = Promise.withResolvers<BrowserProcess>();
const handlers = new Map<string, Parameters<Electron.IpcMain['handle']>[1]>();
const session = new StandInSession();
StandInWindow.parts = { browser: browser.promise, app, session: session as unknown as Electron.Session, handlers };
const fake = createFakeElectron({ userFolder: app.getPath('temp') });
const area = screenSize();
const display = { id: 1, bounds: { x: 0, y: 0, ...area }, workArea: { x: 0, y: 0, ...area }, scaleFactor: 1 };
fake.screens.splice(0, fake.screens.length, display as never);
const electron: Record<string, unknown> = {
  ...fake.module,
  app,
  BrowserWindow: StandInWindow,
  ipcMain: { handle: (name: string, handler: never) => void handlers.set(name, handler) },
  nativeTheme: { shouldUseDarkColors: args.includes('--force-dark-mode') },
  session: { defaultSession: session, fromPartition: () => session },
  net: { request: requestAsElectron },
  autoUpdater: new EventEmitter(),
  /** What was recorded, for tests. */
  standIn: fake,
};
Object.assign(globalThis, { [NAME]: electron });

registerHooks({
  resolve: (name, context, next) =>
    name === 'electron' ? { url: 'stand-in:electron', shortCircuit: true } : next(name, context),
  load: (url, context, next) => {
    if (url !== 'stand-in:electron') return next(url, context);
    const lines = Object.keys(electron).map((name) => `exports.${name} = module.${name};`);
    const source = `const module_ = globalThis[Symbol.for('homeport.electron-stand-in')];\n${lines.join('\n').replaceAll('module.', 'module_.')}`;
    return { format: 'commonjs', source, shortCircuit: true };
  },
});

await import(pathToFileURL(path.resolve(entry)).href);
if (!app.isQuitting) await start();

async function start(): Promise<void> {
  const profile = path.join(app.getPath('userData'), 'chromium');
  const running = await BrowserProcess.start(
    profile,
    args.filter((arg) => arg === '--force-dark-mode'),
  );
  endings.push(() => running.kill());
  const focus = watchFocus((id) => {
    const windows = StandInWindow.getAllWindows();
    // First the window that lost it.
    for (const window of windows) if (window.isFocused()) window.onFocus(id);
    for (const window of windows) window.onFocus(id);
  });
  endings.push(() => focus.kill());
  endings.push(await serveEvaluation(electron, running.address));
  browser.resolve(running);
  await session.begin(running, path.join(app.getPath('userData'), 'stand-in-downloads'));
  app.start(() => StandInWindow.getAllWindows());
}

process.on('unhandledRejection', ignoreUnlessBroken);
function ignoreUnlessBroken(error: unknown): void {
  if (app.isQuitting) return ignoreEnded(error);
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  process.exitCode = 1;
  app.exit(1);
}
