import type { SnapshotReader } from '../../platform/database/database.ts';
import type { SourceModel } from '../record-source.store.ts';
import type { createHubTables } from './hub-tables.ts';
import type { createRecordTables } from './record-tables.ts';

/** Follows the hub's database: what a query names is as it was at one moment. */
export function createHubFollower({
  db,
  hub,
  listModels,
  records,
}: {
  db: SnapshotReader;
  hub: ReturnType<typeof createHubTables>;
  listModels: () => Promise<SourceModel[]>;
  records: ReturnType<typeof createRecordTables>;
}) {
  /**
   * Makes the views as the hub is now; the contents of those for which `isNamed` returns true are loaded, with at least the
   * `wanted` columns (in lower case; null: all). Resolves to the integrations whose records these are.
   */
  return async (
    isNamed: (schema: string, view: string) => boolean,
    wanted: ReadonlySet<string> | null = null,
  ): Promise<string[]> => {
    for (let hasLoaded = false; ; hasLoaded = true) {
      const integrations = await db.atOneMoment(async () => {
        const { connections, streams } = await hub.describe();
        await records.describe(await listModels(), streams);
        if (!hasLoaded && records.needLoading(isNamed, wanted)) return undefined;
        await hub.load(connections, isNamed);
        return records.load(isNamed, wanted);
      });
      if (integrations) return integrations;
      // The first load takes long, and a moment that is held keeps the database from using its log again.
      await records.loadFirst(isNamed, wanted);
    }
  };
}
