import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { EnvironmentService } from '../environments/environment.service.ts';
import { type Database, isUniqueViolation, type Transaction } from '../platform/database/database.ts';
import type { Clock, Timer } from '../platform/lib/clock.ts';
import { detached } from '../platform/lib/detached.ts';
import type { EventHub } from '../platform/lib/event-hub.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { Ids } from '../platform/lib/ids.ts';
import type { Logger } from '../platform/lib/logger.ts';
import type { Job } from '../platform/scheduler/job-kind.ts';
import type { Scheduler } from '../platform/scheduler/scheduler.ts';
import type { Vault } from '../platform/vault/vault.ts';
import { RecordSourceStore } from '../queries/record-source.store.ts';
import type { RecordSealer } from '../records/records.service.ts';
import { createDestinationRunner, type DestinationEvents } from './destination-runner.ts';
import {
  type DestinationSecret,
  mergeChange,
  openSecret,
  readDestinationSettings,
  type StoredSettings,
  sealSecret,
  splitSettings,
} from './destination-settings.ts';
import { createDestinationSource, isChosen } from './destination-source.ts';
import { type DeliveryTarget, DestinationError } from './destination-target.ts';
import {
  MAX_RECORD_DESTINATIONS,
  type NewRecordDestination,
  type RecordDestinationChange,
} from './destinations.contract.ts';
import {
  type DestinationKind,
  type DestinationRow,
  DestinationsStore,
  type StreamProgress,
} from './destinations.store.ts';
import { createHttpTarget, type HttpTargetParts } from './http-target.ts';
import { createNdjsonTarget } from './ndjson-target.ts';
import { readPgAddress } from './pg-connection.ts';
import { createPostgresTarget } from './postgres-target.ts';

export { type DestinationEvents, RUN_DESTINATION } from './destination-runner.ts';
export type { StreamProgress } from './destinations.store.ts';

/** A destination with its progress. */
export interface RecordDestination {
  row: DestinationRow;
  settings: StoredSettings;
  /** The streams that are chosen. */
  progress: StreamProgress[];
}

/** A destination that fails again and again: what to tell a person. */
export interface FailingDestination {
  id: string;
  name: string;
  kind: DestinationKind;
  code: string;
  message: string;
  failures: number;
  /** Milliseconds since the epoch. */
  at: number;
}

/** What the overview shows of one. */
export type ShownFailure = Omit<FailingDestination, 'kind'>;

/** A single failure may be a restart of the database. */
const TOLD_FAILURES = 2;
const TEST_MS = 20_000;
/** Runs of syncs that end close together wake a destination once. */
const COLLECT_MS = 500;

export type DestinationsService = ReturnType<typeof createDestinationsService>;

