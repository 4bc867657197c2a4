import type { ChildProcess } from 'node:child_process';
import { EXIT_RESTART, EXIT_WRONG_MASTER_KEY, type ServerState } from '../../server/contract/shell-messages.ts';
import { type ReadyMessage, ServerChild, type ServerExit } from './server-child.ts';

export interface SupervisorOptions {
  /** Starts one server process with an IPC channel. */
  spawnServer: () => ChildProcess;
  readyLimitMs?: number;
  stopLimitMs?: number;
  /** Delay in milliseconds before the given attempt (1, 2, …); undefined gives up. */
  delayBefore?: (attempt: number) => number | undefined;
  /** After this time in state ready, in milliseconds, the count of failed attempts starts at zero again. */
  steadyAfterMs?: number;
  /** A command stopped the server (`homeport stop`). It is not started again. */
  onQuit?: () => void;
}

type Listener = (state: ServerState) => void;

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 30_000;
/** Together about a minute. After that a person has to act. */
const MAX_ATTEMPTS = 8;
/**
 * A start may ask for the keychain three times (read, write, read), and each time the person has half a minute to answer the
 * system's question. A server that is ended before would ask the same again.
 */
export const READY_LIMIT_MS = 120_000;
/** Failures that a restart cannot fix. */
const FINAL_FAILURES = ['port_in_use', 'newer_database', 'older_database', 'damaged_database'];

/** Keeps one server running: starts it, restarts it with growing delays when it ends, and stops it. */
export class ServerSupervisor {
  readonly #options: Required<SupervisorOptions>;
  readonly #listeners = new Set<Listener>();
  #state: ServerState = { name: 'stopped' };
  #child: ServerChild | undefined;
  #ready: ReadyMessage | undefined;
  #readyAt = 0;
  #attempt = 0;
  #restartTimer: NodeJS.Timeout | undefined;
  #isStopping = false;

  constructor(options: SupervisorOptions) {
    this.#options = {
      readyLimitMs: READY_LIMIT_MS,
      stopLimitMs: 5_000,
      delayBefore: restartDelayMs,
      steadyAfterMs: 60_000,
      onQuit: () => {},
      ...options,
    };
  }

  get state(): ServerState {
    return this.#state;
  }

  /** The `ready` message of the running server. */
  get ready(): ReadyMessage | undefined {
    return this.#ready;
  }

  onState(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  start(): void {
    if (this.#child) return;
    this.#isStopping = false;
    clearTimeout(this.#restartTimer);
    this.#enter({ name: 'starting' });
    this.#child = new ServerChild({
      process: this.#options.spawnServer(),
      readyLimitMs: this.#options.readyLimitMs,
      stopLimitMs: this.#options.stopLimitMs,
      onReady: (message) => this.#onReady(message),
      onExit: (exit) => this.#onExit(exit),
      onQuit: () => {
        this.#isStopping = true;
        this.#options.onQuit();
      },
    });
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    clearTimeout(this.#restartTimer);
    if (this.#child) await this.#child.stop();
    else this.#enter({ name: 'stopped' });
  }

  /** Starts the server again from any state. */
  async restart(): Promise<void> {
    await this.stop();
    this.#attempt = 0;
    this.start();
  }

  /** Resolves to a new one-time address that opens a dashboard session. */
  requestLoginLink(): Promise<string> {
    if (!this.#child || !this.#ready) return Promise.reject(new Error('The server is not running.'));
    return this.#child.requestLoginLink();
  }

  #onReady(message: ReadyMessage): void {
    this.#ready = message;
    this.#readyAt = performance.now();
    this.#enter({ name: 'ready', address: message.address });
  }

  #onExit(exit: ServerExit): void {
    this.#child = undefined;
    this.#ready = undefined;
    if (this.#isStopping) return this.#enter({ name: 'stopped' });
    if (exit.code === EXIT_RESTART) {
      this.#attempt = 0;
      return this.start();
    }
    const message = exit.failure?.message ?? `The server ended unexpectedly (status ${exit.code ?? 'none'}).`;
    const code = exit.failure?.code ?? 'start_failed';
    if (exit.code === EXIT_WRONG_MASTER_KEY) return this.#enter({ name: 'locked', message });
    if (FINAL_FAILURES.includes(code)) return this.#enter({ name: 'failed', code, message });
    if (exit.wasReady && performance.now() - this.#readyAt >= this.#options.steadyAfterMs) this.#attempt = 0;
    this.#attempt += 1;
    const delayMs = this.#options.delayBefore(this.#attempt);
    if (delayMs === undefined) return this.#enter({ name: 'failed', code, message });
    this.#restartTimer = setTimeout(() => this.start(), delayMs);
    this.#enter({ name: 'restarting', attempt: this.#attempt, delayMs });
  }

  #enter(state: ServerState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener(state);
  }
}

/**
 * Delay in milliseconds before the given restart (1, 2, …), doubled each time; undefined when no further restart should
 * follow.
 */
function restartDelayMs(attempt: number): number | undefined {
  return attempt > MAX_ATTEMPTS ? undefined : Math.min(FIRST_DELAY_MS * 2 ** (attempt - 1), MAX_DELAY_MS);
}
