import type { EnvironmentService } from '../environments/environment.service.ts';
import type { RowCount } from '../platform/database/count-rows.ts';
import type { Database, Transaction } from '../platform/database/database.ts';
import { removeInSlices } from '../platform/database/remove-in-slices.ts';
import type { Clock, Timer } from '../platform/lib/clock.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { Ids } from '../platform/lib/ids.ts';
import type { Logger } from '../platform/lib/logger.ts';
import type { SeenTime } from '../platform/scheduler/seen-time.ts';
import type { Vault } from '../platform/vault/vault.ts';
import { type DeliveryState, WebhookDeliveriesStore } from '../webhooks-out/webhook-deliveries.store.ts';
import type { IncomingRequest } from './incoming-request.ts';
import {
  type IncomingWebhookFilter,
  type IncomingWebhookOrder,
  type IncomingWebhookRow,
  IncomingWebhooksStore,
  type NewIncomingWebhook,
  type WebhookRunRow,
  WebhookRunsStore,
} from './incoming-webhooks.store.ts';

type WebhookRun = Omit<WebhookRunRow, 'content'>;

/** A webhook for lists. */
export interface ArchivedWebhook extends Omit<IncomingWebhookRow, 'request'> {
  runs: WebhookRun[];
  /**
   * The worst state of the deliveries that forward the webhook; null when there are none.
   */
  forwardState: DeliveryState | null;
}

/** A webhook with the provider's request. */
export interface ArchivedWebhookDetail extends ArchivedWebhook {
  query: string;
  headers: Record<string, string>;
  /** Undefined when it was removed to make space for newer ones. */
  body: Buffer | undefined;
}

export interface ArchivedWebhookPage extends RowCount {
  webhooks: ArchivedWebhook[];
  snapshot: number;
}

type WebhookFacts = Omit<NewIncomingWebhook, 'id' | 'request' | 'method' | 'path' | 'sizeBytes'>;

/** A webhook to store; it is sealed before the transaction begins. */
export interface PreparedWebhook {
  id: string;
  insert(tx: Transaction, facts: WebhookFacts): Promise<void>;
}

/** Stores the raw requests of providers, sealed, for the inspector. */
export function createWebhookArchive({ database, vault, ids }: { database: Database; vault: Vault; ids: Ids }) {
  const webhooks = new IncomingWebhooksStore();
  const runs = new WebhookRunsStore();
  const deliveries = new WebhookDeliveriesStore();

  async function withRuns(rows: IncomingWebhookRow[]): Promise<ArchivedWebhook[]> {
    const { reader } = database;
    const ids = rows.map(({ id }) => id);
    const [all, states] = await Promise.all([runs.listOf(reader, ids), deliveries.listForwardStates(reader, ids)]);
    const byWebhook = Map.groupBy(all, ({ webhookId }) => webhookId);
    const forwardState = (id: string): DeliveryState | null =>
      WORST_FIRST.find((state) => states.some((one) => one.incomingId === id && one.state === state)) ?? null;
    return rows.map(({ request: _request, ...row }) => ({
      ...row,
      runs: (byWebhook.get(row.id) ?? []).map(({ content: _content, ...run }) => run),
      forwardState: forwardState(row.id),
    }));
  }

  return {
    prepare({ method, path, query, headers, rawBody }: IncomingRequest): PreparedWebhook {
      const id = ids.uuid();
      const request = vault.sealJson({ query, headers }, webhookContext(id, 'request'));
      const body = vault.seal(rawBody, webhookContext(id, 'body'));
      const fixed = { id, method, path, request, body, sizeBytes: rawBody.length };
      return { id, insert: (tx, facts) => webhooks.insert(tx, { ...fixed, ...facts }) };
    },
    async list(filter: IncomingWebhookFilter, order: IncomingWebhookOrder): Promise<ArchivedWebhookPage> {
      const { reader } = database;
      const snapshot = filter.snapshot ?? (await webhooks.getSnapshot(reader));
      const bounded = { ...filter, snapshot };
      const [rows, count] = await Promise.all([
        webhooks.list(reader, bounded, order),
        webhooks.count(reader, bounded, order.isExactCount),
      ]);
      return { webhooks: await withRuns(rows), ...count, snapshot };
    },
    countByIntegration(environmentId: number): Promise<Array<{ key: string; count: number }>> {
      return webhooks.countByIntegration(database.reader, environmentId);
    },
    countByConnection(
      environmentId: number,
      which: { search: string; integration?: string | undefined },
    ): Promise<Array<{ key: string; count: number }>> {
      return webhooks.countByConnection(database.reader, environmentId, which);
    },
    async find(environmentId: number, id: string): Promise<ArchivedWebhook | undefined> {
      const row = await webhooks.find(database.reader, environmentId, id);
      const [found] = row ? await withRuns([row]) : [];
      return found;
    },
    /** Throws `not_found`, and `vault_locked` while the vault is locked. */
    async get(environmentId: number, id: string): Promise<ArchivedWebhookDetail> {
      const row = await webhooks.find(database.reader, environmentId, id);
      const [found] = row ? await withRuns([row]) : [];
      if (!row || !found) {
        throw new HomeportError(
          'not_found',
          'There is no such webhook. Old ones are removed after the retention time.',
        );
      }
      const { query, headers } = vault.openJson<Pick<ArchivedWebhookDetail, 'query' | 'headers'>>(
        row.request,
        webhookContext(id, 'request'),
      );
      const body = row.hasBody ? await webhooks.findBody(database.reader, id) : undefined;
      return {
        ...found,
        query,
        headers,
        body: body === undefined ? undefined : vault.openBytes(body, webhookContext(id, 'body')),
      };
    },
  };
}

