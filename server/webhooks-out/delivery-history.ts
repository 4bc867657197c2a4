import type { EnvironmentService } from '../environments/environment.service.ts';
import type { RowCount } from '../platform/database/count-rows.ts';
import type { Database, Transaction } from '../platform/database/database.ts';
import { removeInSlices } from '../platform/database/remove-in-slices.ts';
import type { Clock } from '../platform/lib/clock.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { Logger } from '../platform/lib/logger.ts';
import { PeriodicSweep } from '../platform/lib/periodic-sweep.ts';
import type { SeenTime } from '../platform/scheduler/seen-time.ts';
import type { Vault } from '../platform/vault/vault.ts';
import type { Delivery, DeliveryCause, WebhookType } from './delivery.ts';
import { type DeliveryRunner, MAX_ATTEMPTS, openContent, openDestinations, openResponse } from './delivery-runner.ts';
import { BULK_PER_SECOND } from './destination-fields.contract.ts';
import type { WebhookAttemptsStore } from './webhook-attempts.store.ts';
import type {
  DeliveryFilter,
  DeliveryState,
  DeliveryValuesQuery,
  StoredDelivery,
  WebhookDeliveriesStore,
  WebhookDeliveryRow,
} from './webhook-deliveries.store.ts';
import type { WebhookDestinations } from './webhook-destinations.ts';
import { hiddenHeaders, hiddenPassword, requestHeaders } from './webhook-sender.ts';

/** Repetitions in bulk start one after the other at this interval. */
const BULK_INTERVAL_MS = 1000 / BULK_PER_SECOND;
/** Repetitions per transaction, so that other writers wait for one slice only. */
const SLICE = 20;

/** A delivery for lists. Times are in milliseconds since the epoch. */
export interface DeliverySummary {
  id: string;
  type: WebhookType;
  cause: DeliveryCause;
  originId: string | null;
  state: DeliveryState;
  integrationKey: string | null;
  connectionId: string | null;
  message: string;
  operationId: string | null;
  /** Address of its next attempt, or of its last one when it has ended. */
  url: string;
  /** Name of its further destination. Null when that has no name or was deleted, and for other deliveries. */
  destinationName: string | null;
  /** Counted from 1. */
  destination: number;
  destinationCount: number;
  attempt: number;
  mostAttempts: number;
  code: number | null;
  error: string | null;
  durationMs: number | null;
  createdAt: number;
  nextAttemptAt: number | null;
  finishedAt: number | null;
}

interface ShownAttempt {
  url: string;
  destination: number;
  attempt: number;
  startedAt: number;
  durationMs: number;
  /** Null without a response; then `error` and `problem` say why. */
  code: number | null;
  error: string | null;
  problem: string | null;
  headers: Record<string, string> | null;
  body: string | null;
  isBodyCut: boolean;
}

export interface DeliveryDetail extends DeliverySummary {
  destinations: string[];
  /** The headers of an attempt made now, with secret values left out. */
  headers: Record<string, string>;
  body: string;
  attempts: ShownAttempt[];
}

export interface DeliveryPage {
  offset: number;
  limit: number;
  isAscending?: boolean;
  isExactCount?: boolean;
}

