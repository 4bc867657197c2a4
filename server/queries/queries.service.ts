import type { KeyObject } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { ReadHandle } from '../platform/database/database.ts';
import type { Clock } from '../platform/lib/clock.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { Logger } from '../platform/lib/logger.ts';
import { PeriodicSweep } from '../platform/lib/periodic-sweep.ts';
import type { Vault } from '../platform/vault/vault.ts';
import type { MarkedView, QueryRequest, QueryScope } from './engine/engine-messages.ts';
import type { QueryView } from './queries.contract.ts';
import { removeOutdatedCopies } from './query-cache-files.ts';
import { EngineError, type QueryAnswer, type QueryProcess, startQueryProcess } from './query-process.ts';

export type { MarkedView } from './engine/engine-messages.ts';
export { columnsOfSchema, type ModelColumn } from './engine/model-columns.ts';
export type { QueryAnswer } from './query-process.ts';

export interface QueryCall extends QueryScope, Omit<QueryRequest, 'timeoutMs'> {
  /** Ends the query, for example when the client is gone. */
  signal: AbortSignal;
}

/** Processes at the same time; each holds the records of one scope. */
const MOST_PROCESSES = 2;
const MEMORY_MB = 360;
const IDLE_MS = 5 * 60_000;
/** As long as a query may take. */
const WAIT_MS = 30_000;
export const QUERY_TIME_MS = 30_000;
/** Of tables with fewer rows a copy would save less than half a second. */
const LEAST_COPIED_ROWS = 20_000;
const SWEEP_MS = 60_000;
const BUSY =
  'Queries of other environments, or of keys and agents with other connections, are running. Try again in a moment.';

interface Engine {
  process: QueryProcess;
  users: number;
  lastUsed: number;
  rest: NodeJS.Timeout | undefined;
}

export type QueriesService = ReturnType<typeof createQueriesService>;

/**
 * SQL over records. The engine runs in a process of its own that starts at the first query and ends after five minutes
 * without one. A process holds one scope only, so a key with limits cannot reach what it may not see.
 */
