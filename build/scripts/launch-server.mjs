import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import path from 'node:path';
import { DIST } from './setup/setup-paths.mjs';

/** The promise of `npm run serve`: gone within five seconds of SIGTERM, whatever happens. */
const STOP_LIMIT_MS = 5000;
/** These finish what would otherwise be half done: a large database is copied meanwhile. */
const FINISHING_COMMANDS = ['restore', 'key'];
const FINISH_LIMIT_MS = 10 * 60_000;
const PARENT_CHECK_MS = 250;

/**
 * For glibc, which other systems ignore: what is read in blocks of 64 kB is mapped, so that it goes back to the system.
 * By itself glibc takes it from a heap that one small block at its end keeps whole: 380 MB of free blocks after a few
 * answers of 90 MB. At most 16,384 such blocks: Linux allows a process 65,530 mappings. Who else starts a process has the same settings
 * (test/architecture/allocator-settings.test.ts).
 */
const MALLOC_SETTINGS = {
  MALLOC_MMAP_THRESHOLD_: '32768',
  MALLOC_MMAP_MAX_: '16384',
  MALLOC_TRIM_THRESHOLD_: '4194304',
};

/** Environment of the server process. A NODE_OPTIONS meant for this machine's Node may not suit the bundled one. */
export function serverEnvironment(env = process.env) {
  const { NODE_OPTIONS: _dropped, ...rest } = env;
  return { UV_THREADPOOL_SIZE: '8', NODE_COMPILE_CACHE: path.join(DIST, 'cache/compile'), ...MALLOC_SETTINGS, ...rest };
}

/**
 * Runs the built server, or the entry beside it that is named, in the foreground and ends as it ends (after a signal
 * with 128 and its number, as shells say it). `onMessage`
 * receives what it sends to its launcher (server/contract/shell-messages.ts).
 */
export function launchServer({ runtime, entry = 'main.mjs', args = [], onMessage }) {
  const child = spawn(runtime, [path.join(DIST, 'server', entry), ...args], {
    // A command line that lost its launcher has nobody left to work for.
    env: { ...serverEnvironment(), HOMEPORT_LAUNCHER: String(process.pid) },
    stdio: onMessage ? ['inherit', 'inherit', 'inherit', 'ipc'] : 'inherit',
  });
  if (onMessage) child.on('message', onMessage);
  forwardSignals(child, FINISHING_COMMANDS.includes(args[0]) ? FINISH_LIMIT_MS : STOP_LIMIT_MS);
  child.once('error', (error) => {
    process.stderr.write(`The server could not be started: ${error.message}\n`);
    process.exit(1);
  });
  child.once('exit', (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : (code ?? 1)));
}

function forwardSignals(child, limitMs) {
  const stop = (signal) => {
    child.kill(signal);
    setTimeout(() => child.kill('SIGKILL'), limitMs).unref();
  };
  process.on('SIGTERM', stop);
  process.on('SIGHUP', stop);
  // A terminal sends Ctrl-C to the whole group: the server has it already.
  process.on('SIGINT', (signal) => process.stdin.isTTY || stop(signal));
  if (process.env.npm_lifecycle_event) onOrphaned(() => stop('SIGTERM'));
}

/** npm runs scripts in a shell that dies of SIGTERM without passing it on; then our parent changes. */
function onOrphaned(callback) {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    callback();
  }, PARENT_CHECK_MS);
  timer.unref();
}
