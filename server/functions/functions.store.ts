import type { ReadHandle, SqlValue, Transaction } from '../platform/database/database.ts';
import { keepVersions } from './function-versions.store.ts';

export type FunctionType = 'sync' | 'action' | 'on-event';

/** Where a function comes from: a file of the workspace, a deploy out of a project, or another deploy. */
export type FunctionOrigin = 'workspace' | 'repo' | 'standalone';

/** Everything about a function except its code. `definition` is null until a version compiled. */
export interface FunctionRow {
  id: number;
  environmentId: number;
  integrationKey: string;
  type: FunctionType;
  name: string;
  origin: FunctionOrigin;
  /** Path relative to the workspace or to the deployed project, with forward slashes. */
  path: string;
  version: string | null;
  /** JSON of the parsed definition. */
  definition: string | null;
  bundleHash: string | null;
  /** JSON list of the input files, as they were when last compiled. */
  inputs: string;
  /**
   * JSON list of diagnostics of the last attempt or of the type check; null when the version compiled and waits for the
   * type check.
   */
  problems: string | null;
  isEnabled: boolean;
  /** When its file was found missing; the function is not run and not listed since then. Null while the file exists. */
  missingSince: number | null;
  deployedAt: number | null;
  createdAt: number;
}

/** A version that compiled. */
export interface NewVersion extends FunctionKey {
  origin: FunctionOrigin;
  path: string;
  version: string;
  /** JSON of the parsed definition. */
  definition: string;
  bundleHash: string;
  inputs: string;
  code: FunctionCode;
  now: number;
}

export interface FunctionCode {
  bundle: string;
  source: string;
}

type SqlRow = Omit<FunctionRow, 'isEnabled'> & { isEnabled: number };

const COLUMNS = `id, environment_id AS environmentId, integration_key AS integrationKey, type, name, origin, path, version,
  definition, bundle_hash AS bundleHash, inputs, problems, is_enabled AS isEnabled, missing_since AS missingSince,
  deployed_at AS deployedAt, created_at AS createdAt`;

function toFunction<Row extends SqlRow>(row: Row): Omit<Row, 'isEnabled'> & { isEnabled: boolean } {
  return { ...row, isEnabled: row.isEnabled === 1 };
}

export interface FunctionKey {
  environmentId: number;
  integrationKey: string;
  type: FunctionType;
  name: string;
}

/** A function for lists: SQL picks the needed members of its definition. */
export interface FunctionSummaryRow extends FunctionKey {
  id: number;
  /** Path below the functions folder. */
  path: string;
  origin: FunctionOrigin;
  version: string | null;
  description: string | null;
  frequency: string | null;
  /** JSON list of the models that a sync writes. */
  models: string | null;
  problems: string | null;
  isEnabled: number;
  missingSince: number | null;
  deployedAt: number | null;
  createdAt: number;
}

/** Where the file of a workspace function belongs, and the state of the function. */
export interface FunctionPathRow extends FunctionKey {
  id: number;
  path: string;
  missingSince: number | null;
  /** 1 when a version compiled, so that there is something to keep. */
  hasVersion: number;
}

/** What decides whether and when a switched-on function runs, without its code. */
export interface FunctionTriggerRow {
  type: FunctionType;
  name: string;
  /** JSON of the parsed definition without its schemas. */
  definition: string;
}

/** A switched-on action or sync with the endpoints that it declares. */
export interface FunctionEndpointsRow {
  type: FunctionType;
  name: string;
  /** JSON list of the endpoints. */
  endpoints: string;
  /** JSON list of the models; a sync declares one endpoint per model. */
  models: string;
}

/** The newest operation of a function; `type` is the type of the operation. */
export interface LastRunRow {
  type: string;
  integrationKey: string;
  functionName: string;
  operationId: string;
  state: string;
  at: number;
}

export class FunctionsStore {
  async listSummaries(db: ReadHandle, environmentId: number, integrationKey?: string): Promise<FunctionSummaryRow[]> {
    return db.all(
      `SELECT id, environment_id AS environmentId, integration_key AS integrationKey, type, name, version, path, origin,
         definition ->> 'description' AS description, definition ->> 'runs' AS frequency,
         CASE WHEN type = 'sync' THEN definition -> 'output' END AS models, problems, is_enabled AS isEnabled,
         missing_since AS missingSince, deployed_at AS deployedAt, created_at AS createdAt
       FROM functions WHERE environment_id = ? AND (? IS NULL OR integration_key = ?) ORDER BY integration_key, name, type`,
      [environmentId, integrationKey ?? null, integrationKey ?? null],
    );
  }

