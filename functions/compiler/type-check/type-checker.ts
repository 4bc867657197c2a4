import { type ChildProcess, fork } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { setPriority } from 'node:os';
import type { FromTypeCheck, ToTypeCheck, TypeCheckResult } from './type-check-result.ts';

export interface TypeCheckerOptions {
  /** Path of `type-check-main`, as source or bundled. */
  entry: string;
  /** The Node that runs it. */
  execPath: string;
  workspace: string;
  /** `functions/sdk` of the installation. */
  sdkFolder: string;
  /** A person waits: the process has normal priority. */
  isWaitedFor?: boolean;
}

/** A batch that takes longer has types that grow without end. */
const ANSWER_LIMIT_MS = 120_000;
/** Heap of the process. Above it V8 collects harder and then gives up: the batch fails, the hub does not. */
const MEMORY_MB = 512;
/** Lower than everything with a waiting caller. */
const LOW_PRIORITY = 10;

interface Waiting {
  id: number;
  resolve: (results: TypeCheckResult[]) => void;
  reject: (error: Error) => void;
  limit: NodeJS.Timeout;
}

/** Checks types in a process of its own, which starts when it is needed and ends when it is not. */
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
   * One batch at a time; paths are workspace-relative. Rejects when the process is lost, as by too much memory or by
   * `stop`. Files that are gone have no result.
   */
  check(paths: readonly string[]): Promise<TypeCheckResult[]> {
    if (this.#waiting) throw new Error('A check is under way.');
    clearTimeout(this.#rest);
    const child = this.#child ?? this.#start();
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      const limit = setTimeout(() => child.kill('SIGKILL'), ANSWER_LIMIT_MS);
      this.#waiting = { id, resolve, reject, limit };
      send(child, { kind: 'check', id, paths: [...paths] });
    });
  }

  /** Ends the process after a while without checks: one that is there answers at once, and costs its memory. */
  restAfter(delayMs: number): void {
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => void this.stop(), delayMs).unref();
  }

  /** Resolves when the process is gone. */
  async stop(): Promise<void> {
    clearTimeout(this.#rest);
    this.#child?.kill('SIGKILL');
    await this.#exited;
  }

  #start(): ChildProcess {
    const { entry, execPath, sdkFolder, workspace } = this.#options;
    const child = fork(entry, {
      execPath,
      // It reads files and does nothing else; the hub's environment is none of its business.
      execArgv: ['--permission', '--allow-fs-read=*', `--max-old-space-size=${MEMORY_MB}`],
      env: {},
      // Its output when it runs out of memory; the hub's own output stays clean.
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
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

/** A process that just ended cannot be written to; its exit is what counts. */
function send(child: ChildProcess, message: ToTypeCheck): void {
  child.send(message, () => {});
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, LOW_PRIORITY);
  } catch {
    // Already gone, or not allowed on this system: it competes with the rest then.
  }
}