/** Record destinations of an environment, and the deliveries to them. */
export function createDestinationsService({
  database,
  vault,
  clock,
  ids,
  logger,
  scheduler,
  environments,
  sealer,
  http,
  sign,
  userAgent,
  home,
  events,
}: {
  database: Database;
  vault: Vault;
  clock: Clock;
  ids: Ids;
  logger: Logger;
  scheduler: Scheduler;
  environments: Pick<EnvironmentService, 'find' | 'signingKeys'>;
  sealer: RecordSealer;
  http: HttpTargetParts['http'];
  sign: HttpTargetParts['sign'];
  userAgent: string;
  /** The hub's data folder. */
  home: string;
  events: Pick<EventHub<DestinationEvents & { records: { environmentId: number } }>, 'emit' | 'on'>;
}) {
  const store = new DestinationsStore();
  const source = createDestinationSource({ database, recordSourceStore: new RecordSourceStore(), sealer });
  const runner = createDestinationRunner({
    database,
    destinationsStore: store,
    scheduler,
    clock,
    logger,
    environments,
    source,
    events,
    ids,
    filterOf: readDestinationSettings,
    targetOf,
  });
  const wakes = new Map<number, Timer>();
  let unsubscribe = (): void => {};

  const markFileOf = (id: string): string => join(home, 'destinations', id);

  function targetOf(row: DestinationRow): DeliveryTarget {
    return targetBy(row, readDestinationSettings(row), openSecret(vault, row));
  }

  function targetBy(
    { environmentId, id, kind }: Pick<DestinationRow, 'environmentId' | 'id' | 'kind'>,
    settings: StoredSettings,
    secret: DestinationSecret,
  ): DeliveryTarget {
    if (kind === 'postgres' && settings.postgres)
      return createPostgresTarget(readPgAddress(secret.connectionString ?? ''), settings.postgres);
    if (kind === 'ndjson') return createNdjsonTarget(settings.folder ?? '', clock);
    const listKeys = (): Promise<readonly string[]> => environments.signingKeys.listValid(environmentId);
    const parts = { http, clock, userAgent, listKeys, sign, markFile: markFileOf(id) };
    return createHttpTarget(secret.url ?? '', secret.token ?? null, parts);
  }

  async function get(environmentId: number, id: string): Promise<DestinationRow> {
    const row = await store.find(database.reader, id);
    if (row?.environmentId === environmentId) return row;
    throw new HomeportError('not_found', 'There is no destination with this id.');
  }

  async function withProgress(row: DestinationRow): Promise<RecordDestination> {
    const settings = readDestinationSettings(row);
    const progress = await store.listProgress(database.reader, row);
    return { row, settings, progress: progress.filter((one) => isChosen(settings, one)) };
  }

  /** Changes a row in one transaction with its job. */
  async function change(
    environmentId: number,
    id: string,
    work: (tx: Transaction, row: DestinationRow) => Promise<void>,
  ): Promise<RecordDestination> {
    await get(environmentId, id);
    await database.transaction(async (tx) => {
      const row = await store.find(tx, id);
      if (row) await work(tx, row);
      tx.afterCommit(() => events.emit('destination', { environmentId, id }));
    });
    return withProgress(await get(environmentId, id));
  }

  async function runNow(tx: Transaction, row: DestinationRow): Promise<void> {
    if (!row.isPaused) await runner.enqueue(tx, row, clock.now());
  }

  async function testTarget(id: string, target: () => DeliveryTarget): Promise<{ isOk: boolean; message: string }> {
    const late = new AbortController();
    const timer = clock.after(TEST_MS, () => late.abort(new DestinationError('destination_unreachable', TOO_LATE)));
    try {
      return { isOk: true, message: await target().test(late.signal, id) };
    } catch (error) {
      if (error instanceof DestinationError) return { isOk: false, message: error.message };
      throw error;
    } finally {
      timer.cancel();
    }
  }

  /** There may be new records in an environment. */
  function wake(environmentId: number): void {
    if (wakes.has(environmentId)) return;
    const timer = clock.after(COLLECT_MS, () => {
      wakes.delete(environmentId);
      detached(() => runner.wake(environmentId)).catch((error: unknown) =>
        logger.warn({ err: error }, 'Record destinations could not be woken; they look by themselves soon.'),
      );
    });
    wakes.set(environmentId, timer);
  }

  function nameTaken(error: unknown, name: string): unknown {
    if (!isUniqueViolation(error, 'record_destinations.name')) return error;
    const message = `There is a destination with the name ${name} already.`;
    return new HomeportError('invalid_body', message, { issues: [{ code: 'custom', message, path: ['name'] }] });
  }

  return {
    /** In the order of their creation. */
    async list(environmentId: number): Promise<RecordDestination[]> {
      const rows = await store.list(database.reader, environmentId);
      return Promise.all(rows.map(withProgress));
    },
    async get(environmentId: number, id: string): Promise<RecordDestination> {
      return withProgress(await get(environmentId, id));
    },
    /** Begins to deliver at once, from the first change on. */
    async create(environmentId: number, input: NewRecordDestination): Promise<RecordDestination> {
      const id = ids.uuid();
      const { secret, settings } = splitSettings(input, home);
      const sealed = sealSecret(vault, id, secret);
      const now = clock.now();
      try {
        await database.transaction(
          async (tx) => {
            if ((await store.list(tx, environmentId)).length >= MAX_RECORD_DESTINATIONS)
              throw new HomeportError(
                'invalid_body',
                `An environment has at most ${MAX_RECORD_DESTINATIONS} record destinations. Delete one first.`,
              );
            await store.insert(tx, {
              id,
              environmentId,
              name: input.name,
              kind: input.kind,
              settings: JSON.stringify(settings),
              secret: sealed,
              generation: now * 1000,
              createdAt: now,
            });
            const row = await store.find(tx, id);
            if (row && input.paused) await store.setPaused(tx, row.seq, true, now);
            else if (row) await runNow(tx, row);
            tx.afterCommit(() => events.emit('destination', { environmentId, id }));
          },
          { durable: true },
        );
      } catch (error) {
        throw nameTaken(error, input.name);
      }
      return withProgress(await get(environmentId, id));
    },
    /** Changes the given members, and tries again at once. */
    async change(environmentId: number, id: string, changed: RecordDestinationChange): Promise<RecordDestination> {
      const row = await get(environmentId, id);
      const before = { settings: readDestinationSettings(row), secret: openSecret(vault, row) };
      const merged = mergeChange(row, before, changed);
      const { secret, settings } = splitSettings(merged, home);
      const sealed = sealSecret(vault, id, secret);
      // Another place knows nothing of what the one before got.
      const isMoved =
        settings.target !== before.settings.target || settings.postgres?.schema !== before.settings.postgres?.schema;
      try {
        return await change(environmentId, id, async (tx, current) => {
          await store.updateSettings(
            tx,
            { seq: current.seq, name: merged.name, settings: JSON.stringify(settings), secret: sealed },
            clock.now(),
          );
          if (isMoved) await store.startReplay(tx, current.seq, { from: 0, generation: clock.now() * 1000 });
          await runNow(tx, current);
        });
      } catch (error) {
        throw nameTaken(error, merged.name);
      }
    },
    async remove(environmentId: number, id: string): Promise<void> {
      const row = await get(environmentId, id);
      await database.transaction(async (tx) => {
        const current = await store.find(tx, id);
        if (current && current.jobId !== null) await scheduler.cancel(tx, current.jobId);
        await store.remove(tx, row.seq);
        tx.afterCommit(() => events.emit('destination', { environmentId, id }));
      });
      await rm(markFileOf(id), { force: true });
    },
    /** Changes wait until it is resumed. */
    pause: (environmentId: number, id: string) =>
      change(environmentId, id, async (tx, row) => {
        if (row.isPaused) return;
        if (row.jobId !== null) await scheduler.cancel(tx, row.jobId);
        await store.setPaused(tx, row.seq, true, clock.now());
        await store.setJob(tx, row.seq, { jobId: null, nextAt: null });
      }),
    resume: (environmentId: number, id: string) =>
      change(environmentId, id, async (tx, row) => {
        if (!row.isPaused) return;
        await store.setPaused(tx, row.seq, false, clock.now());
        await runner.enqueue(tx, row, clock.now());
      }),
    /** Tries at once, whatever the wait after failures. */
    retry: (environmentId: number, id: string) => change(environmentId, id, runNow),
    /** Delivers all changes again that were made at or after a moment (milliseconds), or all. */
    replay: (environmentId: number, id: string, from: number | null) =>
      change(environmentId, id, async (tx, row) => {
        await store.startReplay(tx, row.seq, { from: Math.max(0, (from ?? 0) * 1000), generation: clock.now() * 1000 });
        await runNow(tx, row);
      }),
    /** Whether records could be delivered, without delivering any. */
    testNew(environmentId: number, input: NewRecordDestination): Promise<{ isOk: boolean; message: string }> {
      const { secret, settings } = splitSettings(input, home);
      const id = ids.uuid();
      return testTarget(id, () => targetBy({ environmentId, id, kind: input.kind }, settings, secret));
    },
    async test(environmentId: number, id: string): Promise<{ isOk: boolean; message: string }> {
      const row = await get(environmentId, id);
      return testTarget(id, () => targetOf(row));
    },
    /** Those that a person should look at: they failed more than once in a row. */
    async listFailing(environmentId: number): Promise<FailingDestination[]> {
      const rows = await store.listFailing(database.reader, environmentId, TOLD_FAILURES);
      return rows.map(({ id, kind, name, errorCode, error, failedAt, failures }) => ({
        ...{ id, kind, name, failures },
        code: errorCode ?? '',
        message: error ?? '',
        at: failedAt ?? 0,
      }));
    },
    run: (job: Job, destinationId: string, signal: AbortSignal) => runner.run(job, destinationId, signal),
    /** Every destination that is not paused has its job, whatever became of the last one; those that only wait run now. */
    async start(): Promise<void> {
      unsubscribe = events.on('records', ({ environmentId }) => wake(environmentId));
      const active = await store.listActive(database.reader);
      if (active.length === 0) return;
      await database.transaction(async (tx) => {
        for (const { hasJob, id } of active) {
          const row = await store.find(tx, id);
          if (!row || (hasJob === 1 && row.failures > 0)) continue;
          await runner.enqueue(tx, { ...row, jobId: hasJob === 1 ? row.jobId : null }, clock.now());
        }
      });
    },
    stop(): void {
      unsubscribe();
      for (const timer of wakes.values()) timer.cancel();
      wakes.clear();
    },
  };
}

const TOO_LATE = `There was no answer within ${TEST_MS / 1000} seconds.`;