  async countByIntegration(
    db: ReadHandle,
    environmentId: number,
  ): Promise<Array<{ integrationKey: string; total: number; enabled: number }>> {
    return db.all(
      `SELECT integration_key AS integrationKey, COUNT(*) AS total, SUM(is_enabled) AS enabled
       FROM functions WHERE environment_id = ? AND missing_since IS NULL GROUP BY integration_key`,
      [environmentId],
    );
  }

  /** Answered from the index of the log, except for the rows of the result. */
  async listLastRuns(db: ReadHandle, environmentId: number): Promise<LastRunRow[]> {
    return db.all(
      `SELECT o.type, o.integration_key AS integrationKey, o.function_name AS functionName, o.id AS operationId, o.state,
         o.created_at AS at
       FROM (SELECT MAX(seq) AS seq FROM log_operations INDEXED BY log_operations_list
             WHERE environment_id = ? AND function_name IS NOT NULL AND integration_key IS NOT NULL
               AND (type IN ('action', 'events') OR type = 'sync' AND action = 'run')
             GROUP BY type, integration_key, function_name) AS last
       JOIN log_operations o ON o.seq = last.seq`,
      [environmentId],
    );
  }

  async list(db: ReadHandle, environmentId: number, integrationKey?: string): Promise<FunctionRow[]> {
    const params: SqlValue[] = [environmentId];
    if (integrationKey !== undefined) params.push(integrationKey);
    const rows = await db.all<SqlRow>(
      `SELECT ${COLUMNS} FROM functions WHERE environment_id = ?${integrationKey === undefined ? '' : ' AND integration_key = ?'}
       ORDER BY integration_key, name, type`,
      params,
    );
    return rows.map(toFunction);
  }

  /** The existing ones of the keys, in any order. */
  async listByKeys(db: ReadHandle, keys: readonly FunctionKey[]): Promise<FunctionRow[]> {
    const rows = await db.all<SqlRow>(
      `SELECT ${COLUMNS} FROM functions WHERE (environment_id, integration_key, type, name) IN
         (SELECT value ->> 'environmentId', value ->> 'integrationKey', value ->> 'type', value ->> 'name' FROM json_each(?))`,
      [JSON.stringify(keys)],
    );
    return rows.map(toFunction);
  }

  async find(db: ReadHandle, key: FunctionKey): Promise<FunctionRow | undefined> {
    const row = await db.get<SqlRow>(
      `SELECT ${COLUMNS} FROM functions WHERE environment_id = ? AND integration_key = ? AND type = ? AND name = ?`,
      [key.environmentId, key.integrationKey, key.type, key.name],
    );
    return row && toFunction(row);
  }

  /** Finds a workspace function by its file. */
  async findByPath(db: ReadHandle, environmentId: number, path: string): Promise<FunctionRow | undefined> {
    const row = await db.get<SqlRow>(
      `SELECT ${COLUMNS} FROM functions
       WHERE environment_id = ? AND integration_key = ? AND path = ? AND origin = 'workspace'`,
      [environmentId, path.split('/')[0] ?? '', path],
    );
    return row && toFunction(row);
  }

  async findCode(db: ReadHandle, id: number): Promise<FunctionCode | undefined> {
    return db.get<FunctionCode>('SELECT bundle, source FROM function_code WHERE function_id = ?', [id]);
  }

  /** Code of the live functions that contain a word. */
  async listBundlesWith(
    db: ReadHandle,
    environmentId: number,
    word: string,
  ): Promise<Array<Omit<FunctionKey, 'environmentId'> & { bundle: string }>> {
    return db.all(
      `SELECT integration_key AS integrationKey, type, name, bundle FROM functions JOIN function_code ON function_id = id
       WHERE environment_id = ? AND missing_since IS NULL AND instr(bundle, ?) > 0
       ORDER BY integration_key, name, type`,
      [environmentId, word],
    );
  }

