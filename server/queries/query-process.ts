import { type ChildProcess, fork } from 'node:child_process';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import type {
  EngineSettings,
  FromEngine,
  MarkedView,
  QueryErrorCode,
  QueryRequest,
  ToEngine,
} from './engine/engine-messages.ts';
import type { QueryColumn } from './queries.contract.ts';

/** The engine could not answer; the code is null when the engine itself is at fault. */
export class EngineError extends Error {
  override readonly name = 'EngineError';
  readonly code: QueryErrorCode | null;

  constructor(code: QueryErrorCode | null, message: string) {
    super(message);
    this.code = code;
  }
}

export interface QueryAnswer {
  columns: QueryColumn[];
  rowCount: number;
  /** Of the statement, without the time for loading records. */
  durationMs: number;
  /** Integrations whose records the statement names. */
  integrations: string[];
  /** The answer's bytes. They must be read to the end, or `cancel` called. */
  pieces: AsyncIterable<Buffer>;
  cancel(): void;
}

/** Of the process's own heap; the engine's memory is outside of it. */
const HEAP_MB = 192;
/** Of each part of V8's young generation. By itself it takes 150 MB for pages of records that live for milliseconds. */
const YOUNG_HEAP_MB = 8;
/**
 * Settings of glibc (other systems ignore them): one heap, and large blocks mapped by themselves, so that memory returns to
 * the system. By itself it keeps 300 MB of free blocks after a million records, of which the engine holds 63 MB.
 */
const ALLOCATOR = { MALLOC_ARENA_MAX: '1', MALLOC_MMAP_THRESHOLD_: '131072', MALLOC_TRIM_THRESHOLD_: '4194304' };
const LOW_PRIORITY = 5;

type Reply = Exclude<FromEngine, { kind: 'error' | 'warning' }>;

export type QueryProcess = ReturnType<typeof startQueryProcess>;

/** Starts one process of the query engine for one scope. */
export function startQueryProcess({
  entry,
  settings,
  onExit,
  onWarning,
}: {
  /** Path of `engine-main`, as source or bundled. */
  entry: string;
  settings: EngineSettings;
  onExit: () => void;
  onWarning: (message: string) => void;
}) {
  const waiting = new Map<number, { resolve: (reply: Reply) => void; reject: (error: Error) => void }>();
  const exit = Promise.withResolvers<void>();
  let nextId = 1;
  let errorText = '';
  let isGone = false;
  let isEnding = false;

  const child: ChildProcess = fork(entry, {
    // It writes sealed copies only and starts no programs; DuckDB itself is cut off by its own settings.
    execArgv: [
      ...['--permission', '--allow-fs-read=*', '--allow-addons'],
      ...[`--max-old-space-size=${HEAP_MB}`, `--max-semi-space-size=${YOUNG_HEAP_MB}`],
      ...(settings.copies ? [`--allow-fs-write=${join(settings.copies.folder, '*')}`] : []),
    ],
    env: ALLOCATOR,
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    detached: process.platform !== 'win32',
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errorText = (errorText + text).slice(-2000);
  });
  child.on('message', (message: FromEngine) => {
    if (message.kind === 'warning') return onWarning(message.message);
    const one = waiting.get(message.id);
    waiting.delete(message.id);
    if (message.kind === 'error' && message.isLast) isEnding = true;
    if (message.kind === 'error') one?.reject(new EngineError(message.code, message.message));
    else one?.resolve(message);
  });
  child.on('error', (error) => end(error.message));
  // After its last words on stderr.
  child.once('close', (code, signal) => end(`exit ${signal ?? code}`));
  try {
    if (child.pid !== undefined) setPriority(child.pid, LOW_PRIORITY);
  } catch {
    // The process has ended, or the system does not allow it; the priority then stays normal.
  }
  send({ kind: 'open', settings });

  function end(why: string): void {
    if (isGone) return;
    isGone = true;
    const isMissing = errorText.includes('@duckdb/');
    const error = isMissing
      ? new EngineError(
          null,
          'The query engine is not installed here: there is no package @duckdb/node-api for this system.',
        )
      : new EngineError(
          'query_too_large',
          `The process of the query engine ended (${why}), as it does when it runs out of memory. Read fewer rows or columns, then try again.`,
        );
    for (const one of waiting.values()) one.reject(error);
    waiting.clear();
    exit.resolve();
    onExit();
  }

  function send(message: ToEngine): void {
    // A process that has just ended cannot receive messages; its exit is handled above.
    if (child.connected) child.send(message, () => {});
  }

  function call<Kind extends Reply['kind']>(
    message: ToEngine & { id: number },
  ): Promise<Extract<Reply, { kind: Kind }>> {
    if (isGone) return Promise.reject(new EngineError(null, 'The process of the query engine has ended.'));
    return new Promise((resolve, reject) => {
      waiting.set(message.id, { resolve: resolve as (reply: Reply) => void, reject });
      send(message);
    });
  }

  return {
    get isUsable(): boolean {
      return !isGone && !isEnding;
    },
    async query(request: QueryRequest, signal: AbortSignal): Promise<QueryAnswer> {
      const id = nextId++;
      const cancel = (): void => send({ kind: 'cancel', id });
      signal.addEventListener('abort', cancel, { once: true });
      const { columns, rowCount, durationMs, integrations } = await call<'answer'>({ kind: 'query', id, request });
      async function* pieces(): AsyncGenerator<Buffer> {
        for (;;) {
          const { bytes } = await call<'piece'>({ kind: 'next', id });
          if (bytes === null) return;
          // Structured clones of a buffer arrive as plain bytes.
          yield Buffer.from(bytes);
        }
      }
      return { columns, rowCount, durationMs, integrations, pieces: pieces(), cancel };
    },
    async views(): Promise<MarkedView[]> {
      return (await call<'views'>({ kind: 'views', id: nextId++ })).views;
    },
    /** Ends the process: its memory holds records in clear. */
    async stop(): Promise<void> {
      child.kill('SIGKILL');
      await exit.promise;
    },
  };
}
