import { spawn } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createConnection, createServer, type Server } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import type * as Electron from 'electron';

interface AppOptions {
  name: string;
  version: string;
  isPackaged: boolean;
  appPath: string;
  /** The program that a person starts. */
  executable: string;
  /** Ends the browser. */
  onExit: () => void;
}

/** The app of one process: its life, its folders, and the one instance of it that a profile has. */
export class StandInApp extends EventEmitter implements AppSurface {
  readonly commandLine = {
    hasSwitch: (name: string) => process.argv.some((one) => one === `--${name}` || one.startsWith(`--${name}=`)),
  } as Electron.CommandLine;
  readonly dock = undefined as unknown as Electron.Dock;
  isQuitting = false;
  badge = 0;
  readonly #options: AppOptions;
  readonly #ready = Promise.withResolvers<void>();
  readonly #folders: Record<string, string>;
  #isReady = false;
  #name: string;
  #lock: { server: Server; file: string } | undefined;
  /** A second instance hands its arguments over before it ends. */
  #handedOver: Promise<void> = Promise.resolve();
  #relaunch: { args: string[] } | undefined;
  #windows: () => Array<{ close(): void }> = () => [];

  constructor(options: AppOptions) {
    super();
    this.#options = options;
    this.#name = options.name;
    const home = os.homedir();
    const appData = process.env['XDG_CONFIG_HOME'] ?? path.join(home, '.config');
    this.#folders = {
      home,
      appData,
      temp: os.tmpdir(),
      downloads: path.join(home, 'Downloads'),
      exe: process.execPath,
    };
  }

  get isPackaged(): boolean {
    return this.#options.isPackaged;
  }

  whenReady = (): Promise<void> => this.#ready.promise;
  isReady = (): boolean => this.#isReady;
  getName = (): string => this.#name;
  setName = (name: string): void => {
    this.#name = name;
  };
  getVersion = (): string => this.#options.version;
  getAppPath = (): string => this.#options.appPath;
  getLocale = (): string => 'en-GB';
  getPath = (name: Parameters<Electron.App['getPath']>[0]): string => {
    const known = this.#folders[name];
    if (known !== undefined) return known;
    if (name === 'logs') return path.join(this.getPath('userData'), 'logs');
    return path.join(this.#folders['appData'] ?? '', this.#name);
  };
  setPath = (name: string, folder: string): void => {
    this.#folders[name] = folder;
  };
  setAppUserModelId = (): void => {};
  setDesktopName = (): void => {};
  disableHardwareAcceleration = (): void => {};
  getGPUFeatureStatus = () => ({ gpu_compositing: 'disabled_software' }) as Electron.GPUFeatureStatus;
  moveToApplicationsFolder = (): boolean => false;
  enableSandbox = (): void => {};
  setAsDefaultProtocolClient = (): boolean => true;
  setUserTasks = (): boolean => true;
  setBadgeCount = (count?: number): boolean => {
    this.badge = count ?? 0;
    return true;
  };
  setLoginItemSettings = (): void => {};
  getLoginItemSettings = () => ({ wasOpenedAtLogin: false }) as Electron.LoginItemSettings;
  relaunch = ({ args }: Electron.RelaunchOptions = {}): void => {
    this.#relaunch = { args: args ?? process.argv.slice(1) };
  };

  /** A file with the number of the process that holds the lock; its socket takes the arguments of later starts. */
  requestSingleInstanceLock = (): boolean => {
    const folder = this.getPath('userData');
    mkdirSync(folder, { recursive: true });
    const file = path.join(folder, 'SingletonLock');
    const holder = readHolder(file);
    if (holder !== undefined) {
      this.#handedOver = handOver(holder.socket, { argv: process.argv, folder: process.cwd() });
      return false;
    }
    const socket = path.join(os.tmpdir(), `stand-in-${process.pid}.sock`);
    const server = createServer({ allowHalfOpen: true }, (connection) => {
      let text = '';
      connection.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      connection.on('end', () => {
        const { argv, folder: workingFolder } = JSON.parse(text) as { argv: string[]; folder: string };
        void this.whenReady().then(() => this.emit('second-instance', {}, argv, workingFolder, undefined));
        connection.end();
      });
    });
    server.listen(socket).unref();
    writeFileSync(file, JSON.stringify({ pid: process.pid, socket }));
    this.#lock = { server, file };
    return true;
  };

  releaseSingleInstanceLock = (): void => {
    this.#lock?.server.close();
    if (this.#lock) rmSync(this.#lock.file, { force: true });
    this.#lock = undefined;
  };

  start(windows: () => Array<{ close(): void }>): void {
    this.#windows = windows;
    this.#isReady = true;
    this.emit('ready', {});
    this.#ready.resolve();
  }

  onWindowClosed(): void {
    if (this.#windows().length > 0) return;
    if (this.isQuitting) this.#end();
    else if (!this.emit('window-all-closed')) this.quit();
  }

  /** Windows may refuse, and so may listeners. */
  quit = (): void => {
    if (!this.#isAllowed('before-quit')) return;
    this.isQuitting = true;
    const windows = this.#windows();
    if (windows.length === 0) return this.#end();
    for (const window of windows) window.close();
  };

  exit = (code = 0): void => {
    this.emit('quit', {}, code);
    this.releaseSingleInstanceLock();
    this.#options.onExit();
    if (this.#relaunch)
      spawn(this.#options.executable, this.#relaunch.args, { detached: true, stdio: 'ignore' }).unref();
    void this.#handedOver.finally(() => process.exit(code));
  };

  /** A page with unsaved text was kept, so the app goes on. */
  cancelQuit(): void {
    this.isQuitting = false;
  }

  #end(): void {
    if (this.#isAllowed('will-quit')) this.exit();
  }

  #isAllowed(name: string): boolean {
    let isAllowed = true;
    const preventDefault = (): void => {
      isAllowed = false;
    };
    this.emit(name, { preventDefault });
    return isAllowed;
  }
}

function readHolder(file: string): { pid: number; socket: string } | undefined {
  try {
    const holder = JSON.parse(readFileSync(file, 'utf8')) as { pid: number; socket: string };
    process.kill(holder.pid, 0);
    return holder;
  } catch (error) {
    // No file, or the process that wrote it was killed.
    if (error instanceof Error && 'code' in error) return undefined;
    throw error;
  }
}

async function handOver(socket: string, start: object): Promise<void> {
  const connection = createConnection(socket);
  connection.end(JSON.stringify(start));
  await new Promise<void>((resolve, reject) => {
    connection.once('close', () => resolve());
    connection.once('error', reject);
    connection.resume();
  });
}

type AppSurface = Pick<
  Electron.App,
  | 'commandLine'
  | 'disableHardwareAcceleration'
  | 'dock'
  | 'enableSandbox'
  | 'exit'
  | 'getAppPath'
  | 'getGPUFeatureStatus'
  | 'getLocale'
  | 'getLoginItemSettings'
  | 'getName'
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
