import { createSecretKey, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { RunOutcome } from '../../../functions/runtime/bridge.ts';
import type { StoredConnection } from '../../../server/connections/connection.ts';
import type { Environment } from '../../../server/environments/environment.service.ts';
import type { RunnableFunction } from '../../../server/functions/deployments/deployed-function.ts';
import type { SyncTrigger } from '../../../server/functions/deployments/function-triggers.ts';
import type { RunRequest, SyncRunParts } from '../../../server/functions/runs/run-request.ts';
import type { Integration } from '../../../server/integrations/integration.ts';
import type { Operation, OperationLog } from '../../../server/log/operation.ts';
import { Database, type Transaction } from '../../../server/platform/database/database.ts';
import { randomIds } from '../../../server/platform/lib/ids.ts';
import { silentLogger } from '../../../server/platform/lib/logger.ts';
import { RUN_TIMEOUT_MS } from '../../../server/platform/sandbox/run-limits.ts';
import { Scheduler } from '../../../server/platform/scheduler/scheduler.ts';
import type { CheckpointSession } from '../../../server/records/checkpoint-session.ts';
import {
  createRecordHasher,
  createRecordSealer,
  createRecordsService,
  type RecordsService,
} from '../../../server/records/records.service.ts';
import { MIGRATIONS } from '../../../server/schema/migration-list.ts';
import { runSync } from '../../../server/syncs/run-sync.job.ts';
import {
  createSyncSchedulesService,
  SYNC_RUN,
  type SyncDefinition,
  type SyncOwner,
  type SyncSchedulesService,
  type SyncStatus,
} from '../../../server/syncs/sync-schedules.service.ts';
import { createSyncsService, type SyncsService } from '../../../server/syncs/syncs.service.ts';
import type { SyncEvent } from '../../../server/webhooks-out/payloads.ts';
import { DatabaseTurns } from '../../support/database-turns.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { createTempHome } from '../../support/temp-home.ts';
import { trueTime } from '../../support/true-time.ts';

export const ENVIRONMENT = 1;
export const INTEGRATION = { id: 7, key: 'crm' };

export function definition(part: Partial<SyncDefinition> = {}): SyncDefinition {
  return {
    name: 'contacts',
    models: ['Contact'],
    type: 'full',
    frequency: 'every hour',
    autoStart: true,
    trackDeletes: false,
    ...part,
  };
}

export function owner(connectionRowId = 1): SyncOwner {
  return {
    environmentId: ENVIRONMENT,
    integrationId: INTEGRATION.id,
    connectionRowId,
    connectionId: `c-${connectionRowId}`,
  };
}

const toTrigger = ({ models, type, frequency, autoStart, trackDeletes, name }: SyncDefinition): SyncTrigger =>
  ({
    type: 'sync',
    name,
    output: models,
    sync_type: type,
    runs: frequency,
    auto_start: autoStart,
    track_deletes: trackDeletes,
  }) as SyncTrigger;

/** An operation log that records how operations ended. */
export class ListedLog implements OperationLog {
  readonly ended: Array<{ action: string; state: string; message: string | undefined }> = [];
  readonly messages: string[] = [];
  #count = 0;

  start(start: Parameters<OperationLog['start']>[0]): Operation {
    return {
      id: `op-${++this.#count}`,
      log: ({ message }) => void this.messages.push(message),
      begin: () => {},
      redactSecrets: () => {},
      redact: (text) => text,
      record: () => undefined,
      measure: () => {},
      noteStack: () => {},
      finish: (state, end) => void this.ended.push({ action: start.action, state, message: end?.error?.message }),
    };
  }

  attach(): Operation {
    return this.start({ environmentId: ENVIRONMENT, type: 'sync', action: 'run' });
  }
}

/** One run of a function. */
export interface SyncExecution extends Pick<SyncRunParts, 'records' | 'emptyCache'> {
  sync: { id: string; name: string; variant: string; connectionId: string };
  lastSyncDate: number | undefined;
  checkpoint: CheckpointSession;
  input: string | undefined;
  signal: AbortSignal;
}

type Run = (
  execution: SyncExecution,
) => Promise<{ ok: true } | { ok: false; error: { message: string }; isLost?: boolean }>;

/** The sync engine over a real database file; only the functions are simulated. */
export class SyncFixture {
  readonly clock = new FakeClock();
  readonly log = new ListedLog();
  readonly events: SyncEvent[] = [];
  readonly errors = new Set<string>();
  /** Makes storing a failure or a success of the connection fail. */
  isMarkRefused = false;
  definitions: SyncDefinition[] = [definition()];
  /** The function's `exec`. */
  exec: Run = async () => ({ ok: true });
  readonly executions: SyncExecution[] = [];
  database!: Database;
  scheduler!: Scheduler;
  records!: RecordsService;
  schedules!: SyncSchedulesService;
  syncs!: SyncsService;
  /** The key of the vault. */
  assertUnlocked: () => void = () => {};
  readonly #key = randomBytes(32);
  readonly #sealingKey = createSecretKey(this.#key);
  #turns!: DatabaseTurns;
  #home: Awaited<ReturnType<typeof createTempHome>> | undefined;

  static async open(): Promise<SyncFixture> {
    const fixture = new SyncFixture();
    fixture.#home = await createTempHome();
    await fixture.#build(true);
    return fixture;
  }

  async #build(isNew: boolean): Promise<void> {
    const { clock, log } = this;
    const database = await Database.open({ file: join(this.#home?.path ?? '', 'homeport.db') });
    if (isNew) for (const sql of MIGRATIONS.flatMap(({ statements }) => statements)) await database.maintenance(sql);
    const scheduler = new Scheduler({ database, clock, logger: silentLogger });
    const sealer = createRecordSealer({ key: () => this.#sealingKey, random: randomBytes });
    const records = createRecordsService({
      seenTime: trueTime,
      environments: { recordRetention: () => ({ pruneAfterDays: null, deleteAfterDays: null }) },
      database,
      clock,
      logger: silentLogger,
      sealer,
      hashOf: createRecordHasher(this.#key),
    });
    Object.assign(this, { database, scheduler, records });
    this.#turns = new DatabaseTurns(database);
    this.schedules = createSyncSchedulesService({
      database,
      clock,
      log,
      scheduler,
      records,
      ids: randomIds,
      integrations: {
        find: async (_environmentId, key) => (key === INTEGRATION.key ? { id: INTEGRATION.id } : undefined),
      },
      connections: {
        find: async (_integration, id) => (id.startsWith('c-') ? { id: Number(id.slice(2)) } : undefined),
        removeSyncErrors: async (_tx, gone) => gone.forEach(({ syncId }) => void this.errors.delete(syncId)),
      },
      triggers: { listSyncs: async () => this.definitions.map(toTrigger) },
      onPauseChanged: () => {},
    });
    this.syncs = createSyncsService({
      seenTime: trueTime,
      database,
      clock,
      log,
      records,
      scheduler,
      logger: silentLogger,
      environments: { find: () => ({}) as Environment },
      integrations: { find: async () => ({}) as Integration },
      deployments: {
        findActive: async (_environmentId, _key, _type, name) => ({ name }) as RunnableFunction,
        triggers: {
          findSync: async (_environmentId, _key, name) =>
            this.definitions.filter((candidate) => candidate.name === name).map(toTrigger)[0],
        },
      },
      runs: { execute: (request) => this.#execute(request) },
      vault: { assertUnlocked: () => this.assertUnlocked() },
      notifications: { notifySync: async (event) => void this.events.push(event) },
      connections: {
        findByRowId: async (id) =>
          ({ id, connectionId: `c-${id}`, integrationKey: INTEGRATION.key, provider: 'crm' }) as StoredConnection,
        peekByRowId: () => undefined,
        setError: (tx, _row, { source }) => this.#mark(tx, () => this.errors.add(source)),
        removeSyncErrors: (tx, gone) =>
          this.#mark(tx, () => {
            for (const { syncId } of gone) this.errors.delete(syncId);
          }),
      },
      events: { emit: () => {} },
    });
    scheduler.register(
      SYNC_RUN,
      runSync({
        syncs: this.syncs,
        concurrency: 4,
        concurrencyPerConnection: 2,
        slotsForIdleIntegrations: 0,
        timeoutMs: RUN_TIMEOUT_MS.sync,
      }),
    );
  }

  async #execute({ checkpoint, connection, deployed, input, signal, sync }: RunRequest): Promise<RunOutcome> {
    if (!checkpoint || !signal || !sync) throw new Error('This is no run of a sync.');
    const { emptyCache, lastSyncDate, records, syncId, variant } = sync;
    const execution = {
      sync: { id: syncId, name: deployed.name, variant, connectionId: connection.connectionId },
      lastSyncDate: lastSyncDate === undefined ? undefined : Date.parse(lastSyncDate),
      checkpoint,
      emptyCache,
      input,
      records,
      signal,
    };
    this.executions.push(execution);
    const outcome = await this.exec(execution);
    const used = { cpuMs: 0, memoryBytes: 0 };
    if (outcome.ok) return { ok: true, output: '', ...used };
    const { error, isLost = false } = outcome;
    const thrown = { kind: 'thrown' as const, error: { name: 'Error', ...error } };
    return { ok: false, failure: isLost ? { kind: 'worker_lost', detail: '' } : thrown, ...used };
  }

  async #mark(tx: Transaction, change: () => void): Promise<void> {
    if (this.isMarkRefused) throw new Error('the disk is full');
    tx.afterCommit(change);
  }

  async start(): Promise<void> {
    await this.records.start();
    await this.syncs.start();
    await this.scheduler.start();
    await this.idle();
  }

  async connect(connectionRowId = 1): Promise<void> {
    await this.database.transaction((tx) =>
      this.schedules.creation.createForConnection(tx, owner(connectionRowId), this.definitions),
    );
    await this.idle();
  }

  /** Waits until everything that was ready to happen has happened. */
  async idle(): Promise<void> {
    await this.#turns.pass(40);
  }

  /**
   * Moves the clock after the scheduler has read what the test did before. What is due at the end is found by a look
   * that begins then, not by one that began before and looks again a moment later.
   */
  async advance(ms: number): Promise<void> {
    for (const part of [ms - 1, 1]) {
      await this.idle();
      await this.clock.advance(part);
    }
    await this.idle();
  }

  select(part: { syncs?: Array<{ name: string; variant: string }>; connectionId?: string } = {}) {
    const { connectionId = 'c-1', syncs = [] } = part;
    return { environmentId: ENVIRONMENT, providerConfigKey: INTEGRATION.key, connectionId, syncs, trigger: 'api' };
  }

  address(variant = 'base', name = 'contacts') {
    return { environmentId: ENVIRONMENT, providerConfigKey: INTEGRATION.key, connectionId: 'c-1', name, variant };
  }

  async status(variant = 'base'): Promise<SyncStatus> {
    const [status] = await this.schedules.statuses.list(this.select({ syncs: [{ name: 'contacts', variant }] }));
    if (!status) throw new Error('The sync has no status.');
    return status;
  }

  async readAll(connectionRowId = 1): Promise<Array<Record<string, unknown>>> {
    const page = await this.records.list({ connectionRowId, model: 'Contact', limit: 1000 });
    return page.records.map((record) => JSON.parse(record.json) as Record<string, unknown>);
  }

  /** Simulates the death of the process: nothing is stopped, and none of its writes reach the file any more. A new one opens it. */
  async crashAndReopen(): Promise<void> {
    await this.database.close();
    await this.#build(false);
  }

  /** Moves the clock until the time limits of the stop have passed. */
  async stopScheduler(): Promise<void> {
    let isStopped = false;
    const stopping = this.scheduler.stop(50).then(() => {
      isStopped = true;
    });
    while (!isStopped) await this.clock.advance(50);
    await stopping;
    // The limits follow the test's clock; the work itself takes real time.
    await this.idle();
  }

  async close(): Promise<void> {
    await this.stopScheduler();
    await this.syncs.stop();
    await this.records.stop();
    await this.database.close();
    await this.#home?.remove();
  }
}

/** A promise that the test settles. */
export function gate<T = void>(): { promise: Promise<T>; open: (value: T) => void } {
  let open: (value: T) => void = () => {};
  const promise = new Promise<T>((resolve) => {
    open = resolve;
  });
  return { promise, open };
}
