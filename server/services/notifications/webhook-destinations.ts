import { MOST_DESTINATIONS } from '../../contract/api/destination-fields.ts';
import type { Database, ReadHandle, Transaction } from '../../database/database.ts';
import type { Clock } from '../../lib/clock.ts';
import type { EventSink } from '../../lib/event-hub.ts';
import { HomeportError } from '../../lib/homeport-error.ts';
import type { Ids } from '../../lib/ids.ts';
import type { WebhookDeliveriesStore } from '../../stores/webhook-deliveries-store.ts';
import type { WebhookDestinationRow, WebhookDestinationsStore } from '../../stores/webhook-destinations-store.ts';
import type { Vault } from '../../vault/vault.ts';
import type { DeliveryLog, WebhookType } from './delivery.ts';
import type { DeliveryEvents } from './delivery-runner.ts';

/** An address of an environment beside the primary and the secondary one, with its filters (webhooks.md 1.7). */
export interface WebhookDestination {
  id: string;
  /** What a person calls it; null: its address is all there is. */
  name: string | null;
  url: string;
  isEnabled: boolean;
  /** Types of webhooks that it gets; empty: all. */
  types: WebhookType[];
  /** Keys of integrations whose webhooks it gets; empty: all. */
  integrations: string[];
}

export type NewDestination = Omit<WebhookDestination, 'id'>;

/** What a filter decides by. */
export interface FilteredEvent {
  type: WebhookType;
  integrationKey: string;
}

/** Code of a delivery that ended because its destination was deleted. */
export const DESTINATION_DELETED = 'DESTINATION_DELETED';

export interface WebhookDestinationsOptions {
  database: Database;
  webhookDestinationsStore: WebhookDestinationsStore;
  webhookDeliveriesStore: WebhookDeliveriesStore;
  vault: Vault;
  clock: Clock;
  ids: Ids;
  log: DeliveryLog;
  events: EventSink<DeliveryEvents>;
}

/** Any number of further destinations of outgoing webhooks, up to `MOST_DESTINATIONS` of an environment. */
export class WebhookDestinations {
  readonly #options: WebhookDestinationsOptions;
  /** Environments without any: most, and every event asks. */
  readonly #without = new Set<number>();
  /** Grows with every new destination: what was read before does not count. */
  #version = 0;

  constructor(options: WebhookDestinationsOptions) {
    this.#options = options;
  }

  /** In the order in which they were made. */
  async list(environmentId: number, db: ReadHandle = this.#options.database.reader): Promise<WebhookDestination[]> {
    const rows = await this.#options.webhookDestinationsStore.list(db, environmentId);
    return rows.map((row) => this.#open(row));
  }

  /** Names by id; known while the vault is locked, too. */
  async listNames(environmentId: number): Promise<ReadonlyMap<string, string | null>> {
    const rows = await this.#options.webhookDestinationsStore.list(this.#options.database.reader, environmentId);
    return new Map(rows.map(({ id, name }) => [id, name]));
  }

  /** Those that are on and want the event. Pass `tx` when already inside a transaction. */
  async listFor(environmentId: number, event: FilteredEvent, tx?: Transaction): Promise<WebhookDestination[]> {
    const { database, webhookDestinationsStore: store } = this.#options;
    if (this.#without.has(environmentId)) return [];
    const version = this.#version;
    const rows = await store.list(tx ?? database.reader, environmentId);
    if (rows.length === 0 && version === this.#version) this.#without.add(environmentId);
    return rows.filter((row) => wants(row, event)).map((row) => this.#open(row));
  }

  /** Throws `not_found`. */
  async get(environmentId: number, id: string): Promise<WebhookDestination> {
    return this.#open(await this.#find(this.#options.database.reader, environmentId, id));
  }

  /** Throws `invalid_body` when there are `MOST_DESTINATIONS` already. */
  async create(environmentId: number, destination: NewDestination): Promise<WebhookDestination> {
    return this.#write(async (tx) => {
      if ((await this.#options.webhookDestinationsStore.list(tx, environmentId)).length >= MOST_DESTINATIONS)
        throw new HomeportError(
          'invalid_body',
          `An environment has at most ${MOST_DESTINATIONS} further destinations. Delete one first.`,
        );
      return this.#insert(tx, environmentId, destination);
    });
  }

  /** Changes what is given; throws `not_found`. */
  async change(environmentId: number, id: string, changes: Partial<NewDestination>): Promise<WebhookDestination> {
    return this.#write(async (tx) => {
      const before = this.#open(await this.#find(tx, environmentId, id));
      return this.#update(tx, environmentId, { ...before, ...changes });
    });
  }

  /** What waits for it ends as failed and says why; throws `not_found`. */
  async remove(environmentId: number, id: string): Promise<void> {
    await this.#write(async (tx) => {
      await this.#find(tx, environmentId, id);
      await this.#remove(tx, environmentId, id);
    });
  }

