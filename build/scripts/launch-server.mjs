import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import path from 'node:path';
import { DIST } from './setup/setup-paths.mjs';

/** Milliseconds. `npm run serve` promises to end within five seconds of SIGTERM. */
const STOP_LIMIT_MS = 5000;
/**
 * These commands finish what would otherwise stay half done, such as the copy of a large database; `run` ends when its
 * command has ended.
 */
const FINISHING_COMMANDS = ['restore', 'key', 'run'];
const FINISH_LIMIT_MS = 10 * 60_000;
const PARENT_CHECK_MS = 250;
/** The server asks to be started again with this exit status (server/contract/shell-messages.ts). */
export const STATUS_OF_RESTART = 75;

/**
 * Settings of glibc (other systems ignore them). Blocks from 64 kB on are mapped, so that their memory returns to the
 * system when they are freed. Otherwise glibc takes them from its heap, which one small block at the end can keep from
 * shrinking: 380 MB of free blocks after a few responses of 90 MB. The limit is 16,384 mapped blocks, because Linux
 * allows 65,530 mappings per process. Other places that start a process use the same settings
 * (test/architecture/allocator-settings.test.ts).
 */
const MALLOC_SETTINGS = {
  MALLOC_MMAP_THRESHOLD_: '32768',
  MALLOC_MMAP_MAX_: '16384',
  MALLOC_TRIM_THRESHOLD_: '4194304',
};

/** Environment of the server process. A NODE_OPTIONS for this computer's own Node may not suit the bundled Node. */
export function serverEnvironment(env = process.env) {
  const { NODE_OPTIONS: _dropped, ...rest } = env;
  return { UV_THREADPOOL_SIZE: '8', NODE_COMPILE_CACHE: path.join(DIST, 'cache/compile'), ...MALLOC_SETTINGS, ...rest };
}

/**
 * Runs the built server, or the named entry in the same folder, in the foreground and ends with its exit status (after
 * a signal with 128 plus its number, as in shells). `onMessage` receives its messages
 * (server/contract/shell-messages.ts).
 */
export function launchServer({ runtime, entry = 'main.mjs', args = [], onMessage }) {
  let child;
  const start = () => {
    child = spawn(runtime, [path.join(DIST, 'server', entry), ...args], {
      // A command ends when its launcher has ended.
      env: { ...serverEnvironment(), HOMEPORT_LAUNCHER: String(process.pid) },
      stdio: onMessage ? ['inherit', 'inherit', 'inherit', 'ipc'] : 'inherit',
    });
    if (onMessage) child.on('message', onMessage);
    child.once('error', (error) => {
      process.stderr.write(`The server could not be started: ${error.message}\n`);
      process.exit(1);
    });
    child.once('exit', (code, signal) => {
      if (code === STATUS_OF_RESTART) start();
      else process.exit(signal ? 128 + constants.signals[signal] : (code ?? 1));
    });
  };
  forwardSignals(() => child, FINISHING_COMMANDS.includes(args[0]) ? FINISH_LIMIT_MS : STOP_LIMIT_MS);
  start();
}

/**
 * Runs the built server in the place of this process, which then costs no memory. Where Node or the system cannot do
 * that, as a child. The server ends itself within its limit, and starts itself again.
 */
export function becomeServer({ runtime }) {
  if (!process.execve || process.platform === 'win32') return launchServer({ runtime });
  // npm runs scripts in a shell that ends at SIGTERM without passing it on.
  const watched = process.env.npm_lifecycle_event ? ['--ends-with-parent'] : [];
  process.execve(runtime, [runtime, path.join(DIST, 'server/main.mjs'), ...watched], serverEnvironment());
}

/**
 * Passes signals on to a child, which then has `limitMs` to end. `onStop` is called before. Call it before the child
 * starts: a signal in between would end this process alone. It is not heard before the current code has ended.
 */
export function forwardSignals(current, limitMs, onStop = () => {}) {
  const stop = (signal) => {
    onStop();
    current().kill(signal);
    setTimeout(() => current().kill('SIGKILL'), limitMs).unref();
  };
  process.on('SIGTERM', stop);
  process.on('SIGHUP', stop);
  // A terminal sends Ctrl-C to the whole process group, so the server has already received it.
  process.on('SIGINT', (signal) => (process.stdin.isTTY ? onStop() : stop(signal)));
  if (process.env.npm_lifecycle_event) onOrphaned(() => stop('SIGTERM'));
}

/** npm runs scripts in a shell that ends at SIGTERM without passing it on. The parent process then changes. */
function onOrphaned(callback) {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    callback();
  }, PARENT_CHECK_MS);
  timer.unref();
}
