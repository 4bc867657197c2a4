import type { Database } from '../../platform/database/database.ts';
import { HomeportError } from '../../platform/lib/homeport-error.ts';
import type { Vault } from '../../platform/vault/vault.ts';
import { type PlaygroundRunRow, PlaygroundRunsStore } from '../playground-runs.store.ts';
import type { PlaygroundEntry } from './playground.service.ts';

/** A run as it is stored. */
type StoredEntry = Omit<PlaygroundEntry, 'environmentId' | 'connectionRowId' | 'recorded'>;

/** Largest response body, in characters, and largest result, as JSON, that are stored. */
const MAX_BODY = 64 * 1024;
const MAX_RESULT = 256 * 1024;
export const NO_LONGER_RECORDED = 'The recording of this run is no longer kept. Run it again to save it.';

/** Ended runs, sealed in the database, so that they survive a restart (ui.md 6.12). */
export function createPlaygroundHistory(use: {
  database: Database;
  vault: Vault;
  /** Number of runs kept per environment. */
  kept: number;
}) {
  const { database, vault, kept } = use;
  const store = new PlaygroundRunsStore();
  const loaded = new Set<number>();

  /** The stored runs of an environment, oldest first, at the first call; later ones resolve to nothing. */
  async function load(environmentId: number): Promise<PlaygroundEntry[]> {
    if (loaded.has(environmentId)) return [];
    const rows = await store.list(database.reader, environmentId);
    const entries = rows.map((row): PlaygroundEntry => {
      const stored = JSON.parse(vault.open(row.run, runContext(row.id))) as StoredEntry;
      return { ...stored, environmentId, connectionRowId: row.connectionId, isStored: true, ...recordedBefore(stored) };
    });
    // Another call may have loaded them meanwhile.
    if (loaded.has(environmentId)) return [];
    loaded.add(environmentId);
    return entries;
  }

  /** The ids of the runs that are still stored: those of a deleted connection are not. */
  async function listIds(environmentId: number): Promise<Set<string>> {
    return new Set(await store.listIds(database.reader, environmentId));
  }

  /** Stores an ended run. While the vault is locked it is not stored, and is kept in memory only. */
  async function keep(entry: PlaygroundEntry): Promise<void> {
    const row = seal(entry, vault);
    if (!row) return;
    await database.transaction((tx) => store.insert(tx, row, kept));
    entry.isStored = true;
  }

  async function clear(environmentId: number): Promise<void> {
    await database.transaction((tx) => store.removeAll(tx, environmentId));
  }

  function seal(entry: PlaygroundEntry, vault: Vault): PlaygroundRunRow | undefined {
    const { connectionRowId, endedAt, environmentId, id, startedAt } = entry;
    try {
      const run = vault.seal(JSON.stringify(toStored(entry)), runContext(id));
      return { id, environmentId, connectionId: connectionRowId, run, endedAt: endedAt ?? startedAt };
    } catch (error) {
      if (error instanceof HomeportError && error.code === 'vault_locked') return undefined;
      throw error;
    }
  }

  return { load, listIds, keep, clear };
}

export const runContext = (id: string): string => `playground-run:${id}`;

function recordedBefore({ request }: StoredEntry): Pick<PlaygroundEntry, 'recorded'> {
  return request.kind === 'action' || request.kind === 'sync' ? { recorded: { problem: NO_LONGER_RECORDED } } : {};
}

function toStored({ environmentId: _, connectionRowId: __, recorded: ___, ...entry }: PlaygroundEntry): StoredEntry {
  const { response, output, effects, error, ...facts } = entry;
  const result = {
    ...(output === undefined ? {} : { output }),
    ...(effects ? { effects } : {}),
    ...(error?.payload === undefined ? {} : { payload: error.payload }),
  };
  const isLost = JSON.stringify(result).length > MAX_RESULT;
  return {
    ...facts,
    error: error && isLost ? { code: error.code, message: error.message } : error,
    ...(response ? { response: shortened(response) } : {}),
    ...(isLost
      ? { isResultLost: true }
      : { ...(output === undefined ? {} : { output }), ...(effects ? { effects } : {}) }),
  };
}

function shortened(response: NonNullable<PlaygroundEntry['response']>): NonNullable<PlaygroundEntry['response']> {
  const { base64, body } = response;
  if (base64 !== null && base64.length > MAX_BODY) return { ...response, base64: null };
  return body.length > MAX_BODY ? { ...response, body: body.slice(0, MAX_BODY), isCut: true } : response;
}
