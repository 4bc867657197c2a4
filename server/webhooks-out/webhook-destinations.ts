import type { Database, ReadHandle, Transaction } from '../platform/database/database.ts';
import type { Clock } from '../platform/lib/clock.ts';
import type { EventSink } from '../platform/lib/event-hub.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { Ids } from '../platform/lib/ids.ts';
import type { Vault } from '../platform/vault/vault.ts';
import type { DeliveryLog, WebhookType } from './delivery.ts';
import type { DeliveryEvents } from './delivery-runner.ts';
import { MAX_DESTINATIONS } from './destination-fields.contract.ts';
import type { WebhookDeliveriesStore } from './webhook-deliveries.store.ts';
import type { WebhookDestinationRow, WebhookDestinationsStore } from './webhook-destinations.store.ts';

/** A destination of an environment besides the primary and the secondary URL, with its filters (webhooks.md 1.7). */
export interface WebhookDestination {
  id: string;
  /** The name that a person gave it; null when it has none. */
  name: string | null;
  url: string;
  isEnabled: boolean;
  /** Types of webhooks that it receives; empty means all. */
  types: WebhookType[];
  /** Keys of the integrations whose webhooks it receives; empty means all. */
  integrations: string[];
}

export type NewDestination = Omit<WebhookDestination, 'id'>;

/** The members of an event that filters compare. */
export interface FilteredEvent {
  type: WebhookType;
  integrationKey: string;
}

/** Error code of a delivery that ended because its destination was deleted. */
export const DESTINATION_DELETED = 'DESTINATION_DELETED';

export type WebhookDestinations = ReturnType<typeof createWebhookDestinations>;

