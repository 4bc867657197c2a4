import type { Database } from '../../platform/database/database.ts';
import { ReadCache } from '../../platform/lib/read-cache.ts';
import type { FunctionEndpointsRow, FunctionKey, FunctionsStore } from '../functions.store.ts';
import type { ParsedEndpoint, ParsedOnEvent, ParsedSync } from './deployed-function.ts';

/** A switched-on sync without the schemas of its models. */
export type SyncTrigger = Omit<ParsedSync, 'json_schema'>;

/** The function that a declared endpoint calls. */
export type EndpointTarget = { kind: 'action'; name: string } | { kind: 'model'; name: string };

interface IntegrationTriggers {
  syncs: SyncTrigger[];
  syncsByName: ReadonlyMap<string, SyncTrigger>;
  /** Names of functions by the event type that they subscribe to. */
  subscribers: ReadonlyMap<string, string[]>;
  onEvents: ParsedOnEvent[];
}

/** Number of integrations whose triggers are kept in memory. */
const CACHED_INTEGRATIONS = 500;

export type FunctionTriggers = ReturnType<typeof createFunctionTriggers>;

/**
 * Functions that start without a call by name: syncs by schedule or webhook, functions by events of connections, and
 * functions by a declared endpoint. Only switched-on functions with files; read once per integration and kept until one
 * of its functions changes.
 */
export function createFunctionTriggers({
  database,
  functionsStore,
}: {
  database: Database;
  functionsStore: FunctionsStore;
}) {
  const cache = new ReadCache<IntegrationTriggers>({ max: CACHED_INTEGRATIONS });
  const endpointCache = new ReadCache<ReadonlyMap<string, EndpointTarget>>({ max: CACHED_INTEGRATIONS });

  async function read(environmentId: number, integrationKey: string): Promise<IntegrationTriggers> {
    const read = async (): Promise<IntegrationTriggers> => {
      const rows = await functionsStore.listTriggers(database.reader, environmentId, integrationKey);
      return toTriggers(rows.map(({ definition }) => JSON.parse(definition) as SyncTrigger | ParsedOnEvent));
    };
    return (await cache.get(cacheKey(environmentId, integrationKey), read)) ?? toTriggers([]);
  }

  return {
    async listSyncs(environmentId: number, integrationKey: string): Promise<SyncTrigger[]> {
      return (await read(environmentId, integrationKey)).syncs;
    },
    async findSync(environmentId: number, integrationKey: string, name: string): Promise<SyncTrigger | undefined> {
      return (await read(environmentId, integrationKey)).syncsByName.get(name);
    },
    /**
     * Names of the syncs whose `webhookSubscriptions` include one of these event types, sorted, without duplicates
     * (webhooks.md 2.3).
     */
    async listSubscribers(environmentId: number, integrationKey: string, types: readonly string[]): Promise<string[]> {
      const { subscribers } = await read(environmentId, integrationKey);
      return [...new Set(['*', ...types].flatMap((type) => subscribers.get(type) ?? []))].sort();
    },
    /** Names of the functions of an event, sorted. */
    async listOnEvents(
      environmentId: number,
      integrationKey: string,
      event: ParsedOnEvent['event'],
    ): Promise<string[]> {
      const { onEvents } = await read(environmentId, integrationKey);
      return onEvents.flatMap((one) => (one.event === event ? [one.name] : []));
    },
    /**
     * By method and path, such as `POST /contacts`. When several functions declare the same endpoint, the first by name
     * gets it.
     */
    async findEndpoint(
      environmentId: number,
      integrationKey: string,
      endpoint: string,
    ): Promise<EndpointTarget | undefined> {
      const endpoints = await endpointCache.get(cacheKey(environmentId, integrationKey), async () =>
        toEndpoints(await functionsStore.listEndpoints(database.reader, environmentId, integrationKey)),
      );
      return endpoints?.get(endpoint);
    },
    /** Call it when a function of the integration has changed. */
    invalidate({ environmentId, integrationKey }: Pick<FunctionKey, 'environmentId' | 'integrationKey'>): void {
      cache.drop(cacheKey(environmentId, integrationKey));
      endpointCache.drop(cacheKey(environmentId, integrationKey));
    },
  };
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

/** A sync declares one endpoint per model, in the order of its models. */
function toEndpoints(rows: FunctionEndpointsRow[]): ReadonlyMap<string, EndpointTarget> {
  const found = new Map<string, EndpointTarget>();
  for (const { type, name, endpoints, models } of rows) {
    const modelNames = JSON.parse(models) as string[];
    for (const [index, { method, path }] of (JSON.parse(endpoints) as ParsedEndpoint[]).entries()) {
      const model = modelNames[index];
      const key = `${method} ${path}`;
      if (found.has(key)) continue;
      if (type === 'action') found.set(key, { kind: 'action', name });
      else if (model !== undefined) found.set(key, { kind: 'model', name: model });
    }
  }
  return found;
}

function cacheKey(environmentId: number, integrationKey: string): string {
  return `${environmentId}:${integrationKey}`;
}
