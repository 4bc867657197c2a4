import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { forwardSignals, STATUS_OF_RESTART } from './launch-server.mjs';
import { isProcessAlive } from './setup/lock.mjs';
import { findProblem } from './window-problem.mjs';

/** Milliseconds until the window has to be there. */
const WINDOW_LIMIT_MS = Number(process.env.HOMEPORT_WINDOW_LIMIT_MS) || 20_000;
const LOOK_EVERY_MS = 100;
/** A person who stops Homeport waits at most this long for Electron and its server. */
const STOP_LIMIT_MS = 8000;
const KEPT_CHARACTERS = 8000;

/**
 * Starts the desktop app, and watches whether its window comes up; the app reports that in a file, because Electron
 * gives no other sign that is the same on every system (electron/main/start-report.ts). Resolves to what has to follow:
 *
 * - `end`: it ended as it should, with this status.
 * - `again`: it asks to be started again.
 * - `browser`: it has a server but no window; the data folder of the server is given.
 * - `server`: it has ended, or was ended because it did nothing; a server is to be started.
 */
export async function runInWindow({ program, args, env, command }) {
  const folder = mkdtempSync(path.join(tmpdir(), 'homeport-window-'));
  const report = path.join(folder, 'report');
  let isStopping = false;
  forwardSignals(
    () => app.child,
    STOP_LIMIT_MS,
    () => (isStopping = true),
  );
  const app = startApp({ program, args, env: { ...env, HOMEPORT_WINDOW_REPORT: report } });
  try {
    return await watch({
      app,
      report,
      isStopping: () => isStopping,
      command,
      problem: (end) => findProblem({ errors: app.errors(), end, program, command }),
    });
  } finally {
    if (app.hasEnded()) rmSync(folder, { recursive: true, force: true });
    else app.ended.then(() => rmSync(folder, { recursive: true, force: true }));
  }
}

function startApp({ program, args, env }) {
  const child = spawn(program, args, { stdio: ['inherit', 'inherit', 'pipe'], env });
  let errors = '';
  let hasEnded = false;
  child.stderr.on('data', (chunk) => {
    errors = (errors + chunk).slice(-KEPT_CHARACTERS);
    process.stderr.write(chunk);
  });
  const ended = new Promise((resolve) => {
    const end = (code, text) => {
      hasEnded = true;
      resolve({ code, text });
    };
    child.once('error', ({ message }) => {
      errors += message;
      end(1, message);
    });
    child.once('close', (code, signal) => end(code, `Electron ended with ${signal ?? `status ${code}`}`));
  });
  return { child, ended, errors: () => errors, hasEnded: () => hasEnded };
}

async function watch({ app, report, isStopping, command, problem }) {
  const startedAt = performance.now();
  const look = () => Promise.race([app.ended, delay(LOOK_EVERY_MS)]);
  for (;;) {
    const end = await look();
    const { dataFolder, hasWindow, isQuitting, serverPid } = readReport(report);
    if (end) {
      if (end.code === STATUS_OF_RESTART) return { next: 'again' };
      if (isStopping() || isQuitting || (hasWindow && end.code === 0)) return { next: 'end', status: end.code ?? 0 };
      await waitForEnd(serverPid);
      return { next: 'server', reason: await problem(end.text) };
    }
    if (hasWindow) return await watchLater({ app, report, isStopping, command });
    if (performance.now() - startedAt < WINDOW_LIMIT_MS || isStopping()) continue;
    const reason = await problem(`it did not come up within ${WINDOW_LIMIT_MS / 1000} s`);
    if (dataFolder)
      return { next: 'browser', reason, dataFolder, later: watchLater({ app, report, isStopping, command }) };
    await endApp(app);
    await waitForEnd(readReport(report).serverPid);
    return { next: 'server', reason };
  }
}

/** The window was there. It may still crash, and with it the server: that is not the wish of a person. */
async function watchLater({ app, report, isStopping, command }) {
  const { code, text } = await app.ended;
  const { isQuitting, serverPid } = readReport(report);
  if (code === STATUS_OF_RESTART) return { next: 'again' };
  if (code === 0 || isQuitting || isStopping()) return { next: 'end', status: code ?? 0 };
  await waitForEnd(serverPid);
  return { next: 'server', reason: `the desktop window is gone: ${text} (to have it again: ${command()})` };
}

async function endApp({ child, ended }) {
  child.kill('SIGTERM');
  await Promise.race([ended, delay(STOP_LIMIT_MS)]);
  child.kill('SIGKILL');
  await ended;
}

/** A server whose app is gone ends by itself; until then it holds the data folder. */
async function waitForEnd(pid) {
  if (!pid) return;
  const limit = performance.now() + STOP_LIMIT_MS;
  while (isProcessAlive(pid) && performance.now() < limit) await delay(LOOK_EVERY_MS);
}

function readReport(file) {
  let text;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return {};
    throw error;
  }
  const lines = text.split('\n').slice(0, -1);
  return Object.assign({}, ...lines.map((line) => JSON.parse(line)));
}
