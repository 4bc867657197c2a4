import type { ReadHandle, Transaction } from '../platform/database/database.ts';
import type { FunctionOrigin, NewVersion } from './functions.store.ts';

/** A version that was live, without its source. */
export interface FunctionVersionRow {
  id: number;
  version: string;
  origin: FunctionOrigin;
  liveAt: number;
}

/** What is kept of a version. */
type KeptVersion = Pick<
  NewVersion,
  'environmentId' | 'integrationKey' | 'type' | 'name' | 'version' | 'origin' | 'now'
> & {
  code: Pick<NewVersion['code'], 'source'>;
};

const MAX_VERSIONS = 20;
/** Limit for all sources of one function together; the newest version is kept whatever its size. */
const MAX_CHARACTERS = 2_000_000;

/** Sources of function versions that were live, the newest 20 of each function. */
export class FunctionVersionsStore {
  /** Newest first. */
  list(db: ReadHandle, functionId: number): Promise<FunctionVersionRow[]> {
    return db.all(
      'SELECT id, version, origin, live_at AS liveAt FROM function_versions WHERE function_id = ? ORDER BY id DESC',
      [functionId],
    );
  }

  async findSource(db: ReadHandle, functionId: number, id: number): Promise<string | undefined> {
    const row = await db.get<{ source: string }>(
      'SELECT source FROM function_versions WHERE function_id = ? AND id = ?',
      [functionId, id],
    );
    return row?.source;
  }
}

/**
 * Keeps the sources of versions that go live; call it after the functions are stored. A version with the same label,
 * source and origin as the newest kept one is not stored again.
 */
export async function keepVersions(tx: Transaction, versions: readonly KeptVersion[]): Promise<void> {
  const rows = versions.map(({ environmentId, integrationKey, type, name, version, origin, now, code }) => ({
    ...{ environmentId, integrationKey, type, name, version, origin, now },
    characters: code.source.length,
    source: code.source,
  }));
  await tx.run(
    `INSERT INTO function_versions (function_id, version, origin, live_at, characters, source)
     SELECT f.id, value ->> 'version', value ->> 'origin', value ->> 'now', value ->> 'characters', value ->> 'source'
     FROM json_each(?) CROSS JOIN functions AS f
     WHERE f.environment_id = value ->> 'environmentId' AND f.integration_key = value ->> 'integrationKey'
       AND f.type = value ->> 'type' AND f.name = value ->> 'name'
       AND NOT EXISTS (
         SELECT 1 FROM function_versions AS v
         WHERE v.id = (SELECT max(id) FROM function_versions WHERE function_id = f.id)
           AND v.version = value ->> 'version' AND v.origin = value ->> 'origin' AND v.source = value ->> 'source')`,
    [JSON.stringify(rows)],
  );
  await tx.run(
    `DELETE FROM function_versions WHERE id IN (
       SELECT id FROM (
         SELECT v.id, row_number() OVER newest AS nth, sum(v.characters) OVER newest AS characters
         FROM json_each(?) CROSS JOIN functions AS f JOIN function_versions AS v ON v.function_id = f.id
         WHERE f.environment_id = value ->> 'environmentId' AND f.integration_key = value ->> 'integrationKey'
           AND f.type = value ->> 'type' AND f.name = value ->> 'name'
         WINDOW newest AS (PARTITION BY v.function_id ORDER BY v.id DESC))
       WHERE nth > ${MAX_VERSIONS} OR nth > 1 AND characters > ${MAX_CHARACTERS})`,
    [JSON.stringify(rows.map(({ source: _, ...key }) => key))],
  );
}