/** Further destinations of outgoing webhooks, up to `MAX_DESTINATIONS` per environment. */
export function createWebhookDestinations({
  database,
  webhookDestinationsStore,
  webhookDeliveriesStore,
  vault,
  clock,
  ids,
  log,
  events,
}: {
  database: Database;
  webhookDestinationsStore: WebhookDestinationsStore;
  webhookDeliveriesStore: WebhookDeliveriesStore;
  vault: Vault;
  clock: Clock;
  ids: Ids;
  log: DeliveryLog;
  events: EventSink<DeliveryEvents>;
}) {
  /** Environments known to have no further destinations. Saves a query per event, because most have none. */
  const without = new Set<number>();
  /** Increases with every new destination; results of earlier reads are then not cached. */
  let version = 0;

  /** Oldest first. */
  async function list(environmentId: number, db: ReadHandle = database.reader): Promise<WebhookDestination[]> {
    const rows = await webhookDestinationsStore.list(db, environmentId);
    return rows.map((row) => open(row));
  }

  function write<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return database.transaction(work, { durable: true });
  }

  async function insert(
    tx: Transaction,
    environmentId: number,
    destination: NewDestination,
  ): Promise<WebhookDestination> {
    const made = { id: ids.uuid(), ...destination };
    await webhookDestinationsStore.insert(tx, seal(environmentId, made), clock.now());
    const invalidate = (): void => {
      version += 1;
      without.delete(environmentId);
    };
    invalidate();
    // Again, because until the commit other readers find no destination and cache that.
    tx.afterCommit(invalidate);
    return made;
  }

  async function update(
    tx: Transaction,
    environmentId: number,
    changed: WebhookDestination,
  ): Promise<WebhookDestination> {
    await webhookDestinationsStore.update(tx, seal(environmentId, changed), clock.now());
    return changed;
  }

  async function removeOne(tx: Transaction, environmentId: number, id: string): Promise<void> {
    await webhookDestinationsStore.remove(tx, id);
    const ended = await webhookDeliveriesStore.failWaiting(tx, {
      webhookDestinationId: id,
      error: DESTINATION_DELETED,
      now: clock.now(),
    });
    tx.afterCommit(() => {
      for (const deliveryId of ended) {
        log.giveUp(deliveryId, 'The destination was deleted before it accepted the webhook.');
        events.emit('webhook', { environmentId, direction: 'outgoing', id: deliveryId });
      }
    });
  }

  async function find(db: ReadHandle, environmentId: number, id: string): Promise<WebhookDestinationRow> {
    const row = await webhookDestinationsStore.find(db, id);
    if (row?.environmentId === environmentId) return row;
    throw new HomeportError('not_found', `There is no webhook destination "${id}".`);
  }

  function open({ environmentId: _environmentId, ...row }: WebhookDestinationRow): WebhookDestination {
    const url = vault.open(row.url, associatedData(row.id));
    // Rows are written only from a `WebhookDestination`, so the types are types of webhooks.
    return { ...row, url, types: row.types as WebhookType[] };
  }

  function seal(environmentId: number, destination: WebhookDestination): WebhookDestinationRow {
    const url = vault.seal(destination.url, associatedData(destination.id));
    return { ...destination, environmentId, url };
  }

  return {
    list,
    /** Names by id. Also works while the vault is locked. */
    async listNames(environmentId: number): Promise<ReadonlyMap<string, string | null>> {
      const rows = await webhookDestinationsStore.list(database.reader, environmentId);
      return new Map(rows.map(({ id, name }) => [id, name]));
    },
    /** Enabled destinations whose filters include the event. Pass `tx` when already inside a transaction. */
    async listFor(environmentId: number, event: FilteredEvent, tx?: Transaction): Promise<WebhookDestination[]> {
      if (without.has(environmentId)) return [];
      const versionBefore = version;
      const rows = await webhookDestinationsStore.list(tx ?? database.reader, environmentId);
      if (rows.length === 0 && versionBefore === version) without.add(environmentId);
      return rows.filter((row) => wants(row, event)).map((row) => open(row));
    },
    /** Throws `not_found`. */
    async get(environmentId: number, id: string): Promise<WebhookDestination> {
      return open(await find(database.reader, environmentId, id));
    },
    /** Throws `invalid_body` when the environment already has `MAX_DESTINATIONS`. */
    async create(environmentId: number, destination: NewDestination): Promise<WebhookDestination> {
      return write(async (tx) => {
        if ((await webhookDestinationsStore.list(tx, environmentId)).length >= MAX_DESTINATIONS)
          throw new HomeportError(
            'invalid_body',
            `An environment has at most ${MAX_DESTINATIONS} further destinations. Delete one first.`,
          );
        return insert(tx, environmentId, destination);
      });
    },
    /** Changes the given members. Throws `not_found`. */
    async change(environmentId: number, id: string, changes: Partial<NewDestination>): Promise<WebhookDestination> {
      return write(async (tx) => {
        const before = open(await find(tx, environmentId, id));
        return update(tx, environmentId, { ...before, ...changes });
      });
    },
    /** Deletes a destination. Its waiting deliveries end as failed. Throws `not_found`. */
    async remove(environmentId: number, id: string): Promise<void> {
      await write(async (tx) => {
        await find(tx, environmentId, id);
        await removeOne(tx, environmentId, id);
      });
    },
    /**
     * Replaces all destinations: one with the id of an existing destination changes that one, one without an id is new,
     * the others are deleted. Throws `not_found` for an unknown id.
     */
    async replaceAll(
      environmentId: number,
      wanted: ReadonlyArray<NewDestination & { id?: string | undefined }>,
    ): Promise<WebhookDestination[]> {
      return write(async (tx) => {
        for (const { id } of await webhookDestinationsStore.list(tx, environmentId))
          if (!wanted.some((one) => one.id === id)) await removeOne(tx, environmentId, id);
        for (const { id, ...destination } of wanted) {
          if (id === undefined) await insert(tx, environmentId, destination);
          else {
            await find(tx, environmentId, id);
            await update(tx, environmentId, { id, ...destination });
          }
        }
        return list(environmentId, tx);
      });
    },
    /** Copies all destinations, with filters and switches, to an environment that has none. */
    async copyAll(fromEnvironmentId: number, toEnvironmentId: number): Promise<void> {
      await write(async (tx) => {
        for (const { id: _id, ...destination } of await list(fromEnvironmentId, tx))
          await insert(tx, toEnvironmentId, destination);
      });
    },
  };
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