export function createQueriesService({
  clock,
  copies,
  database,
  entry,
  leastCopiedRows = LEAST_COPIED_ROWS,
  logger,
  memoryMb = MEMORY_MB,
  reader,
  recordKey,
  vault,
  waitMs = WAIT_MS,
}: {
  clock: Clock;
  /** The folder of sealed copies of large tables. */
  copies: string;
  /** Path of the hub's database. */
  database: string;
  leastCopiedRows?: number;
  logger: Logger;
  /** Of the engine. */
  memoryMb?: number;
  reader: ReadHandle;
  /** Path of the engine's entry. */
  entry: string;
  recordKey: () => KeyObject;
  vault: Pick<Vault, 'onLock' | 'assertUnlocked'>;
  /** How long a query waits for a process that another scope uses. */
  waitMs?: number;
}) {
  const engines = new Map<string, Engine>();
  const waiters: Array<() => void> = [];
  const sweeps = new PeriodicSweep({
    clock,
    logger,
    intervalMs: SWEEP_MS,
    sweep: () => removeOutdatedCopies(copies, reader, clock.now()),
    failureMessage: 'Outdated copies of records for queries could not be removed; trying again in a minute.',
  });

  function endAll(): Promise<unknown> {
    const ending = [...engines.values()].map(({ process, rest }) => {
      clearTimeout(rest);
      return process.stop();
    });
    engines.clear();
    return Promise.all(ending);
  }
  // The memory of a process holds records in clear.
  vault.onLock(() => void endAll());

  /** Throws when no process gets free in time. */
  async function untilFree(until: number, signal: AbortSignal): Promise<void> {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(Math.max(0, Math.round(until - performance.now())))]);
    await new Promise<void>((resolve, reject) => {
      const waiter = (): void => {
        limit.removeEventListener('abort', giveUp);
        resolve();
      };
      const giveUp = (): void => {
        waiters.splice(waiters.indexOf(waiter), 1);
        reject(new HomeportError('query_engine_unavailable', BUSY));
      };
      waiters.push(waiter);
      if (limit.aborted) giveUp();
      else limit.addEventListener('abort', giveUp, { once: true });
    });
  }

  async function take(scope: QueryScope, signal: AbortSignal): Promise<Engine> {
    const until = performance.now() + waitMs;
    vault.assertUnlocked();
    const key = JSON.stringify([scope.environmentId, scope.allowed]);
    for (;;) {
      const known = engines.get(key);
      if (known?.process.isUsable) {
        clearTimeout(known.rest);
        known.users += 1;
        return known;
      }
      if (engines.size < MOST_PROCESSES) break;
      const idle = [...engines]
        .filter(([, { users }]) => users === 0)
        .sort(([, a], [, b]) => a.lastUsed - b.lastUsed)[0];
      if (idle) await end(idle[0]);
      else await untilFree(until, signal);
    }
    const folder = join(copies, String(scope.environmentId));
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const engine: Engine = {
      process: startQueryProcess({
        entry,
        settings: {
          ...scope,
          database,
          recordKey: recordKey().export(),
          // A part of the connections has few records, and would need a copy of its own.
          copies: scope.allowed ? null : { folder, leastRows: leastCopiedRows },
          memoryMb,
          threads: Math.max(1, Math.min(4, availableParallelism())),
        },
        onWarning: (message) => logger.warn({ message }, 'a copy of records for queries was not written'),
        onExit: () => {
          if (engines.get(key) === engine) engines.delete(key);
          waiters.shift()?.();
        },
      }),
      users: 1,
      lastUsed: 0,
      rest: undefined,
    };
    engines.set(key, engine);
    return engine;
  }

  async function end(key: string): Promise<void> {
    const engine = engines.get(key);
    engines.delete(key);
    clearTimeout(engine?.rest);
    await engine?.process.stop();
  }

  function release(engine: Engine): void {
    engine.users -= 1;
    engine.lastUsed = performance.now();
    waiters.shift()?.();
    if (engine.users > 0) return;
    engine.rest = setTimeout(() => {
      for (const [key, one] of engines) if (one === engine) void end(key);
    }, IDLE_MS).unref();
  }

  /** The views, with marks that change with their contents. */
  async function listMarkedViews(scope: QueryScope, signal: AbortSignal): Promise<MarkedView[]> {
    const engine = await take(scope, signal);
    try {
      return await engine.process.views();
    } catch (error) {
      throw problemOf(error);
    } finally {
      release(engine);
    }
  }

  return {
    /** Removes outdated copies from now on. */
    start: () => sweeps.start(),
    /** Runs one statement that reads. Throws `query_refused`, `query_failed` or `query_too_large`. */
    async query({
      sql,
      params,
      format,
      mostRows,
      isOverRecordsOnly,
      isStreamed,
      signal,
      ...scope
    }: QueryCall): Promise<QueryAnswer> {
      const engine = await take(scope, signal);
      let isReleased = false;
      const done = (): void => {
        if (!isReleased) release(engine);
        isReleased = true;
      };
      try {
        const request = { sql, params, format, mostRows, timeoutMs: QUERY_TIME_MS, isOverRecordsOnly, isStreamed };
        const answer = await engine.process.query(request, signal);
        async function* pieces(): AsyncGenerator<Buffer> {
          try {
            yield* answer.pieces;
          } catch (error) {
            throw problemOf(error);
          } finally {
            answer.cancel();
            done();
          }
        }
        return { ...answer, pieces: pieces() };
      } catch (error) {
        done();
        throw problemOf(error);
      }
    },
    /** The views that a query can name, with their columns. */
    async listViews(scope: QueryScope, signal: AbortSignal): Promise<QueryView[]> {
      return (await listMarkedViews(scope, signal)).map(({ mark: _, ...view }) => view);
    },
    listMarkedViews,
    async stop(): Promise<void> {
      await sweeps.stop();
      await endAll();
    },
  };
}

function problemOf(error: unknown): unknown {
  if (!(error instanceof EngineError)) return error;
  return new HomeportError(error.code ?? 'query_engine_unavailable', error.message);
}
