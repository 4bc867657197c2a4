import type { GuestLogEntry, HostLogLevel } from '../bridge.ts';
import type { HostCalls } from '../host-calls.ts';
import { jsonText, utf8Length } from '../plain-json.ts';
import { ArrayPrototypePush, ObjectHasOwn } from '../primordials.ts';
import { cutText } from '../shrink-json.ts';
import { payloadText } from './log-payload.ts';

const RANK: Record<HostLogLevel, number> = { debug: 0, info: 1, warn: 2, error: 3, off: 4 };
/** The five levels, and the names in older functions. */
const LEVELS: Record<string, GuestLogEntry['level']> = {
  debug: 'debug',
  info: 'info',
  warn: 'warn',
  error: 'error',
  verbose: 'debug',
  silly: 'debug',
  http: 'info',
};
/**
 * Largest number of waiting lines, so that a loop that logs without waiting cannot fill the isolate. The log says how
 * many lines were dropped.
 */
const MAX_BUFFERED = 5_000;
const MAX_BUFFERED_SIZE = 4 * 1024 * 1024;

/**
 * The log of one run. Filters by level, limits the size of entries, and sends them in batches without making the
 * function wait.
 */
export class FunctionLog {
  readonly #host: HostCalls;
  readonly #now: () => number;
  #level: HostLogLevel;
  #buffer: GuestLogEntry[] = [];
  #bufferedSize = 0;
  #dropped = 0;
  #sending: Promise<void> | undefined;

  constructor(options: { host: HostCalls; level: HostLogLevel; now: () => number }) {
    this.#host = options.host;
    this.#level = options.level;
    this.#now = options.now;
  }

  get level(): HostLogLevel {
    return this.#level;
  }

  /** After `off` the log of a run stays off. */
  setLevel(level: unknown): void {
    if (this.#level !== 'off' && typeof level === 'string' && ObjectHasOwn(RANK, level)) {
      this.#level = level as HostLogLevel;
    }
  }

  /** Writes a line of the runtime itself. */
  internal(level: GuestLogEntry['level'], message: string, payload?: unknown): void {
    if (this.#isKept(level)) this.#add(level, message, payload, 'internal');
  }

  /** Writes a line of the author. `level` may be any name. */
  user(level: string, message: unknown, payload?: unknown): void {
    const known = ObjectHasOwn(LEVELS, level) ? LEVELS[level] : undefined;
    if (known && this.#isKept(known)) this.#add(known, message, payload, 'user');
  }

  /** Writes a line of a dry run's console, which no level hides. */
  printed(level: GuestLogEntry['level'], text: string): void {
    this.#add(level, text, undefined, 'user');
  }

  /** Resolves when every earlier line has left the isolate. */
  async flush(): Promise<void> {
    while (this.#sending) await this.#sending;
  }

  #isKept(level: GuestLogEntry['level']): boolean {
    return RANK[level] >= RANK[this.#level];
  }

  #add(level: GuestLogEntry['level'], message: unknown, payload: unknown, source: 'user' | 'internal'): void {
    if (this.#buffer.length >= MAX_BUFFERED || this.#bufferedSize >= MAX_BUFFERED_SIZE) {
      this.#dropped++;
      return;
    }
    const text = cutText(typeof message === 'string' ? message : jsonText(message));
    const entry: GuestLogEntry = { level, message: text, at: this.#now(), source };
    const meta = payload === undefined ? undefined : payloadText(payload, utf8Length(text));
    if (meta !== undefined) entry.meta = meta;
    ArrayPrototypePush(this.#buffer, entry);
    this.#bufferedSize += text.length + (meta?.length ?? 0);
    this.#sending ??= this.#send();
  }

  async #send(): Promise<void> {
    // One turn of the event loop later, so that lines logged together are sent together.
    await undefined;
    while (this.#buffer.length > 0) {
      const entries = this.#buffer;
      this.#buffer = [];
      this.#bufferedSize = 0;
      if (this.#dropped > 0) ArrayPrototypePush(entries, this.#droppedEntry());
      this.#dropped = 0;
      await this.#host.sendLogs(entries);
    }
    this.#sending = undefined;
  }

  #droppedEntry(): GuestLogEntry {
    const message = `${this.#dropped} log lines were dropped: the function logs faster than they can be stored.`;
    return { level: 'warn', message, at: this.#now(), source: 'internal' };
  }
}