/** Webhooks that were or are being sent: lists them and repeats them. */
export function createDeliveryHistory({
  database,
  webhookDeliveriesStore,
  webhookAttemptsStore,
  vault,
  environments,
  runner,
  furtherDestinations,
  userAgent,
}: {
  database: Database;
  webhookDeliveriesStore: WebhookDeliveriesStore;
  webhookAttemptsStore: WebhookAttemptsStore;
  vault: Vault;
  environments: Pick<EnvironmentService, 'signingKeys'>;
  runner: DeliveryRunner;
  furtherDestinations: Pick<WebhookDestinations, 'list' | 'listNames'>;
  userAgent: string;
}) {
  async function repeatFailed(tx: Transaction, id: string, position: number): Promise<void> {
    const row = await webhookDeliveriesStore.find(tx, id);
    if (!row) return;
    const served = await webhookAttemptsStore.listServed(tx, row.seq);
    const left = openDestinations(vault, row).filter((_, index) => !served.includes(index));
    await runner.enqueue(tx, { ...(await repetitionOf(tx, row)), destinations: left }, position * BULK_INTERVAL_MS);
  }

  /** Sends to the original addresses, even when the destination was deleted or has another address now. */
  async function repetitionOf(tx: Transaction, row: StoredDelivery): Promise<Delivery> {
    const content = openContent(vault, row);
    const { start } = content.log;
    const further = await furtherDestinations.list(row.environmentId, tx);
    return {
      environmentId: row.environmentId,
      type: row.type as WebhookType,
      cause: 'replay',
      originId: row.id,
      ...(row.incomingId === null ? {} : { incomingId: row.incomingId }),
      destinations: openDestinations(vault, row),
      webhookDestinationId: further.find(({ id }) => id === row.webhookDestinationId)?.id,
      content: {
        ...content,
        log: { ...content.log, start: { ...start, meta: { ...start.meta, replayOf: row.id } } },
      },
    };
  }

  async function getRow(environmentId: number, id: string): Promise<StoredDelivery> {
    const row = await webhookDeliveriesStore.find(database.reader, id);
    if (row?.environmentId === environmentId) return row;
    throw new HomeportError(
      'not_found',
      'There is no such webhook. Old ones are removed after the retention time of the settings.',
    );
  }

  /** The address is empty while the vault is locked. */
  function summarize(row: WebhookDeliveryRow, names: ReadonlyMap<string, string | null>): DeliverySummary {
    const destinations = vault.isLocked ? [] : openDestinations(vault, row);
    return {
      id: row.id,
      type: row.type as WebhookType,
      cause: row.cause as DeliveryCause,
      originId: row.originId,
      state: row.state,
      integrationKey: row.integrationKey,
      connectionId: row.connectionId,
      message: row.message,
      operationId: row.operationId,
      url: hiddenPassword(destinations[row.destination] ?? ''),
      destinationName: names.get(row.webhookDestinationId ?? '') ?? null,
      destination: row.destination + 1,
      destinationCount: Math.max(destinations.length, row.destination + 1),
      attempt: row.attempt,
      mostAttempts: MAX_ATTEMPTS,
      code: row.lastCode,
      error: row.lastError,
      durationMs: row.lastDurationMs,
      createdAt: row.createdAt,
      nextAttemptAt: row.nextAttemptAt,
      finishedAt: row.finishedAt,
    };
  }

  return {
    /** `total` counts the filtered deliveries up to the snapshot, so that later deliveries do not shift the pages. */
    async list(
      filter: DeliveryFilter,
      page: DeliveryPage,
    ): Promise<RowCount & { deliveries: DeliverySummary[]; snapshot: number }> {
      const snapshot = filter.snapshot ?? (await webhookDeliveriesStore.getSnapshot(database.reader));
      const within = { ...filter, snapshot };
      const [rows, count] = await Promise.all([
        webhookDeliveriesStore.list(database.reader, within, page),
        webhookDeliveriesStore.count(database.reader, within, page.isExactCount),
      ]);
      const names = await furtherDestinations.listNames(filter.environmentId);
      return { deliveries: rows.map((row) => summarize(row, names)), ...count, snapshot };
    },
    /** The most frequent integrations or connections of deliveries, at most 20. */
    countBy(environmentId: number, which: DeliveryValuesQuery): Promise<Array<{ key: string; count: number }>> {
      return webhookDeliveriesStore.countBy(database.reader, environmentId, which);
    },
    /** Throws `not_found`. */
    async getSummary(environmentId: number, id: string): Promise<DeliverySummary> {
      const row = await getRow(environmentId, id);
      return summarize(row, await furtherDestinations.listNames(environmentId));
    },
    /** Throws `not_found`, and `vault_locked`. */
    async get(environmentId: number, id: string): Promise<DeliveryDetail> {
      const row = await getRow(environmentId, id);
      const { body, headers } = openContent(vault, row);
      const key = await environments.signingKeys.reveal(environmentId);
      const made = await webhookAttemptsStore.list(database.reader, row.seq);
      return {
        ...summarize(row, await furtherDestinations.listNames(environmentId)),
        destinations: openDestinations(vault, row).map(hiddenPassword),
        headers: hiddenHeaders(requestHeaders({ headers, body, key, userAgent })),
        body,
        attempts: made.map(({ response, ...facts }) => {
          const opened = openResponse(vault, id, { ...facts, response });
          return {
            ...facts,
            destination: facts.destination + 1,
            url: hiddenPassword(opened.url),
            problem: opened.problem ?? null,
            headers: opened.headers ? hiddenHeaders(opened.headers) : null,
            body: opened.body ?? null,
            isBodyCut: opened.isBodyCut ?? false,
          };
        }),
      };
    },
    /**
     * Sends the webhook again, to the same addresses or to `url`; resolves to the id of the new delivery. Throws
     * `not_found`.
     */
    async replay(environmentId: number, id: string, url?: string): Promise<string> {
      const row = await getRow(environmentId, id);
      return database.transaction(async (tx) => {
        const repeat = await repetitionOf(tx, row);
        const elsewhere = url === undefined ? {} : { destinations: [url], webhookDestinationId: undefined };
        return runner.enqueue(tx, { ...repeat, ...elsewhere });
      });
    },
    /**
     * Repeats failed deliveries that were not repeated since, to the destinations that failed: at most ten per second,
     * also across a restart. Resolves to their number.
     */
    async replayFailed(filter: Omit<DeliveryFilter, 'states' | 'snapshot'>): Promise<number> {
      // Deliveries that fail while this runs are left out.
      const within = { ...filter, snapshot: await webhookDeliveriesStore.getSnapshot(database.reader) };
      let count = 0;
      for (let after = 0, isDone = false; !isDone; ) {
        await database.transaction(async (tx) => {
          const slice = await webhookDeliveriesStore.listUnrepeated(tx, within, { after, limit: SLICE });
          for (const [index, { id }] of slice.entries()) await repeatFailed(tx, id, count + index);
          count += slice.length;
          after = slice.at(-1)?.seq ?? after;
          isDone = slice.length < SLICE;
        });
      }
      return count;
    },
  };
}

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** Deliveries per transaction, so that other writers wait for one slice only. */
const REMOVED_AT_ONCE = 200;

