import type { EnvironmentService } from '../environments/environment.service.ts';
import type { Database, Transaction } from '../platform/database/database.ts';
import type { Clock } from '../platform/lib/clock.ts';
import type { EventSink } from '../platform/lib/event-hub.ts';
import { areFilesLost, isVaultLocked, UNEXPECTED_ERROR } from '../platform/lib/homeport-error.ts';
import type { Ids } from '../platform/lib/ids.ts';
import type { Logger } from '../platform/lib/logger.ts';
import { type Job, JobAborted } from '../platform/scheduler/job-kind.ts';
import type { Scheduler } from '../platform/scheduler/scheduler.ts';
import { type ChosenRecords, type DestinationSource, isChosen } from './destination-source.ts';
import {
  CursorMoved,
  type DeliveryModel,
  type DeliveryStream,
  type DeliveryTarget,
  DestinationError,
  type OpenTarget,
} from './destination-target.ts';
import type { DeliveredStream, DestinationRow, DestinationsStore } from './destinations.store.ts';
import { createTargetOpener } from './target-opener.ts';

/** Kind of the job that delivers what waits for one destination. */
export const RUN_DESTINATION = 'run-destination';

export interface DestinationEvents {
  /** A destination was created, changed or deleted, or a delivery to it ended. */
  destination: { environmentId: number; id: string };
}

/** Time between two looks at a destination without new records. */
const IDLE_MS = 30_000;
/** A run that takes longer makes room for the others and goes on after them. */
const RUN_MS = 60_000;
const FIRST_RETRY_MS = 2000;
const MOST_RETRY_MS = 10 * 60_000;
/** Moves of one cursor in a row after which something else writes there. */
const MOST_MOVES = 5;

/** Wait before the next attempt: doubled after each failure in a row. */
export const destinationRetryMs = (failures: number): number =>
  Math.min(FIRST_RETRY_MS * 2 ** (failures - 1), MOST_RETRY_MS);

export type DestinationRunner = ReturnType<typeof createDestinationRunner>;

/**
 * Delivers the changes of records. Each destination has one job at a time; its end and the next job are stored together.
 * Cursors move only after the target has the changes, so a destination that is away loses nothing.
 */
