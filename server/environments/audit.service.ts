import type { RowCount } from '../platform/database/count-rows.ts';
import type { Database } from '../platform/database/database.ts';
import { removeInSlices } from '../platform/database/remove-in-slices.ts';
import type { Clock } from '../platform/lib/clock.ts';
import { detached } from '../platform/lib/detached.ts';
import type { EventSink } from '../platform/lib/event-hub.ts';
import type { Logger } from '../platform/lib/logger.ts';
import { PeriodicSweep } from '../platform/lib/periodic-sweep.ts';
import type { SeenTime } from '../platform/scheduler/seen-time.ts';
import { type AuditEntry, type AuditFilter, AuditStore, type NewAuditEntry } from './audit.store.ts';
import type { AuditAction } from './dashboard-audit.contract.ts';
import { createKeyUse, type KeyUseEvents } from './key-use.ts';

export interface AuditEvents extends KeyUseEvents {
  /** An entry was stored; null means the whole hub. */
  audit: { environmentId: number | null };
}

/** An act to record. The service sets its time. */
export interface AuditAct {
  action: AuditAction;
  /** Null for the whole hub. */
  environmentId: number | null;
  /** Absent for a person in the dashboard. */
  keyId?: number | undefined;
  integrationKey?: string | undefined;
  connectionId?: string | undefined;
  /** The object of the act; not a secret. */
  subject?: string | undefined;
}

/**
 * Acts that concern the whole hub, whatever their environment. They are kept when the environment is deleted.
 */
const HUB_ACTIONS: ReadonlySet<AuditAction> = new Set([
  'environment_created',
  'environment_deleted',
  'backup_made',
  'backup_deleted',
  'master_key_changed',
]);

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const KEPT_DAYS = 90;
/** Entries removed per transaction. */
const SLICE = 500;
const MAX_SUBJECT_LENGTH = 500;

export type AuditService = ReturnType<typeof createAuditService>;

/** Entries about keys, secrets and settings of the last 90 days. */
export function createAuditService(use: {
  database: Database;
  clock: Clock;
  logger: Logger;
  seenTime: Pick<SeenTime, 'isDoubtful'>;
  events: EventSink<AuditEvents>;
}) {
  const { database, clock, logger, seenTime, events } = use;
  const store = new AuditStore();
  /** Entries whose transaction has not started. */
  let open: { entries: NewAuditEntry[]; stored: Promise<void> } | undefined;
  const keyUse = createKeyUse({ database, clock, logger, events, auditStore: store });
  const sweeps = new PeriodicSweep({
    clock,
    logger,
    intervalMs: HOUR_MS,
    seenTime,
    sweep: (isStopped) => removeOld(isStopped),
    failureMessage: 'Old audit entries could not be removed; trying again in an hour.',
  });

  function start(): void {
    sweeps.start();
  }

  /** Stores the counted acts. */
  async function stop(): Promise<void> {
    await sweeps.stop();
    await keyUse.stop();
  }

  /**
   * Resolves when the entry is stored. When storing fails, the act stays done and the program's log reports the
   * failure.
   */
  async function record(act: AuditAct): Promise<void> {
    const environmentId = HUB_ACTIONS.has(act.action) ? null : act.environmentId;
    const entry = {
      environmentId,
      at: clock.now(),
      action: act.action,
      result: 'done' as const,
      keyId: act.keyId ?? null,
      integrationKey: act.integrationKey ?? null,
      connectionId: act.connectionId ?? null,
      subject: act.subject?.slice(0, MAX_SUBJECT_LENGTH) ?? null,
      count: 1,
      bucket: null,
    };
    try {
      await write(entry);
      events.emit('audit', { environmentId });
    } catch (error) {
      logger.error({ err: error, action: act.action }, 'An audit entry could not be written.');
    }
  }

  /** Entries that are recorded before a transaction starts share it, so that their callers wait for one only. */
  function write(entry: NewAuditEntry): Promise<void> {
    if (open) {
      open.entries.push(entry);
      return open.stored;
    }
    const entries = [entry];
    const close = (): void => {
      if (open?.entries === entries) open = undefined;
    };
    const stored = detached(() =>
      database.transaction((tx) => {
        close();
        return store.insert(tx, entries);
      }),
    ).finally(close);
    open = { entries, stored };
    return stored;
  }

  /** `total` counts the filtered entries up to the snapshot, so that later entries do not shift the pages. */
  async function list(
    filter: AuditFilter,
    page: { offset: number; limit: number; isAscending: boolean; isExactCount?: boolean },
  ): Promise<RowCount & { entries: AuditEntry[]; snapshot: number }> {
    const { reader } = database;
    const snapshot = filter.snapshot ?? (await store.getSnapshot(reader));
    const within = { ...filter, snapshot };
    const [entries, count] = await Promise.all([
      store.list(reader, within, page),
      store.count(reader, within, page.isExactCount),
    ]);
    return { entries, ...count, snapshot };
  }

  function countBy(
    environmentId: number,
    member: 'app' | 'integration',
  ): Promise<Array<{ key: string; count: number }>> {
    return store.countBy(database.reader, environmentId, member);
  }

  /** Removes entries that are older than 90 days; resolves to the number removed. */
  async function removeOld(isStopped = (): boolean => false): Promise<number> {
    const before = clock.now() - KEPT_DAYS * DAY_MS;
    const removed = await removeInSlices({ database, sliceSize: SLICE, isStopped }, (tx) =>
      store.removeOld(tx, before, SLICE),
    );
    await keyUse.removeOld(before);
    return removed;
  }

  return { keyUse, start, stop, record, list, countBy, removeOld };
}
