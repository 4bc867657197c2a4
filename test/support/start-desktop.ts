import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type * as Electron from 'electron';
import { _electron, type Browser, chromium, type Page } from 'playwright-core';
// @ts-expect-error a plain script without types: it has to run on any Node
import { electronProgram, hasElectron } from '../../build/scripts/setup/electron-binary.mjs';
import { createTempHome } from './temp-home.ts';
import { startScreen, type VirtualScreen, whyNoScreen } from './virtual-screen.ts';
import { waitFor } from './wait-for.ts';
import { WAIT_LIMIT_MS } from './wait-limit.ts';
import type { StandInAddress } from './window-stand-in/evaluate-server.ts';

const ENTRY = fileURLToPath(new URL('../../dist/electron/main.mjs', import.meta.url));
export const STAND_IN = fileURLToPath(new URL('./window-stand-in/run-stand-in.ts', import.meta.url));

/** The app waits up to five seconds for its server. */
const STOP_LIMIT_MS = 10_000;

type ElectronModule = typeof Electron;

/** The desktop app with its windows: in Electron where its program is, else in the stand-in on a virtual screen. */
export interface StartedDesktop {
  isElectron: boolean;
  home: string;
  /** The screen (X11) on which its windows are. */
  display: string;
  /** Runs a function in the app's main process. */
  evaluate<Result, Value>(
    run: (electron: ElectronModule, value: Value) => Result,
    value?: Value,
  ): Promise<Awaited<Result>>;
  windows(): Page[];
  /** The window that is opened next. */
  nextWindow(): Promise<Page>;
  /** Starts the program once more, as a link or a file does; resolves when that process has ended. */
  startAgain(args: string[]): Promise<void>;
  /** Chooses an entry of the application's menu. */
  chooseMenu(...labels: string[]): Promise<void>;
  /** Every native question gets this button; the questions are the result. */
  answerQuestions(button: number): Promise<() => Promise<string[]>>;
  /** Whether the process of the app has ended. */
  hasEnded(): boolean;
  end(): Promise<void>;
}

export interface DesktopOptions {
  args?: string[];
  env?: Record<string, string>;
  /** An earlier start's home. It stays when the app ends. */
  home?: string;
}

/** Electron's program, where it and a screen for it are. */
export function findElectron(): string | undefined {
  const hasScreen = process.platform !== 'linux' || 'DISPLAY' in process.env || 'WAYLAND_DISPLAY' in process.env;
  return hasScreen && hasElectron() ? electronProgram() : undefined;
}

/** Why no desktop window can be tested here; undefined when one can. */
export function whyNoDesktop(): string | undefined {
  if (findElectron()) return undefined;
  const reason = whyNoScreen();
  return reason && `No screen, or no Electron (npm run setup -- --window). ${reason}`;
}

export async function startDesktop(options: DesktopOptions = {}): Promise<StartedDesktop> {
  const temp = options.home === undefined ? await createTempHome() : undefined;
  const home = options.home ?? temp?.path ?? '';
  const env: Record<string, string> = {
    ...(process.env as Record<string, string>),
    XDG_CONFIG_HOME: join(home, 'config'),
    XDG_DOWNLOAD_DIR: join(home, 'downloads'),
    HOMEPORT_HOME: join(home, 'data'),
    HOMEPORT_PORT: '0',
    HOMEPORT_PRACTICE_PORT: '0',
    HOMEPORT_MASTER_KEY: randomBytes(32).toString('base64'),
    HOMEPORT_TYPE_CHECK: '0',
    HOMEPORT_RUNTIME: process.execPath,
    ...options.env,
  };
  const remove = async (): Promise<void> => temp?.remove();
  const binary = findElectron();
  return binary
    ? inElectron({ binary, env, home, args: options.args ?? [], remove })
    : inStandIn({ env, home, args: options.args ?? [], remove });
}

interface Start {
  env: Record<string, string>;
  home: string;
  args: string[];
  remove: () => Promise<void>;
}

async function inElectron({ args, binary, env, home, remove }: Start & { binary: string }): Promise<StartedDesktop> {
  // Containers of build machines have no user namespaces; the app itself always requires its sandbox.
  const flags = [...(process.env['CI'] ? ['--no-sandbox'] : []), ENTRY];
  const app = await _electron.launch({ executablePath: binary, args: [...flags, ...args], env });
  let hasEnded = false;
  app.on('close', () => {
    hasEnded = true;
  });
  const evaluate = ((run: never, value: never) => app.evaluate(run, value)) as StartedDesktop['evaluate'];
  return withActs({
    isElectron: true,
    home,
    display: env['DISPLAY'] ?? '',
    evaluate,
    windows: () => app.windows(),
    nextWindow: () => app.waitForEvent('window'),
    startAgain: (more) => runToEnd(spawn(binary, [...flags, ...more], { env, stdio: 'inherit' })),
    hasEnded: () => hasEnded,
    async end() {
      if (!hasEnded) await app.close();
      await remove();
    },
  });
}

