import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { ScheduledSyncRef } from './scheduled-sync.ts';
import type { SyncParts } from './sync-schedules.service.ts';
import type { SyncFilter, SyncRow } from './syncs.store.ts';

export interface SyncSelection {
  environmentId: number;
  providerConfigKey: string;
  /** Absent means every connection of the integration that has the syncs. */
  connectionId?: string;
  /** Empty means all. */
  syncs: ScheduledSyncRef[];
  /** Without a connection: every variant of this sync, in place of `syncs`. */
  everyVariantOf?: string;
}

/** One sync of one connection. */
export interface SyncAddress extends ScheduledSyncRef {
  environmentId: number;
  providerConfigKey: string;
  connectionId: string;
}

/** Syncs that are read at once: the driver makes their rows in one go, and others wait for as long. */
const SLICE_ROWS = 250;

/** Calls `use` with filters for all of these syncs, one slice after the other. */
export async function forEachSlice(
  { database, syncsStore }: Pick<SyncParts, 'database' | 'syncsStore'>,
  filter: SyncFilter,
  use: (slice: SyncFilter) => Promise<void>,
): Promise<void> {
  // One connection has few.
  if (filter.connectionRowId !== undefined) return use(filter);
  const rowIds = await syncsStore.listRowIds(database.reader, filter);
  for (let at = 0; at < rowIds.length; at += SLICE_ROWS)
    await use({ ...filter, rowIds: rowIds.slice(at, at + SLICE_ROWS) });
}

export type SyncTargets = ReturnType<typeof createSyncTargets>;

/** Finds the syncs that a caller names (http-api.md 10, target rule). */
export function createSyncTargets({
  integrations,
  connections,
  syncsStore,
  database,
}: Pick<SyncParts, 'integrations' | 'connections' | 'syncsStore' | 'database'>) {
  /**
   * Row ids of the integration and connection of one sync. Throws `unknown_connection` when either is missing.
   */
  async function resolveIds(
    address: Omit<SyncAddress, 'name' | 'variant'>,
  ): Promise<{ integrationId: number; connectionRowId: number }> {
    const integration = await integrations.find(address.environmentId, address.providerConfigKey);
    const connection = integration && (await connections.find(integration, address.connectionId));
    if (!integration || !connection)
      throw new HomeportError('unknown_connection', 'There is no such connection.', { silent: true });
    return { integrationId: integration.id, connectionRowId: connection.id };
  }

  return {
    resolveIds,
    /**
     * The selected syncs in order, without duplicates. With a connection, an unknown name ends the list: `missing` is the
     * error to throw after the syncs before it were handled. Throws when the selection is empty.
     */
    async select(selection: SyncSelection): Promise<{ syncs: SyncRow[]; missing?: HomeportError }> {
      const { environmentId, providerConfigKey, connectionId } = selection;
      const integration = await integrations.find(environmentId, providerConfigKey);
      if (!integration)
        throw new HomeportError('unknown_provider_config', `There is no integration '${providerConfigKey}'.`, {
          payload: {},
        });
      const connection = connectionId === undefined ? undefined : await connections.find(integration, connectionId);
      if (connectionId !== undefined && !connection) {
        throw new HomeportError(
          'unknown_connection',
          `There is no connection '${connectionId}' of the integration '${providerConfigKey}'.`,
          {
            status: 404,
            payload: { connectionId, providerConfigKey },
          },
        );
      }
      const filter = { integrationId: integration.id, ...(connection ? { connectionRowId: connection.id } : {}) };
      const all: SyncRow[] = [];
      await forEachSlice({ database, syncsStore }, filter, async (slice) => {
        all.push(...(await syncsStore.list(database.reader, slice)));
      });
      if (connection) return inOrder(all, selection.syncs);
      const { syncs: refs, everyVariantOf } = selection;
      const matching =
        everyVariantOf !== undefined
          ? all.filter(({ name }) => name === everyVariantOf)
          : refs.length === 0
            ? all
            : all.filter((sync) => refs.some((ref) => isSame(sync, ref)));
      if (matching.length === 0) throw noneFound();
      return { syncs: matching };
    },
    /** Throws `unknown_connection`; undefined when the connection has no such sync. */
    async find(address: SyncAddress): Promise<SyncRow | undefined> {
      const { name, variant } = address;
      const [sync] = await syncsStore.list(database.reader, { ...(await resolveIds(address)), name, variant });
      return sync;
    },
  };
}

function inOrder(all: SyncRow[], refs: ScheduledSyncRef[]): { syncs: SyncRow[]; missing?: HomeportError } {
  if (refs.length === 0) return { syncs: all };
  const found = new Set<SyncRow>();
  for (const ref of refs) {
    const sync = all.find((candidate) => isSame(candidate, ref));
    if (!sync) return { syncs: [...found], missing: noneFound() };
    found.add(sync);
  }
  return { syncs: [...found] };
}

export function noneFound(): HomeportError {
  const text = 'No such sync was found. Check its name, the integration and the connection.';
  return new HomeportError('no_syncs_found', text, { payload: {} });
}

export function isSame(sync: ScheduledSyncRef, ref: ScheduledSyncRef): boolean {
  return sync.name === ref.name && sync.variant === ref.variant;
}
