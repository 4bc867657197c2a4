import { type ChildProcess, spawn } from 'node:child_process';
import type { Logger } from '../lib/logger.ts';

/**
 * Reads the process ids to end, the newest line counts, until its input ends. That happens when the server has ended,
 * however it did.
 */
const SCRIPT = 'pids=; while read -r line; do pids=$line; done; [ -z "$pids" ] || kill -9 $pids';

/**
 * Ends worker processes when this process is gone (design.md 7.58). A worker ends by itself when its channel closes, but
 * not while its main thread is busy or stopped, so a shell beside it does. It is no thread of the worker, because Node's
 * permission model does not hold in threads. Windows ends the children of a process with it.
 */
export class Reaper {
  readonly #logger: Logger;
  readonly #pids = new Set<number>();
  #shell: ChildProcess | undefined;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  add(pid: number): void {
    this.#pids.add(pid);
    this.#update();
  }

  remove(pid: number): void {
    if (this.#pids.delete(pid)) this.#update();
  }

  #update(): void {
    if (process.platform === 'win32') return;
    this.#shell ??= this.#start();
    this.#shell.stdin?.write(`${[...this.#pids].join(' ')}\n`);
    if (this.#pids.size > 0) return;
    this.#shell.stdin?.end();
    this.#shell = undefined;
  }

  #start(): ChildProcess {
    // A group of its own, because a signal to the group of the server must not end it.
    const shell = spawn('/bin/sh', ['-c', SCRIPT], { env: {}, stdio: ['pipe', 'ignore', 'ignore'], detached: true });
    const onError = ({ message }: Error): void => {
      this.#logger.warn({ err: message }, 'function workers may outlive this process when it is killed');
    };
    shell.on('error', onError);
    shell.stdin.on('error', onError);
    shell.once('exit', () => {
      if (this.#shell === shell) this.#shell = undefined;
    });
    shell.unref();
    return shell;
  }
}
