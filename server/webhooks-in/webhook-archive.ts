import type { EnvironmentService } from '../environments/environment.service.ts';
import type { RowCount } from '../platform/database/count-rows.ts';
import type { Database, Transaction } from '../platform/database/database.ts';
import { removeInSlices } from '../platform/database/remove-in-slices.ts';
import type { Clock, Timer } from '../platform/lib/clock.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { Ids } from '../platform/lib/ids.ts';
import type { Logger } from '../platform/lib/logger.ts';
import type { Vault } from '../platform/vault/vault.ts';
import { type DeliveryState, WebhookDeliveriesStore } from '../webhooks-out/webhook-deliveries.store.ts';
import type { IncomingRequest } from './incoming-request.ts';
import {
  type IncomingWebhookFilter,
  type IncomingWebhookOrder,
  type IncomingWebhookRow,
  IncomingWebhooksStore,
  type NewIncomingWebhook,
} from './incoming-webhooks.store.ts';
import { type WebhookRunRow, WebhookRunsStore } from './webhook-runs.store.ts';

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

export interface WebhookArchiveOptions {
  database: Database;
  vault: Vault;
  clock: Clock;
  ids: Ids;
}

type WebhookFacts = Omit<NewIncomingWebhook, 'id' | 'request' | 'method' | 'path' | 'sizeBytes'>;

/** A webhook to store; it is sealed before the transaction begins. */
export interface PreparedWebhook {
  id: string;
  insert(tx: Transaction, facts: WebhookFacts): Promise<void>;
}

/** Stores the raw requests of providers, sealed, for the inspector. */
export class WebhookArchive {
  readonly #options: WebhookArchiveOptions;
  readonly #webhooks = new IncomingWebhooksStore();
  readonly #runs = new WebhookRunsStore();
  readonly #deliveries = new WebhookDeliveriesStore();

  constructor(options: WebhookArchiveOptions) {
    this.#options = options;
  }

