import type { Database } from '../../database/database.ts';
import { ReadCache } from '../../lib/read-cache.ts';
import type { FunctionKey, FunctionsStore } from '../../stores/functions-store.ts';
import type { ParsedOnEvent, ParsedSync } from './deployed-function.ts';

/** A switched-on sync without the schemas of its models. */
export type SyncTrigger = Omit<ParsedSync, 'json_schema'>;

interface IntegrationTriggers {
  syncs: SyncTrigger[];
  syncsByName: ReadonlyMap<string, SyncTrigger>;
  /** Names by what they subscribe to. */
  subscribers: ReadonlyMap<string, string[]>;
  onEvents: ParsedOnEvent[];
}

/** Integrations whose triggers are kept in memory. */
const CACHED_INTEGRATIONS = 500;

/**
 * What runs without being called by name: syncs by schedule or webhook, functions by events of connections. Switched-on
 * ones whose files are there, read once per integration and kept until a function of it changes.
 */
export class FunctionTriggers {
  readonly #options: { database: Database; functions: FunctionsStore };
  readonly #cache = new ReadCache<IntegrationTriggers>({ max: CACHED_INTEGRATIONS });

  constructor(options: { database: Database; functions: FunctionsStore }) {
    this.#options = options;
  }

  async listSyncs(environmentId: number, integrationKey: string): Promise<SyncTrigger[]> {
    return (await this.#read(environmentId, integrationKey)).syncs;
  }

  async findSync(environmentId: number, integrationKey: string, name: string): Promise<SyncTrigger | undefined> {
    return (await this.#read(environmentId, integrationKey)).syncsByName.get(name);
  }

  /** Names of the syncs whose `webhookSubscriptions` take an event of these types, each once, sorted (webhooks.md 2.3). */
  async listSubscribers(environmentId: number, integrationKey: string, types: readonly string[]): Promise<string[]> {
    const { subscribers } = await this.#read(environmentId, integrationKey);
    return [...new Set(['*', ...types].flatMap((type) => subscribers.get(type) ?? []))].sort();
  }

  /** Names of the functions of an event, sorted. */
  async listOnEvents(environmentId: number, integrationKey: string, event: ParsedOnEvent['event']): Promise<string[]> {
    const { onEvents } = await this.#read(environmentId, integrationKey);
    return onEvents.flatMap((one) => (one.event === event ? [one.name] : []));
  }

  /** A function of the integration changed. */
  forget({ environmentId, integrationKey }: Pick<FunctionKey, 'environmentId' | 'integrationKey'>): void {
    this.#cache.drop(cacheKey(environmentId, integrationKey));
  }

  async #read(environmentId: number, integrationKey: string): Promise<IntegrationTriggers> {
    const { database, functions } = this.#options;
    const read = async (): Promise<IntegrationTriggers> => {
      const rows = await functions.listTriggers(database.reader, environmentId, integrationKey);
      return toTriggers(rows.map(({ definition }) => JSON.parse(definition) as SyncTrigger | ParsedOnEvent));
    };
    return (await this.#cache.get(cacheKey(environmentId, integrationKey), read)) ?? toTriggers([]);
  }
}

function toTriggers(definitions: Array<SyncTrigger | ParsedOnEvent>): IntegrationTriggers {
  const syncs = definitions.filter((one) => one.type === 'sync');
  const subscribers = new Map<string, string[]>();
  for (const { name, webhookSubscriptions } of syncs) {
    for (const type of new Set(webhookSubscriptions)) subscribers.set(type, [...(subscribers.get(type) ?? []), name]);
  }
  return {
    syncs,
    syncsByName: new Map(syncs.map((one) => [one.name, one])),
    subscribers,
    onEvents: definitions.filter((one) => one.type === 'on-event'),
  };
}

function cacheKey(environmentId: number, integrationKey: string): string {
  return `${environmentId}:${integrationKey}`;
}
