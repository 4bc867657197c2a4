import type { Database } from '../platform/database/database.ts';
import { removeInSlices } from '../platform/database/remove-in-slices.ts';
import type { Clock } from '../platform/lib/clock.ts';
import { detached } from '../platform/lib/detached.ts';
import type { EventSink } from '../platform/lib/event-hub.ts';
import type { Logger } from '../platform/lib/logger.ts';
import { PeriodicSweep } from '../platform/lib/periodic-sweep.ts';
import { type AuditEntry, type AuditFilter, AuditStore, type NewAuditEntry } from './audit.store.ts';
import type { AuditAction } from './dashboard-audit.contract.ts';
import { KeyUse, type KeyUseEvents } from './key-use.ts';

export interface AuditEvents extends KeyUseEvents {
  /** An entry was stored; null means the whole hub. */
  audit: { environmentId: number | null };
}

export interface AuditServiceOptions {
  database: Database;
  clock: Clock;
  logger: Logger;
  events: EventSink<AuditEvents>;
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

/** Entries about keys, secrets and settings of the last 90 days. */
export class AuditService {
  readonly keyUse: KeyUse;
  readonly #options: AuditServiceOptions;
  readonly #store = new AuditStore();
  readonly #sweeps: PeriodicSweep;
  /** Entries whose transaction has not started. */
  #open: { entries: NewAuditEntry[]; stored: Promise<void> } | undefined;

  constructor(options: AuditServiceOptions) {
    this.#options = options;
    const { database, clock, logger, events } = options;
    this.keyUse = new KeyUse({ database, clock, logger, events, auditStore: this.#store });
    this.#sweeps = new PeriodicSweep({
      clock,
      logger,
      intervalMs: HOUR_MS,
      sweep: (isStopped) => this.removeOld(isStopped),
      failureMessage: 'Old audit entries could not be removed; trying again in an hour.',
    });
  }

  start(): void {
    this.#sweeps.start();
  }

  /** Stores the counted acts. */
  async stop(): Promise<void> {
    await this.#sweeps.stop();
    await this.keyUse.stop();
  }

  /**
   * Resolves when the entry is stored. When storing fails, the act stays done and the program's log reports the
   * failure.
   */
  async record(act: AuditAct): Promise<void> {
    const { clock, events, logger } = this.#options;
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
      await this.#write(entry);
      events.emit('audit', { environmentId });
    } catch (error) {
      logger.error({ err: error, action: act.action }, 'An audit entry could not be written.');
    }
  }

  /** Entries that are recorded before a transaction starts share it, so that their callers wait for one only. */
  #write(entry: NewAuditEntry): Promise<void> {
    if (this.#open) {
      this.#open.entries.push(entry);
      return this.#open.stored;
    }
    const entries = [entry];
    const close = (): void => {
      if (this.#open?.entries === entries) this.#open = undefined;
    };
    const stored = detached(() =>
      this.#options.database.transaction((tx) => {
        close();
        return this.#store.insert(tx, entries);
      }),
    ).finally(close);
    this.#open = { entries, stored };
    return stored;
  }

  /** `total` counts the filtered entries up to the snapshot, so that later entries do not shift the pages. */
  async list(
    filter: AuditFilter,
    page: { offset: number; limit: number; isAscending: boolean },
  ): Promise<{ entries: AuditEntry[]; total: number; snapshot: number }> {
    const { reader } = this.#options.database;
    const snapshot = filter.snapshot ?? (await this.#store.getSnapshot(reader));
    const within = { ...filter, snapshot };
    const [entries, total] = await Promise.all([
      this.#store.list(reader, within, page),
      this.#store.count(reader, within),
    ]);
    return { entries, total, snapshot };
  }

  countBy(environmentId: number, member: 'app' | 'integration'): Promise<Array<{ key: string; count: number }>> {
    return this.#store.countBy(this.#options.database.reader, environmentId, member);
  }

  /** Removes entries that are older than 90 days; resolves to the number removed. */
  async removeOld(isStopped = (): boolean => false): Promise<number> {
    const { clock, database } = this.#options;
    const before = clock.now() - KEPT_DAYS * DAY_MS;
    const removed = await removeInSlices({ database, sliceSize: SLICE, isStopped }, (tx) =>
      this.#store.removeOld(tx, before, SLICE),
    );
    await this.keyUse.removeOld(before);
    return removed;
  }
}