  prepare({ method, path, query, headers, rawBody }: IncomingRequest): PreparedWebhook {
    const { ids, vault } = this.#options;
    const id = ids.uuid();
    const request = vault.sealJson({ query, headers }, webhookContext(id, 'request'));
    const body = vault.seal(rawBody, webhookContext(id, 'body'));
    const fixed = { id, method, path, request, body, sizeBytes: rawBody.length };
    return { id, insert: (tx, facts) => this.#webhooks.insert(tx, { ...fixed, ...facts }) };
  }

  async list(filter: IncomingWebhookFilter, order: IncomingWebhookOrder): Promise<ArchivedWebhookPage> {
    const { database } = this.#options;
    const { reader } = database;
    const snapshot = filter.snapshot ?? (await this.#webhooks.getSnapshot(reader));
    const bounded = { ...filter, snapshot };
    const [rows, count] = await Promise.all([
      this.#webhooks.list(reader, bounded, order),
      this.#webhooks.count(reader, bounded, order.isExactCount),
    ]);
    return { webhooks: await this.#withRuns(rows), ...count, snapshot };
  }

  countByIntegration(environmentId: number): Promise<Array<{ key: string; count: number }>> {
    return this.#webhooks.countByIntegration(this.#options.database.reader, environmentId);
  }

  countByConnection(
    environmentId: number,
    which: { search: string; integration?: string | undefined },
  ): Promise<Array<{ key: string; count: number }>> {
    return this.#webhooks.countByConnection(this.#options.database.reader, environmentId, which);
  }

  async find(environmentId: number, id: string): Promise<ArchivedWebhook | undefined> {
    const { database } = this.#options;
    const row = await this.#webhooks.find(database.reader, environmentId, id);
    const [found] = row ? await this.#withRuns([row]) : [];
    return found;
  }

  /** Throws `not_found`, and `vault_locked` while the vault is locked. */
  async get(environmentId: number, id: string): Promise<ArchivedWebhookDetail> {
    const { database, vault } = this.#options;
    const row = await this.#webhooks.find(database.reader, environmentId, id);
    const [found] = row ? await this.#withRuns([row]) : [];
    if (!row || !found) {
      throw new HomeportError('not_found', 'There is no such webhook. Old ones are removed after the retention time.');
    }
    const { query, headers } = vault.openJson<Pick<ArchivedWebhookDetail, 'query' | 'headers'>>(
      row.request,
      webhookContext(id, 'request'),
    );
    const body = row.hasBody ? await this.#webhooks.findBody(database.reader, id) : undefined;
    return {
      ...found,
      query,
      headers,
      body: body === undefined ? undefined : vault.openBytes(body, webhookContext(id, 'body')),
    };
  }

  async #withRuns(rows: IncomingWebhookRow[]): Promise<ArchivedWebhook[]> {
    const { reader } = this.#options.database;
    const ids = rows.map(({ id }) => id);
    const [all, states] = await Promise.all([
      this.#runs.listOf(reader, ids),
      this.#deliveries.listForwardStates(reader, ids),
    ]);
    const byWebhook = Map.groupBy(all, ({ webhookId }) => webhookId);
    const forwardState = (id: string): DeliveryState | null =>
      WORST_FIRST.find((state) => states.some((one) => one.incomingId === id && one.state === state)) ?? null;
    return rows.map(({ request: _request, ...row }) => ({
      ...row,
      runs: (byWebhook.get(row.id) ?? []).map(({ content: _content, ...run }) => run),
      forwardState: forwardState(row.id),
    }));
  }
}

const WORST_FIRST: readonly DeliveryState[] = ['failed', 'waiting', 'delivered'];

export function webhookContext(id: string, part: 'request' | 'body'): string {
  return `incoming-webhook:${id}:${part}`;
}

export interface WebhookRetentionOptions {
  database: Pick<Database, 'transaction'>;
  environments: Pick<EnvironmentService, 'list'>;
  clock: Clock;
  logger: Logger;
  limits?: Partial<WebhookLimits>;
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

/**
 * Keeps the stored webhooks within their limits of days, number and bytes, because everyone who knows the address can
 * send.
 */
export class WebhookRetention {
  readonly #options: WebhookRetentionOptions;
  readonly #webhooks = new IncomingWebhooksStore();
  readonly #limits: WebhookLimits;
  /** Bytes of bodies, as known since the last sweep. */
  #bodiesBytes = 0;
  #countSince = 0;
  #timer: Timer | undefined;
  #sweeping: Promise<void> | undefined;
  #isStopped = false;

  constructor(options: WebhookRetentionOptions) {
    this.#options = options;
    this.#limits = { ...LIMITS, ...options.limits };
  }

  start(): void {
    this.#begin();
    this.#arm();
  }

  /** Waits for the running slice; the next start does the rest. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.cancel();
    await this.#sweeping;
  }

  /** Counts a stored webhook, so that the bytes are limited between two sweeps as well. */
  note(sizeBytes: number): void {
    this.#bodiesBytes += sizeBytes;
    this.#countSince += 1;
    const { bodiesBytes, count } = this.#limits;
    if (this.#bodiesBytes > bodiesBytes * (1 + EXCESS_SHARE) || this.#countSince > count * EXCESS_SHARE) this.#begin();
  }

  #arm(): void {
    this.#timer = this.#options.clock.after(HOUR_MS, () => this.start());
  }

  #begin(): void {
    if (this.#isStopped || this.#sweeping) return;
    this.#sweeping = this.#sweep()
      .catch((error: unknown) =>
        this.#options.logger.error({ err: error }, 'Old webhooks could not be removed; trying again in an hour.'),
      )
      .finally(() => {
        this.#sweeping = undefined;
      });
  }

  async #sweep(): Promise<void> {
    const { clock, environments } = this.#options;
    this.#countSince = 0;
    for (const { id: environmentId, settings } of environments.list()) {
      if (settings.webhookRetentionDays === null) continue;
      const before = clock.now() - settings.webhookRetentionDays * DAY_MS;
      await this.#inSlices((tx) => this.#webhooks.removeOlderThan(tx, { environmentId, before, limit: SLICE }));
    }
    await this.#inSlices((tx) => this.#webhooks.removeBeyond(tx, { keep: this.#limits.count, limit: SLICE }));
    this.#bodiesBytes = await this.#options.database.transaction((tx) =>
      this.#webhooks.dropBodiesBeyond(tx, this.#limits.bodiesBytes),
    );
  }

  #inSlices(remove: (tx: Transaction) => Promise<number>): Promise<number> {
    const { database } = this.#options;
    return removeInSlices({ database, sliceSize: SLICE, isStopped: () => this.#isStopped }, remove);
  }
}
