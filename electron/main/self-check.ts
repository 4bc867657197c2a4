import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { app, type BrowserWindow, globalShortcut, Menu, Notification } from 'electron';
import { AbsentPart, type CheckResult, reportLine, runCheck } from '../rules/check-report.ts';
import { parseDeepLink } from '../rules/deep-link.ts';
import type { ServerSupervisor } from '../server-process/server-supervisor.ts';
import type { AppWindows } from './app-windows.ts';
import { locateServer } from './server-location.ts';
import { reportStart } from './start-report.ts';
import type { AppTray } from './tray.ts';

const FLAG = '--self-check';
/** Given to the second instance, which uses the profile of the first. */
const PROFILE_FLAG = '--self-check-profile=';
const START_LIMIT_MS = 90_000;
const STEP_LIMIT_MS = 20_000;
const NOTICE_LIMIT_MS = 5_000;
const LOOK_EVERY_MS = 50;
/** Nobody's shortcut. */
const SHORTCUT = 'CommandOrControl+Alt+Shift+F11';

export interface SelfCheck {
  /** Chromium's profile, in a folder of its own. */
  profile: string;
  /** Undefined in the second instance, which only passes its arguments on. */
  home: string | undefined;
}

/**
 * Reads `--self-check` or `--self-check=<file>` from the arguments; undefined for a usual start. A check uses data of its own
 * and a free port, so it touches nothing of the person and runs beside their app.
 */
export function prepareSelfCheck(argv: readonly string[]): SelfCheck | undefined {
  const profile = argv.find((one) => one.startsWith(PROFILE_FLAG))?.slice(PROFILE_FLAG.length);
  if (profile) return { profile, home: undefined };
  if (!argv.some((one) => one === FLAG || one.startsWith(`${FLAG}=`))) return undefined;
  const home = mkdtempSync(path.join(os.tmpdir(), 'homeport-self-check-'));
  Object.assign(process.env, {
    HOMEPORT_HOME: path.join(home, 'data'),
    HOMEPORT_PORT: '0',
    HOMEPORT_PRACTICE_PORT: '0',
    // The keychain is checked with an entry of its own.
    HOMEPORT_MASTER_KEY: randomBytes(32).toString('base64'),
  });
  return { profile: path.join(home, 'profile'), home };
}

interface CheckedParts {
  check: SelfCheck;
  supervisor: ServerSupervisor;
  windows: AppWindows;
  tray: AppTray;
  /** Stops the server and closes the windows. */
  prepareQuit: () => Promise<void>;
}

/**
 * Uses every part of the running app once, prints one line of JSON, and ends with status 0 when no part failed. Windows may
 * show the output of a program without a console nowhere: `--self-check=<file>` writes the line there too.
 */
export async function runSelfCheck(parts: CheckedParts): Promise<void> {
  const checks: CheckResult[] = [];
  for (const [name, limitMs, check] of listChecks(parts)) checks.push(await runCheck(name, limitMs, check));
  const line = reportLine(aboutComputer(), checks);
  const file = process.argv.find((one) => one.startsWith(`${FLAG}=`))?.slice(FLAG.length + 1);
  if (file) writeFileSync(file, `${line}\n`);
  await new Promise<void>((resolve) => process.stdout.write(`${line}\n`, () => resolve()));
  // On Windows files of the profile are still open.
  rmSync(parts.check.home ?? '', { recursive: true, force: true, maxRetries: process.platform === 'win32' ? 0 : 3 });
  reportStart({ isQuitting: true });
  app.exit(checks.some(({ ok }) => ok === false) ? 1 : 0);
}

type Check = [name: string, limitMs: number, check: () => Promise<string | undefined>];

function listChecks(parts: CheckedParts): Check[] {
  const { prepareQuit, supervisor, windows } = parts;
  return [
    ['server', START_LIMIT_MS, () => serverIsReady(supervisor)],
    ['window', STEP_LIMIT_MS, () => until(() => windows.front?.isVisible() === true)],
    ['dashboard', STEP_LIMIT_MS, () => until(() => showsDashboard(windows))],
    ['health', STEP_LIMIT_MS, () => answersHealth(windows)],
    ['bridge', STEP_LIMIT_MS, () => answersBridge(windows)],
    ['menu', STEP_LIMIT_MS, () => opensByMenu(windows)],
    ['tray', STEP_LIMIT_MS, () => hasTray(parts)],
    ['shortcut', STEP_LIMIT_MS, takesShortcut],
    ['notification', STEP_LIMIT_MS, showsNotification],
    ['keychain', STEP_LIMIT_MS, keepsInKeychain],
    ['deep link', STEP_LIMIT_MS, () => followsLink(windows)],
    ['second instance', STEP_LIMIT_MS, () => meetsSecond(parts)],
    ['graphics', STEP_LIMIT_MS, async () => app.getGPUFeatureStatus().gpu_compositing],
    ['sandbox', STEP_LIMIT_MS, isSandboxed],
    ['end', STEP_LIMIT_MS, () => prepareQuit().then(() => undefined)],
  ];
}

function aboutComputer(): Record<string, string> {
  return {
    version: app.getVersion(),
    electron: process.versions['electron'] ?? 'none',
    system: `${os.type()} ${os.release()} ${process.arch}`,
    session: process.env['XDG_SESSION_TYPE'] ?? 'unknown',
    package: String(app.isPackaged),
  };
}

async function until(isTrue: () => boolean | Promise<boolean>): Promise<undefined> {
  while (!(await isTrue())) await delay(LOOK_EVERY_MS);
}

