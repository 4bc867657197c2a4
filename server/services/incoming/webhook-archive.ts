import type { Database, Transaction } from '../../database/database.ts';
import type { Clock } from '../../lib/clock.ts';
import { HomeportError } from '../../lib/homeport-error.ts';
import type { Ids } from '../../lib/ids.ts';
import {
  type IncomingWebhookFilter,
  type IncomingWebhookOrder,
  type IncomingWebhookRow,
  IncomingWebhooksStore,
} from '../../stores/incoming-webhooks-store.ts';
import { type DeliveryState, WebhookDeliveriesStore } from '../../stores/webhook-deliveries-store.ts';
import { type WebhookRunRow, WebhookRunsStore } from '../../stores/webhook-runs-store.ts';
import type { Vault } from '../../vault/vault.ts';
import type { IncomingRequest } from './incoming-request.ts';

type WebhookRun = Omit<WebhookRunRow, 'content'>;

/** A webhook for lists. */
export interface ArchivedWebhook extends Omit<IncomingWebhookRow, 'request'> {
  runs: WebhookRun[];
  /**
   * State of the deliveries that forward it, the most urgent one first; null when there are none, or the webhook was
   * removed.
   */
  forwardState: DeliveryState | null;
}

/** With the provider's request. */
export interface ArchivedWebhookDetail extends ArchivedWebhook {
  query: string;
  headers: Record<string, string>;
  /** Undefined when it was removed to make space for newer ones. */
  body: Buffer | undefined;
}

export interface ArchivedWebhookPage {
  webhooks: ArchivedWebhook[];
  total: number;
  snapshot: number;
}

export interface WebhookArchiveOptions {
  database: Database;
  vault: Vault;
  clock: Clock;
  ids: Ids;
}

type WebhookFacts = Omit<IncomingWebhookRow, 'seq' | 'id' | 'hasBody' | 'request' | 'method' | 'path' | 'sizeBytes'>;

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
    const request = vault.sealJson({ query, headers }, sealContext(id, 'request'));
    const body = vault.seal(rawBody, sealContext(id, 'body'));
    const fixed = { id, method, path, request, body, sizeBytes: rawBody.length };
    return { id, insert: (tx, facts) => this.#webhooks.insert(tx, { ...fixed, ...facts }) };
  }

  async list(filter: IncomingWebhookFilter, order: IncomingWebhookOrder): Promise<ArchivedWebhookPage> {
    const { database } = this.#options;
    const { reader } = database;
    const snapshot = filter.snapshot ?? (await this.#webhooks.getSnapshot(reader));
    const bounded = { ...filter, snapshot };
    const [rows, total] = await Promise.all([
      this.#webhooks.list(reader, bounded, order),
      this.#webhooks.count(reader, bounded),
    ]);
    return { webhooks: await this.#withRuns(rows), total, snapshot };
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

  async get(environmentId: number, id: string): Promise<ArchivedWebhookDetail> {
    const { database, vault } = this.#options;
    const row = await this.#webhooks.find(database.reader, environmentId, id);
    const [found] = row ? await this.#withRuns([row]) : [];
    if (!row || !found) {
      throw new HomeportError('not_found', 'There is no such webhook. Old ones are removed after the retention time.');
    }
    const { query, headers } = vault.openJson<Pick<ArchivedWebhookDetail, 'query' | 'headers'>>(
      row.request,
      sealContext(id, 'request'),
    );
    const body = row.hasBody ? await this.#webhooks.findBody(database.reader, id) : undefined;
    return {
      ...found,
      query,
      headers,
      body: body === undefined ? undefined : vault.openBytes(body, sealContext(id, 'body')),
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

function sealContext(id: string, part: 'request' | 'body'): string {
  return `incoming-webhook:${id}:${part}`;
}