  /**
   * Makes these all that there are: one with the id of a present one changes it, one without an id is new, and the
   * others are deleted. Throws `not_found` for an id that the environment does not have.
   */
  async replaceAll(
    environmentId: number,
    wanted: ReadonlyArray<NewDestination & { id?: string | undefined }>,
  ): Promise<WebhookDestination[]> {
    return this.#write(async (tx) => {
      for (const { id } of await this.#options.webhookDestinationsStore.list(tx, environmentId))
        if (!wanted.some((one) => one.id === id)) await this.#remove(tx, environmentId, id);
      for (const { id, ...destination } of wanted) {
        if (id === undefined) await this.#insert(tx, environmentId, destination);
        else {
          await this.#find(tx, environmentId, id);
          await this.#update(tx, environmentId, { id, ...destination });
        }
      }
      return this.list(environmentId, tx);
    });
  }

  /** Each with its filters and its switch, into an environment that has none. */
  async copyAll(fromEnvironmentId: number, toEnvironmentId: number): Promise<void> {
    await this.#write(async (tx) => {
      for (const { id: _id, ...destination } of await this.list(fromEnvironmentId, tx))
        await this.#insert(tx, toEnvironmentId, destination);
    });
  }

  #write<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.#options.database.transaction(work, { durable: true });
  }

  async #insert(tx: Transaction, environmentId: number, destination: NewDestination): Promise<WebhookDestination> {
    const { clock, ids, webhookDestinationsStore: store } = this.#options;
    const made = { id: ids.uuid(), ...destination };
    await store.insert(tx, this.#seal(environmentId, made), clock.now());
    const hasOne = (): void => {
      this.#version += 1;
      this.#without.delete(environmentId);
    };
    hasOne();
    // Once more: until the commit other readers found none.
    tx.afterCommit(hasOne);
    return made;
  }

  async #update(tx: Transaction, environmentId: number, changed: WebhookDestination): Promise<WebhookDestination> {
    const { clock, webhookDestinationsStore: store } = this.#options;
    await store.update(tx, this.#seal(environmentId, changed), clock.now());
    return changed;
  }

  async #remove(tx: Transaction, environmentId: number, id: string): Promise<void> {
    const { clock, events, log, webhookDeliveriesStore, webhookDestinationsStore } = this.#options;
    await webhookDestinationsStore.remove(tx, id);
    const ended = await webhookDeliveriesStore.failWaiting(tx, {
      webhookDestinationId: id,
      error: DESTINATION_DELETED,
      now: clock.now(),
    });
    tx.afterCommit(() => {
      for (const deliveryId of ended) {
        log.giveUp(deliveryId, 'The destination was deleted before it took the webhook.');
        events.emit('webhook', { environmentId, direction: 'outgoing', id: deliveryId });
      }
    });
  }

  async #find(db: ReadHandle, environmentId: number, id: string): Promise<WebhookDestinationRow> {
    const row = await this.#options.webhookDestinationsStore.find(db, id);
    if (row?.environmentId === environmentId) return row;
    throw new HomeportError('not_found', `There is no webhook destination "${id}".`);
  }

  #open({ environmentId: _environmentId, ...row }: WebhookDestinationRow): WebhookDestination {
    const url = this.#options.vault.open(row.url, associatedData(row.id));
    // Every row was made by `#seal`, so its types are types of webhooks.
    return { ...row, url, types: row.types as WebhookType[] };
  }

  #seal(environmentId: number, destination: WebhookDestination): WebhookDestinationRow {
    const url = this.#options.vault.seal(destination.url, associatedData(destination.id));
    return { ...destination, environmentId, url };
  }
}

function wants(
  { isEnabled, types, integrations }: WebhookDestinationRow,
  { type, integrationKey }: FilteredEvent,
): boolean {
  const isTypeWanted = types.length === 0 || types.includes(type);
  const isIntegrationWanted = integrations.length === 0 || integrations.includes(integrationKey);
  return isEnabled && isTypeWanted && isIntegrationWanted;
}

function associatedData(id: string): string {
  return `webhook-destination:${id}:url`;
}