  /** A compiled version with its bundle, read in one statement so that they belong together. */
  async findRunnable(db: ReadHandle, key: FunctionKey): Promise<(FunctionRow & { bundle: string }) | undefined> {
    const row = await db.get<SqlRow & { bundle: string }>(
      `SELECT ${COLUMNS}, bundle FROM functions JOIN function_code ON function_id = id
       WHERE environment_id = ? AND integration_key = ? AND type = ? AND name = ? AND missing_since IS NULL`,
      [key.environmentId, key.integrationKey, key.type, key.name],
    );
    return row && toFunction(row);
  }

  /** Switched-on syncs and event handlers of an integration, except those with missing files. */
  async listTriggers(db: ReadHandle, environmentId: number, integrationKey: string): Promise<FunctionTriggerRow[]> {
    return db.all(
      `SELECT type, name, json_remove(definition, '$.json_schema') AS definition FROM functions
       WHERE environment_id = ? AND integration_key = ? AND type IN ('sync', 'on-event') AND is_enabled = 1
         AND missing_since IS NULL AND definition IS NOT NULL
       ORDER BY name, type`,
      [environmentId, integrationKey],
    );
  }

  /** Switched-on actions and syncs of an integration with endpoints, except those with missing files. */
  async listEndpoints(db: ReadHandle, environmentId: number, integrationKey: string): Promise<FunctionEndpointsRow[]> {
    return db.all(
      `SELECT type, name, endpoints, models FROM (
         SELECT type, name, definition -> 'output' AS models,
           iif(type = 'sync', definition -> 'endpoints', json_array(definition -> 'endpoint')) AS endpoints
         FROM functions
         WHERE environment_id = ? AND integration_key = ? AND type IN ('sync', 'action') AND is_enabled = 1
           AND missing_since IS NULL AND definition IS NOT NULL)
       WHERE endpoints NOT IN ('[]', '[null]') ORDER BY name, type`,
      [environmentId, integrationKey],
    );
  }

  /** All functions that come from workspace files. */
  async listPaths(db: ReadHandle, environmentId: number): Promise<FunctionPathRow[]> {
    return db.all(
      `SELECT id, environment_id AS environmentId, integration_key AS integrationKey, type, name, path,
         missing_since AS missingSince, definition IS NOT NULL AS hasVersion
       FROM functions WHERE environment_id = ? AND origin = 'workspace' ORDER BY path`,
      [environmentId],
    );
  }

  /** Without an origin functions of any count. */
  async hasAny(db: ReadHandle, origin: 'workspace' | null = null): Promise<boolean> {
    return (await db.get('SELECT 1 FROM functions WHERE origin = ?1 OR ?1 IS NULL LIMIT 1', [origin])) !== undefined;
  }

  /** Null means that the files exist. */
  async setMissing(tx: Transaction, ids: number[], missingSince: number | null): Promise<void> {
    await tx.run('UPDATE functions SET missing_since = ? WHERE id IN (SELECT value FROM json_each(?))', [
      missingSince,
      JSON.stringify(ids),
    ]);
  }

  /** Paths of the live versions whose types wait to be checked. */
  async listUnchecked(db: ReadHandle, environmentId: number): Promise<string[]> {
    const rows = await db.all<{ path: string }>(
      `SELECT path FROM functions WHERE environment_id = ? AND origin = 'workspace' AND missing_since IS NULL
         AND problems IS NULL AND definition IS NOT NULL
       ORDER BY path`,
      [environmentId],
    );
    return rows.map(({ path }) => path);
  }

  /** The path and the input files of each workspace function; cheap enough for every start. */
  async listInputs(
    db: ReadHandle,
    environmentId: number,
  ): Promise<Array<FunctionKey & { id: number; path: string; inputs: string; hasVersion: number }>> {
    return db.all(
      `SELECT id, environment_id AS environmentId, integration_key AS integrationKey, type, name, path, inputs,
         definition IS NOT NULL AS hasVersion
       FROM functions WHERE environment_id = ? AND origin = 'workspace'`,
      [environmentId],
    );
  }

