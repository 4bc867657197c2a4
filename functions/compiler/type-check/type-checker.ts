import { type ChildProcess, fork } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { setPriority } from 'node:os';
import type { FromTypeCheck, ToTypeCheck, TypeCheckResult } from './type-check-result.ts';

export interface TypeCheckerOptions {
  /** Path of `type-check-main`, as source or bundled. */
  entry: string;
  /** Path of Node for the process. */
  execPath: string;
  workspace: string;
  /** `functions/sdk` of the installation. */
  sdkFolder: string;
  /** Whether a person waits for the result. The process then has normal priority. */
  isWaitedFor?: boolean;
}

/** Milliseconds. A batch that takes longer has types that grow without end. */
const RESPONSE_LIMIT_MS = 120_000;
/** Heap limit of the process. When V8 reaches it, the process ends and the batch fails, but the hub continues. */
const MEMORY_MB = 512;
/** Of each half of V8's young generation. By default it grows to 16, and the process to 80 MB more, without less work. */
const YOUNG_MB = 4;
/** Lower than the priority of all work for which a caller waits. */
const LOW_PRIORITY = 10;

interface Waiting {
  id: number;
  resolve: (results: TypeCheckResult[]) => void;
  reject: (error: Error) => void;
  limit: NodeJS.Timeout;
}

/** Checks types in a separate process, which starts when needed and ends when idle. */
export class TypeChecker {
  readonly #options: TypeCheckerOptions;
  #child: ChildProcess | undefined;
  #exited: Promise<void> = Promise.resolve();
  #waiting: Waiting | undefined;
  #rest: NodeJS.Timeout | undefined;
  #nextId = 1;

  constructor(options: TypeCheckerOptions) {
    this.#options = options;
  }

  /**
   * Checks one batch at a time. Paths are relative to the workspace. Rejects when the process ends, for example by too
   * much memory or by `stop`. Missing files have no result.
   */
  check(paths: readonly string[]): Promise<TypeCheckResult[]> {
    if (this.#waiting) throw new Error('A check is under way.');
    clearTimeout(this.#rest);
    const child = this.#child ?? this.#start();
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      const limit = setTimeout(() => child.kill('SIGKILL'), RESPONSE_LIMIT_MS);
      this.#waiting = { id, resolve, reject, limit };
      send(child, { kind: 'check', id, paths: [...paths] });
    });
  }

  /** Ends the process after a time without checks. A running process answers at once, but takes memory. */
  restAfter(delayMs: number): void {
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => void this.stop(), delayMs).unref();
  }

  /** Resolves when the process has ended. */
  async stop(): Promise<void> {
    clearTimeout(this.#rest);
    this.#child?.kill('SIGKILL');
    await this.#exited;
  }

  #start(): ChildProcess {
    const { entry, execPath, sdkFolder, workspace } = this.#options;
    const child = fork(entry, {
      execPath,
      // The process only reads files, and it does not get the hub's environment variables.
      execArgv: [
        '--permission',
        '--allow-fs-read=*',
        `--max-old-space-size=${MEMORY_MB}`,
        `--max-semi-space-size=${YOUNG_MB}`,
      ],
      env: {},
      // Its output when it runs out of memory must not appear in the hub's own output.
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      // A group of its own, because a terminal sends Ctrl-C to the whole group of the hub, which ends this process itself.
      detached: process.platform !== 'win32',
    });
    this.#child = child;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#exited = promise;
    child.on('error', (error) => this.#lose(child, error));
    child.once('exit', (status, signal) => {
      this.#lose(child, new Error(`The checking process ended (${signal ?? status}).`));
      resolve();
    });
    child.on('message', (message: FromTypeCheck) => this.#receive(message));
    if (child.pid === undefined) resolve();
    else if (!this.#options.isWaitedFor) lowerPriority(child.pid);
    send(child, { kind: 'open', folders: { workspace: realpathSync(workspace), sdkFolder } });
    return child;
  }

  #receive({ id, results }: FromTypeCheck): void {
    const waiting = this.#waiting;
    if (waiting?.id !== id) return;
    this.#waiting = undefined;
    clearTimeout(waiting.limit);
    waiting.resolve(results);
  }

  #lose(child: ChildProcess, error: Error): void {
    if (this.#child !== child) return;
    this.#child = undefined;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    clearTimeout(waiting?.limit);
    waiting?.reject(error);
  }
}

/** A process that has just ended cannot receive messages; its exit is handled elsewhere. */
function send(child: ChildProcess, message: ToTypeCheck): void {
  child.send(message, () => {});
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, LOW_PRIORITY);
  } catch {
    // The process has ended, or the system does not allow it; the priority then stays normal.
  }
}