export function createDestinationRunner({
  database,
  destinationsStore,
  scheduler,
  clock,
  logger,
  environments,
  source,
  events,
  ids,
  targetOf,
  filterOf,
}: {
  database: Database;
  destinationsStore: DestinationsStore;
  scheduler: Scheduler;
  clock: Clock;
  logger: Logger;
  environments: Pick<EnvironmentService, 'find'>;
  source: DestinationSource;
  events: EventSink<DestinationEvents>;
  ids: Pick<Ids, 'uuid'>;
  targetOf(row: DestinationRow): DeliveryTarget;
  filterOf(row: DestinationRow): ChosenRecords;
}) {
  /** Destinations for which there was something new while they ran. */
  const missed = new Map<string, boolean>();
  /** Destinations whose target was opened since the start. */
  const asked = new Set<string>();
  const openTarget = createTargetOpener({ database, destinationsStore, clock, ids, logger, targetOf });

  /** Replaces the job of a destination by one at `runAt`. */
  async function enqueue(
    tx: Transaction,
    row: Pick<DestinationRow, 'seq' | 'id' | 'jobId'>,
    runAt: number,
  ): Promise<void> {
    if (row.jobId !== null) await scheduler.cancel(tx, row.jobId);
    const jobId = await scheduler.enqueue(tx, {
      kind: RUN_DESTINATION,
      payload: { destinationId: row.id },
      group: row.id,
      runAt,
    });
    await destinationsStore.setJob(tx, row.seq, { jobId, nextAt: runAt });
  }

  async function noteCursors(
    row: DestinationRow,
    target: OpenTarget,
    streams: ReadonlyArray<DeliveredStream & { delivered: number }>,
  ): Promise<void> {
    const count = streams.reduce((sum, { delivered }) => sum + delivered, 0);
    const position = target.position();
    await database.transaction(
      async (tx) => {
        const now = await destinationsStore.find(tx, row.id);
        // Deleted, or set back by a replay meanwhile: the job that follows goes on from there.
        if (!now || now.generation !== row.generation) throw new JobAborted('cancelled');
        await destinationsStore.upsertStreams(tx, row.seq, streams);
        await destinationsStore.noteDelivered(tx, row.seq, { count, position, now: clock.now() });
      },
      { durable: true },
    );
  }

  /** What the target knows wins: the hub notes a cursor only after the target has stored it. */
  async function adoptCursors(row: DestinationRow, target: OpenTarget): Promise<DeliveredStream[]> {
    const known = await destinationsStore.listDelivered(database.reader, row.seq);
    if (!target.cursors) return known;
    const before = new Map(known.map((one) => [one.streamId, one.cursor]));
    const differing = target.cursors.filter(({ cursor, streamId }) => before.get(streamId) !== cursor);
    const there = new Set(target.cursors.map(({ streamId }) => streamId));
    const missing = known.filter(({ streamId }) => !there.has(streamId)).map(({ streamId }) => streamId);
    await database.transaction(async (tx) => {
      if (differing.length > 0)
        await destinationsStore.upsertStreams(
          tx,
          row.seq,
          differing.map((one) => ({ ...one, delivered: 0 })),
        );
      if (missing.length > 0) await destinationsStore.removeStreams(tx, row.seq, missing);
      if (row.replayFrom !== null) await destinationsStore.endReplay(tx, row.seq, row.generation);
    });
    return [...target.cursors];
  }

  /** Removes at the target what the hub no longer has, and what is there under an earlier name. */
  async function removeGone(
    row: DestinationRow,
    target: OpenTarget,
    delivered: readonly DeliveredStream[],
    streams: readonly DeliveryStream[],
  ): Promise<Map<number, number>> {
    const live = new Map(streams.map((one) => [one.id, one]));
    const isSame = (one: DeliveredStream): boolean => {
      const now = live.get(one.streamId);
      return (
        now !== undefined &&
        now.integrationKey === one.integrationKey &&
        now.model === one.model &&
        now.connectionId === one.connectionId &&
        now.variant === one.variant
      );
    };
    const gone = delivered.filter((one) => !isSame(one));
    if (gone.length > 0) {
      await target.removeStreams(gone);
      await database.transaction(async (tx) => {
        await destinationsStore.removeStreams(
          tx,
          row.seq,
          gone.map(({ streamId }) => streamId),
        );
        await destinationsStore.noteDelivered(tx, row.seq, { count: 0, position: target.position(), now: clock.now() });
      });
    }
    return new Map(delivered.filter(isSame).map(({ cursor, streamId }) => [streamId, cursor]));
  }

  async function deliverModel(
    row: DestinationRow,
    target: OpenTarget,
    {
      cursors,
      endsAt,
      model,
      signal,
      streams,
    }: {
      model: DeliveryModel;
      streams: readonly DeliveryStream[];
      cursors: Map<number, number>;
      endsAt: number;
      signal: AbortSignal;
    },
  ): Promise<boolean> {
    const read = (some: readonly DeliveryStream[], reached: ReadonlyMap<number, number>) =>
      source.readBatch(
        model,
        some.map((stream) => ({ stream, cursor: reached.get(stream.id) ?? cursors.get(stream.id) ?? 0 })),
      );
    let moves = 0;
    let open = [...streams];
    let ahead: ReturnType<typeof read> | undefined;
    while (open.length > 0) {
      signal.throwIfAborted();
      if (clock.now() >= endsAt) return false;
      const { atEnd, batch } = await (ahead ?? read(open, cursors));
      ahead = undefined;
      const rest = open.filter(({ id }) => !atEnd.has(id));
      if (batch.parts.length > 0) {
        const reached = new Map(batch.parts.map(({ stream, until }) => [stream.id, until]));
        // The next changes are opened while the target stores these.
        ahead = rest.length > 0 ? read(rest, reached) : undefined;
        // A failure is thrown where the next changes are needed.
        ahead?.catch(() => {});
        try {
          await target.write(batch);
          moves = 0;
        } catch (error) {
          if (!(error instanceof CursorMoved) || moves === MOST_MOVES) throw error;
          moves += 1;
          cursors.set(error.streamId, error.cursor);
          ahead = undefined;
          continue;
        }
        await noteCursors(
          row,
          target,
          batch.parts.map(({ records, stream, until }) => ({
            streamId: stream.id,
            integrationKey: stream.integrationKey,
            model: stream.model,
            connectionId: stream.connectionId,
            variant: stream.variant,
            cursor: until,
            delivered: records.length,
          })),
        );
        for (const [id, until] of reached) cursors.set(id, until);
      }
      open = rest;
    }
    return true;
  }

  /** Resolves to false when there is more than one run takes. */
  async function deliver(row: DestinationRow, signal: AbortSignal): Promise<boolean> {
    const environment = environments.find(row.environmentId);
    if (!environment) return true;
    const filter = filterOf(row);
    const [pending, streams, delivered, lastStamp] = await Promise.all([
      destinationsStore.listPending(database.reader, row),
      source.listStreams(row.environmentId),
      destinationsStore.listDelivered(database.reader, row.seq),
      destinationsStore.findLastStamp(database.reader),
    ]);
    const chosen = streams.filter((stream) => isChosen(filter, stream));
    const chosenIds = new Set(chosen.map(({ id }) => id));
    const live = new Map(streams.map((one) => [one.id, `${one.integrationKey}\0${one.model}\0${one.connectionId}`]));
    const hasGone = delivered.some(
      (one) => live.get(one.streamId) !== `${one.integrationKey}\0${one.model}\0${one.connectionId}`,
    );
    const hasPending = pending.some((id) => chosenIds.has(id));
    // The first run after a start asks the target whether the hub is a restored backup.
    const mayBeAhead = !asked.has(row.id) && delivered.length > 0;
    if (!hasPending && !hasGone && !mayBeAhead && row.replayFrom === null) return true;
    const endsAt = clock.now() + RUN_MS;
    const target = await openTarget(row, { environment, delivered, lastStamp, signal });
    asked.add(row.id);
    try {
      // It was told, and the next job delivers everything again.
      if (target.tellRestored && target.isAhead) return false;
      const known = await adoptCursors(row, target);
      const cursors = await removeGone(row, target, known, streams);
      const columns = await source.listColumns(row.environmentId);
      const groups = Map.groupBy(chosen, ({ integrationKey, model }) => JSON.stringify([integrationKey, model]));
      for (const [key, ofModel] of groups) {
        const [{ integrationKey, model }] = ofModel as [DeliveryStream];
        const isDone = await deliverModel(row, target, {
          model: { integrationKey, model, columns: columns.get(key) },
          streams: ofModel,
          cursors,
          endsAt,
          signal,
        });
        if (!isDone) return false;
      }
      return true;
    } finally {
      await target.close();
    }
  }

  /** Stores the end of a run with the next job, unless the destination was paused, changed or deleted meanwhile. */
  async function finish(
    job: Pick<Job, 'id'>,
    row: DestinationRow,
    end: { isDone: boolean } | { failure: unknown },
  ): Promise<void> {
    const now = clock.now();
    await database.transaction(async (tx) => {
      const current = await destinationsStore.find(tx, row.id);
      await scheduler.complete(tx, job.id);
      if (!current || current.isPaused || current.jobId !== job.id) return;
      let waitMs = IDLE_MS;
      if ('failure' in end) {
        const { code, message, retryAfterMs } = describe(end.failure);
        await destinationsStore.noteFailure(tx, row.seq, { code, message, at: now });
        waitMs = Math.max(destinationRetryMs(current.failures + 1), retryAfterMs ?? 0);
      } else {
        await destinationsStore.noteSuccess(tx, row.seq, now);
        if (row.replayFrom !== null) await destinationsStore.endReplay(tx, row.seq, row.generation);
        if (!end.isDone || missed.get(row.id)) waitMs = 0;
      }
      await enqueue(tx, { ...row, jobId: null }, now + waitMs);
      tx.afterCommit(() => events.emit('destination', { environmentId: row.environmentId, id: row.id }));
    });
  }

  function describe(failure: unknown): { code: string; message: string; retryAfterMs?: number | undefined } {
    if (failure instanceof DestinationError) return failure;
    if (failure instanceof CursorMoved)
      return {
        code: 'destination_taken',
        message: 'Something else writes to this destination at the same time. Let only one hub use it.',
      };
    if (failure instanceof JobAborted)
      return { code: 'destination_unreachable', message: 'The delivery took too long and was ended.' };
    return { code: 'destination_failed', message: UNEXPECTED_ERROR };
  }

  return {
    enqueue,
    /** One run of a job. A failed delivery is a result; only what concerns the hub itself is thrown. */
    async run(job: Job, destinationId: string, signal: AbortSignal): Promise<void> {
      const row = await destinationsStore.find(database.reader, destinationId);
      if (!row || row.isPaused || row.jobId !== job.id) return;
      missed.set(row.id, false);
      try {
        const isDone = await deliver(row, signal);
        await finish(job, row, { isDone });
      } catch (error) {
        if (error instanceof JobAborted && error.kind === 'cancelled') return;
        if (signal.aborted) {
          const { reason } = signal;
          // Cancelled: a person paused, changed or deleted it. A stop of the hub runs the job again.
          if (reason instanceof JobAborted && reason.kind === 'cancelled') return;
          if (!(reason instanceof JobAborted) || reason.kind === 'shutdown') throw reason;
        }
        if (isVaultLocked(error) || areFilesLost(error)) throw error;
        if (!(error instanceof DestinationError))
          logger.warn({ err: error, destination: row.id }, 'A delivery to a record destination failed.');
        await finish(job, row, { failure: error });
      } finally {
        missed.delete(row.id);
      }
    },
    /** There may be new records: destinations that only wait for some run now. */
    async wake(environmentId: number): Promise<void> {
      const rows = await destinationsStore.list(database.reader, environmentId);
      for (const { id } of rows) if (missed.has(id)) missed.set(id, true);
      const waiting = rows.filter((row) => mayWake(row, clock.now()) && !missed.has(row.id));
      if (waiting.length === 0) return;
      await database.transaction(async (tx) => {
        for (const { id } of waiting) {
          const row = await destinationsStore.find(tx, id);
          if (row && mayWake(row, clock.now()) && !missed.has(id)) await enqueue(tx, row, clock.now());
        }
      });
    },
  };
}

/** A failing destination keeps to its back-off. */
const mayWake = (row: DestinationRow, now: number): boolean =>
  !row.isPaused && row.failures === 0 && row.nextAt !== null && row.nextAt > now;
