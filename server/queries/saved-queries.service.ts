import type { Database, ReadHandle, Transaction } from '../platform/database/database.ts';
import type { Clock } from '../platform/lib/clock.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { Ids } from '../platform/lib/ids.ts';
import type { QueryParams } from './queries.contract.ts';
import { SavedQueriesStore, type SavedQueryRow } from './saved-queries.store.ts';

export interface SavedQuery extends Omit<SavedQueryRow, 'params'> {
  params: QueryParams;
}

type Content = Pick<SavedQuery, 'name' | 'sql' | 'params'>;

/** Far more than a person finds again. */
const MOST_SAVED = 1000;

export type SavedQueriesService = ReturnType<typeof createSavedQueriesService>;

/** Statements that people keep under a name, by environment. A name is there once, whatever its upper and lower case. */
export function createSavedQueriesService({ clock, database, ids }: { clock: Clock; database: Database; ids: Ids }) {
  const store = new SavedQueriesStore();

  async function requireFree(db: ReadHandle, environmentId: number, name: string, id?: string): Promise<void> {
    const other = await store.findByName(db, environmentId, name);
    if (other && other.id !== id)
      throw new HomeportError('conflict', `There is a saved query "${other.name}" already. Choose another name.`);
  }

  async function get(db: ReadHandle, environmentId: number, id: string): Promise<SavedQuery> {
    const row = await store.find(db, environmentId, id);
    if (!row) throw new HomeportError('not_found', 'There is no such saved query.');
    return toSaved(row);
  }

  async function create(tx: Transaction, environmentId: number, content: Content): Promise<SavedQuery> {
    if ((await store.list(tx, environmentId)).length >= MOST_SAVED)
      throw new HomeportError('resource_capped', `An environment keeps at most ${MOST_SAVED} queries. Delete some.`);
    const now = clock.now();
    const saved = { id: ids.uuid(), ...content, createdAt: now, updatedAt: now };
    await store.insert(tx, environmentId, toRow(saved));
    return saved;
  }

  async function change(tx: Transaction, before: SavedQuery, changes: Partial<Content>): Promise<SavedQuery> {
    const saved = { ...before, ...changes, updatedAt: clock.now() };
    await store.update(tx, toRow(saved));
    return saved;
  }

  return {
    /** By name. */
    list: async (environmentId: number): Promise<SavedQuery[]> =>
      (await store.list(database.reader, environmentId)).map(toSaved),

    /** Throws `conflict` for a name that is taken, and `resource_capped`. */
    create: (environmentId: number, content: Content): Promise<SavedQuery> =>
      database.transaction(async (tx) => {
        await requireFree(tx, environmentId, content.name);
        return create(tx, environmentId, content);
      }),

    /** Creates it, or replaces the one of that name. Throws `resource_capped`. */
    put: (environmentId: number, content: Content): Promise<SavedQuery> =>
      database.transaction(async (tx) => {
        const before = await store.findByName(tx, environmentId, content.name);
        return before ? change(tx, toSaved(before), content) : create(tx, environmentId, content);
      }),

    /** Throws `not_found`, and `conflict` for a name that is taken. */
    update: (environmentId: number, id: string, changes: Partial<Content>): Promise<SavedQuery> =>
      database.transaction(async (tx) => {
        const before = await get(tx, environmentId, id);
        if (changes.name !== undefined) await requireFree(tx, environmentId, changes.name, id);
        return change(tx, before, changes);
      }),

    /** Throws `not_found`. */
    remove: (environmentId: number, id: string): Promise<void> =>
      database.transaction(async (tx) => {
        await get(tx, environmentId, id);
        await store.remove(tx, environmentId, id);
      }),
  };
}

const toSaved = (row: SavedQueryRow): SavedQuery => ({ ...row, params: JSON.parse(row.params) as QueryParams });
const toRow = (saved: SavedQuery): SavedQueryRow => ({ ...saved, params: JSON.stringify(saved.params) });