async function serverIsReady(supervisor: ServerSupervisor): Promise<undefined> {
  return until(() => {
    const { state } = supervisor;
    if (state.name === 'failed' || state.name === 'locked') throw new Error(state.message);
    return state.name === 'ready';
  });
}

function frontOf(windows: AppWindows): BrowserWindow {
  if (!windows.front) throw new Error('There is no window.');
  return windows.front;
}

async function ask(windows: AppWindows, code: string): Promise<unknown> {
  return frontOf(windows).webContents.executeJavaScript(code);
}

async function showsDashboard(windows: AppWindows): Promise<boolean> {
  const isServed = frontOf(windows).webContents.getURL().includes('/app/');
  return isServed && (await ask(windows, "document.querySelector('nav, main') !== null")) === true;
}

async function answersHealth(windows: AppWindows): Promise<undefined> {
  const status = await ask(windows, "fetch('/health').then(({ status }) => status)");
  if (status !== 200) throw new Error(`The page got ${status}.`);
}

async function answersBridge(windows: AppWindows): Promise<undefined> {
  const version = await ask(windows, 'window.homeport.getVersion()');
  if (version !== app.getVersion()) throw new Error(`The bridge answers ${version}.`);
}

/** Chooses an entry of the application's menu, as a person does; the second window is closed again. */
async function opensByMenu(windows: AppWindows): Promise<undefined> {
  const file = Menu.getApplicationMenu()?.items.find(({ label }) => label === 'File');
  const entry = file?.submenu?.items.find(({ label }) => label === 'New window');
  if (!entry) throw new Error('There is no File > New window.');
  const first = frontOf(windows);
  entry.click();
  await until(() => windows.front !== first && windows.front?.isVisible() === true);
  windows.front?.destroy();
  first.focus();
}

async function hasTray({ tray }: CheckedParts): Promise<undefined> {
  const startedAt = performance.now();
  while (!tray.isSeen && performance.now() - startedAt < NOTICE_LIMIT_MS) await delay(LOOK_EVERY_MS);
  if (tray.isSeen) return;
  if (process.platform === 'linux') throw new AbsentPart('This desktop shows no tray icons.');
  throw new Error('The tray icon could not be made.');
}

async function takesShortcut(): Promise<undefined> {
  const isOurs = globalShortcut.register(SHORTCUT, () => {}) && globalShortcut.isRegistered(SHORTCUT);
  globalShortcut.unregister(SHORTCUT);
  if (isOurs) return;
  if (process.platform === 'linux') throw new AbsentPart('This desktop allows no global shortcuts.');
  throw new Error('The shortcut was refused.');
}

async function showsNotification(): Promise<undefined> {
  if (!Notification.isSupported()) throw new AbsentPart('This desktop shows no notifications.');
  const notification = new Notification({ title: 'Homeport', body: 'Self-check', silent: true });
  const outcome = new Promise<string>((resolve) => {
    notification.on('show', () => resolve('shown'));
    notification.on('failed', (_event, error) => resolve(error));
  });
  notification.show();
  const answer = await Promise.race([outcome, delay(NOTICE_LIMIT_MS, 'silent')]);
  notification.close();
  if (answer === 'silent') throw new AbsentPart('The system did not say whether it showed the notification.');
  if (answer !== 'shown') throw new Error(answer);
}

const KEYCHAIN_CODE = `
const keytar = require('keytar');
(async () => {
  const service = 'Homeport self-check';
  await keytar.setPassword(service, 'check', 'value');
  const value = await keytar.getPassword(service, 'check');
  await keytar.deletePassword(service, 'check');
  if (value !== 'value') throw new Error('The keychain returned another value.');
})().catch((error) => { console.error(error.message); process.exit(1); });`;

/** On the bundled Node, as the server does it: an entry is written, read and removed. */
async function keepsInKeychain(): Promise<undefined> {
  const { runtime, entry } = locateServer();
  const child = spawn(runtime, ['-e', KEYCHAIN_CODE], {
    cwd: path.dirname(entry),
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: STEP_LIMIT_MS - NOTICE_LIMIT_MS,
    windowsHide: true,
  });
  let problem = '';
  child.stderr.on('data', (chunk) => {
    problem += chunk;
  });
  const [code] = await once(child, 'close');
  if (code === 0) return;
  const reason = problem.trim().split('\n')[0] || 'The keychain does not answer; it may be locked.';
  if (process.platform === 'linux') throw new AbsentPart(reason);
  throw new Error(reason);
}

async function followsLink(windows: AppWindows): Promise<undefined> {
  const link = parseDeepLink('homeport://open/dev/connections');
  if (!link) throw new Error('The link was not understood.');
  windows.follow(link);
  return until(() => frontOf(windows).webContents.getURL().includes('/app/dev/connections'));
}

/** Starts the program once more, with a link: it ends by itself, and the link is followed here. */
async function meetsSecond({ check, windows }: CheckedParts): Promise<undefined> {
  const [program = process.execPath, ...args] = process.argv.filter((one) => !one.startsWith(FLAG));
  const second = spawn(program, [...args, `${PROFILE_FLAG}${check.profile}`, 'homeport://open/dev/logs'], {
    stdio: 'ignore',
    timeout: STEP_LIMIT_MS,
    // The report to `npm start` is that of the first instance.
    env: { ...process.env, HOMEPORT_WINDOW_REPORT: '' },
  });
  const [code] = await once(second, 'exit');
  if (code !== 0) throw new Error(`The second instance ended with status ${code}.`);
  return until(() => frontOf(windows).webContents.getURL().includes('/app/dev/logs'));
}

async function isSandboxed(): Promise<undefined> {
  if (app.commandLine.hasSwitch('no-sandbox')) throw new AbsentPart('Started with --no-sandbox.');
}