/** Removes webhooks that ended long ago, with their attempts, once an hour. */
export function createDeliveryRetention({
  database,
  webhookDeliveriesStore,
  environments,
  clock,
  logger,
  seenTime,
}: {
  database: Database;
  webhookDeliveriesStore: WebhookDeliveriesStore;
  environments: Pick<EnvironmentService, 'list'>;
  clock: Clock;
  logger: Logger;
  seenTime: Pick<SeenTime, 'isDoubtful'>;
}) {
  const sweeps = new PeriodicSweep({
    clock,
    logger,
    intervalMs: HOUR_MS,
    seenTime,
    sweep,
    failureMessage: 'Old webhooks could not be removed; trying again in an hour.',
  });

  /** Removes everything beyond the retention; resolves to the number removed. Deliveries in progress are kept. */
  async function sweep(isStopped = (): boolean => false): Promise<number> {
    let removed = 0;
    for (const { id: environmentId, settings } of environments.list()) {
      if (settings.webhookRetentionDays === null) continue;
      const before = clock.now() - settings.webhookRetentionDays * DAY_MS;
      removed += await removeInSlices({ database, sliceSize: REMOVED_AT_ONCE, isStopped }, (tx) =>
        webhookDeliveriesStore.removeFinished(tx, { environmentId, before, limit: REMOVED_AT_ONCE }),
      );
    }
    return removed;
  }

  return {
    sweep,
    start: (): void => sweeps.start(),
    stop: (): Promise<void> => sweeps.stop(),
  };
}