  /** Makes versions live; the types of workspace functions are checked afterwards. */
  async upsertDeployed(tx: Transaction, ...versions: NewVersion[]): Promise<void> {
    await tx.run(
      `INSERT INTO functions (environment_id, integration_key, type, name, origin, path, version, definition, bundle_hash,
         inputs, problems, is_enabled, deployed_at, created_at)
       SELECT value ->> 'environmentId', value ->> 'integrationKey', value ->> 'type', value ->> 'name', value ->> 'origin', value ->> 'path',
         value ->> 'version', value ->> 'definition', value ->> 'bundleHash',
         value ->> 'inputs', iif(value ->> 'origin' = 'workspace', NULL, '[]'), 1, value ->> 'now', value ->> 'now'
       FROM json_each(?) WHERE TRUE
       ON CONFLICT (environment_id, integration_key, type, name) DO UPDATE SET origin = excluded.origin, path = excluded.path, version = excluded.version,
         definition = excluded.definition, bundle_hash = excluded.bundle_hash, inputs = excluded.inputs,
         problems = excluded.problems, missing_since = NULL, deployed_at = excluded.deployed_at`,
      [JSON.stringify(versions.map(({ code: _, ...row }) => row))],
    );
    await tx.run(
      `INSERT INTO function_code (function_id, source, bundle)
       SELECT f.id, value -> 'code' ->> 'source', value -> 'code' ->> 'bundle' FROM json_each(?) CROSS JOIN functions f
       WHERE f.environment_id = value ->> 'environmentId' AND f.integration_key = value ->> 'integrationKey'
         AND f.type = value ->> 'type' AND f.name = value ->> 'name'
       ON CONFLICT (function_id) DO UPDATE SET source = excluded.source, bundle = excluded.bundle`,
      [
        JSON.stringify(
          versions.map(({ environmentId, integrationKey, type, name, code }) => ({
            environmentId,
            integrationKey,
            type,
            name,
            code,
          })),
        ),
      ],
    );
    await keepVersions(tx, versions);
  }

  /** Stores why the workspace file does not compile; the last good version stays live. */
  async upsertProblems(
    tx: Transaction,
    row: FunctionKey & { path: string; inputs: string; problems: string; now: number },
  ): Promise<void> {
    await tx.run(
      `INSERT INTO functions (environment_id, integration_key, type, name, path, inputs, problems, is_enabled, created_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, 1, ?)
       ON CONFLICT (environment_id, integration_key, type, name) DO UPDATE SET origin = 'workspace', path = excluded.path,
         inputs = excluded.inputs, problems = excluded.problems`,
      [row.environmentId, row.integrationKey, row.type, row.name, row.path, row.inputs, row.problems, row.now],
    );
  }

  /** For files that compiled to the versions that are already live; their types are checked again. */
  async updateInputs(tx: Transaction, ...rows: Array<{ id: number; inputs: string }>): Promise<void> {
    await tx.run(
      `UPDATE functions SET inputs = compiled.inputs, problems = NULL
       FROM (SELECT value ->> 'id' AS id, value ->> 'inputs' AS inputs FROM json_each(?)) AS compiled
       WHERE functions.id = compiled.id`,
      [JSON.stringify(rows)],
    );
  }

  /** For files with a new time of change and the same content. */
  async renewInputs(tx: Transaction, ...rows: Array<{ id: number; inputs: string }>): Promise<void> {
    await tx.run(
      `UPDATE functions SET inputs = touched.inputs
       FROM (SELECT value ->> 'id' AS id, value ->> 'inputs' AS inputs FROM json_each(?)) AS touched
       WHERE functions.id = touched.id`,
      [JSON.stringify(rows)],
    );
  }

  /** Stores the result of the type check of a live version; false when no version waits for one. */
  async updateTypeProblems(
    tx: Transaction,
    row: { environmentId: number; path: string; inputs: string; problems: string },
  ): Promise<boolean> {
    const { changes } = await tx.run(
      `UPDATE functions SET inputs = ?, problems = ?
       WHERE environment_id = ? AND origin = 'workspace' AND path = ? AND problems IS NULL AND definition IS NOT NULL`,
      [row.inputs, row.problems, row.environmentId, row.path],
    );
    return changes > 0;
  }

  /** Returns false when it was so already. */
  async updateEnabled(tx: Transaction, id: number, isEnabled: boolean): Promise<boolean> {
    const value = isEnabled ? 1 : 0;
    const { changes } = await tx.run('UPDATE functions SET is_enabled = ? WHERE id = ? AND is_enabled <> ?', [
      value,
      id,
      value,
    ]);
    return changes > 0;
  }

  async remove(tx: Transaction, id: number): Promise<void> {
    await tx.run('DELETE FROM functions WHERE id = ?', [id]);
  }
}