async function inStandIn({ args, env, home, remove }: Start): Promise<StartedDesktop> {
  const screen = await startScreen();
  const control = join(home, `control-${randomBytes(4).toString('hex')}`);
  // Without a session bus there is no tray, whatever the desktop of this computer has.
  const whole = { ...env, DBUS_SESSION_BUS_ADDRESS: '', DISPLAY: screen.display, HOMEPORT_STAND_IN_CONTROL: control };
  const child = spawn(process.execPath, [STAND_IN, ENTRY, ...args], {
    env: whole,
    stdio: ['ignore', 'inherit', 'pipe'],
    detached: true,
  });
  let problems = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    problems += chunk;
  });
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
  try {
    const address = await waitFor(
      () => {
        if (hasEnded()) throw new Error(`The stand-in ended.\n${problems}`);
        return readAddresses(control)[0];
      },
      { what: 'the stand-in' },
    );
    const browser = await chromium.connectOverCDP(address.browser, { noDefaults: true });
    return withActs(standInApp({ address, browser, child, env: whole, home, screen, remove }));
  } catch (error) {
    killGroup(child);
    await screen.end();
    await remove();
    throw new Error(`The stand-in did not start.\n${problems}`, { cause: error });
  }
}

/** Runs a function in the process of a stand-in. */
export async function evaluateIn<Result, Value>(
  { evaluate }: StandInAddress,
  run: (electron: ElectronModule, value: Value) => Result,
  value?: Value,
): Promise<Awaited<Result>> {
  const body = JSON.stringify({ code: String(run), value });
  const response = await fetch(evaluate, { method: 'POST', body });
  const answer = (await response.json()) as { value?: never; error?: string };
  if (answer.error !== undefined) throw new Error(answer.error);
  return answer.value as never;
}

type Unfinished = Omit<StartedDesktop, 'answerQuestions' | 'chooseMenu'>;

function standInApp(parts: {
  address: StandInAddress;
  browser: Browser;
  child: ChildProcess;
  env: Record<string, string>;
  home: string;
  screen: VirtualScreen;
  remove: () => Promise<void>;
}): Unfinished {
  const { address, browser, child, env, home, remove, screen } = parts;
  const [context] = browser.contexts();
  if (!context) throw new Error('The browser of the stand-in has no context.');
  context.setDefaultTimeout(WAIT_LIMIT_MS);
  // Without a listener Playwright answers the questions of pages itself; the app does.
  context.on('dialog', () => {});
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return {
    isElectron: false,
    home,
    display: screen.display,
    evaluate: (run, value) => evaluateIn(address, run, value),
    windows: () => context.pages(),
    nextWindow: () => context.waitForEvent('page'),
    startAgain: (more) =>
      runToEnd(spawn(process.execPath, [STAND_IN, ENTRY, ...more], { env, stdio: ['ignore', 'ignore', 'inherit'] })),
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    async end() {
      await browser.close();
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
      const limit = setTimeout(() => killGroup(child), STOP_LIMIT_MS);
      await gone;
      clearTimeout(limit);
      killGroup(child);
      await screen.end();
      await remove();
    },
  };
}

function withActs(app: Unfinished): StartedDesktop {
  return {
    ...app,
    chooseMenu: (...labels) =>
      app.evaluate(({ Menu }, wanted) => {
        let items = Menu.getApplicationMenu()?.items ?? [];
        wanted.forEach((label, index) => {
          const item = items.find((one) => String(one.label).startsWith(label));
          if (!item) throw new Error(`There is no entry ${label} among ${items.map((one) => one.label).join(', ')}.`);
          items = item.submenu?.items ?? [];
          if (index === wanted.length - 1) item.click();
        });
      }, labels),
    async answerQuestions(button) {
      await app.evaluate(({ dialog }, response) => {
        const asked: string[] = [];
        Object.assign(globalThis, { asked });
        const message = (args: unknown[]): string => (args.at(-1) as Electron.MessageBoxOptions).message;
        dialog.showMessageBox = async (...args: unknown[]) => {
          asked.push(message(args));
          return { response, checkboxChecked: false };
        };
        dialog.showMessageBoxSync = (...args: unknown[]) => {
          asked.push(message(args));
          return response;
        };
      }, button);
      return () => app.evaluate(() => (globalThis as unknown as { asked: string[] }).asked);
    },
  };
}

/** The stand-ins that wrote their address into a folder. */
export function readAddresses(folder: string): StandInAddress[] {
  const names = existsSync(folder) ? readdirSync(folder).filter((one) => one.endsWith('.json')) : [];
  return names.map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as StandInAddress);
}

function runToEnd(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => resolve());
  });
}

/** The app, its server and its browser. */
function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    // All of them have ended.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