const WORST_FIRST: readonly DeliveryState[] = ['failed', 'waiting', 'delivered'];

export function webhookContext(id: string, part: 'request' | 'body'): string {
  return `incoming-webhook:${id}:${part}`;
}

export interface WebhookLimits {
  /** Limit for all bodies together; the oldest are removed first. */
  bodiesBytes: number;
  /** Number of webhooks kept, whatever their age. */
  count: number;
}

const LIMITS: WebhookLimits = { bodiesBytes: 256 * 1_048_576, count: 50_000 };
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** Webhooks removed per transaction. */
const SLICE = 500;
/** Between two hourly sweeps, this share of each limit may be exceeded. */
const EXCESS_SHARE = 1 / 8;

export type WebhookRetention = ReturnType<typeof createWebhookRetention>;

/**
 * Keeps the stored webhooks within their limits of days, number and bytes, because everyone who knows the address can
 * send.
 */
export function createWebhookRetention({
  database,
  environments,
  clock,
  logger,
  seenTime,
  limits,
}: {
  database: Pick<Database, 'transaction'>;
  environments: Pick<EnvironmentService, 'list'>;
  clock: Clock;
  logger: Logger;
  seenTime: Pick<SeenTime, 'isDoubtful'>;
  limits?: Partial<WebhookLimits>;
}) {
  const webhooks = new IncomingWebhooksStore();
  /** Bytes of bodies, as known since the last sweep. */
  let bodiesBytes = 0;
  let countSince = 0;
  let timer: Timer | undefined;
  let sweeping: Promise<void> | undefined;
  let isStopped = false;
  const keptLimits = { ...LIMITS, ...limits };

  function start(): void {
    begin();
    timer = clock.after(HOUR_MS, start);
  }

  function begin(): void {
    if (isStopped || sweeping) return;
    sweeping = sweep()
      .catch((error: unknown) =>
        logger.error({ err: error }, 'Old webhooks could not be removed; trying again in an hour.'),
      )
      .finally(() => {
        sweeping = undefined;
      });
  }

  async function sweep(): Promise<void> {
    countSince = 0;
    for (const { id: environmentId, settings } of environments.list()) {
      if (settings.webhookRetentionDays === null || seenTime.isDoubtful()) continue;
      const before = clock.now() - settings.webhookRetentionDays * DAY_MS;
      await inSlices((tx) => webhooks.removeOlderThan(tx, { environmentId, before, limit: SLICE }));
    }
    await inSlices((tx) => webhooks.removeBeyond(tx, { keep: keptLimits.count, limit: SLICE }));
    bodiesBytes = await database.transaction((tx) => webhooks.dropBodiesBeyond(tx, keptLimits.bodiesBytes));
  }

  function inSlices(remove: (tx: Transaction) => Promise<number>): Promise<number> {
    return removeInSlices({ database, sliceSize: SLICE, isStopped: () => isStopped }, remove);
  }

  return {
    start,
    /** Waits for the running slice; the next start does the rest. */
    async stop(): Promise<void> {
      isStopped = true;
      timer?.cancel();
      await sweeping;
    },
    /** Counts a stored webhook, so that the bytes are limited between two sweeps as well. */
    note(sizeBytes: number): void {
      bodiesBytes += sizeBytes;
      countSince += 1;
      const isFull = bodiesBytes > keptLimits.bodiesBytes * (1 + EXCESS_SHARE);
      if (isFull || countSince > keptLimits.count * EXCESS_SHARE) begin();
    },
  };
}
