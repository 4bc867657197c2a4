import type { Readable, SqlValue, Writable } from '../database/database.ts';

export type FunctionType = 'sync' | 'action' | 'on-event';

/** Who brought a function: a file of the workspace, or a deploy out of a project or from elsewhere. */
export type FunctionOrigin = 'workspace' | 'repo' | 'standalone';

/** Everything about a function but its code. `definition` is null until a version compiled. */
export interface FunctionRow {
  id: number;
  environmentId: number;
  integrationKey: string;
  type: FunctionType;
  name: string;
  origin: FunctionOrigin;
  /** Relative to the workspace, or to the project that was deployed, with forward slashes. */
  path: string;
  version: string | null;
  /** JSON of the parsed definition. */
  definition: string | null;
  bundleHash: string | null;
  /** JSON list of the files that went in, as they were when last compiled. */
  inputs: string;
  /** JSON list of diagnostics of the last attempt; null when it compiled. */
  problems: string | null;
  isEnabled: boolean;
  deployedAt: number | null;
  createdAt: number;
}

export interface FunctionCode {
  bundle: string;
  source: string;
}

interface SqlRow {
  id: number;
  environment_id: number;
  integration_key: string;
  type: FunctionType;
  name: string;
  origin: FunctionOrigin;
  path: string;
  version: string | null;
  definition: string | null;
  bundle_hash: string | null;
  inputs: string;
  problems: string | null;
  is_enabled: number;
  deployed_at: number | null;
  created_at: number;
}

const COLUMNS = `id, environment_id, integration_key, type, name, origin, path, version, definition, bundle_hash, inputs, problems,
  is_enabled, deployed_at, created_at`;

function toFunction(row: SqlRow): FunctionRow {
  return {
    id: row.id,
    environmentId: row.environment_id,
    integrationKey: row.integration_key,
    type: row.type,
    name: row.name,
    origin: row.origin,
    path: row.path,
    version: row.version,
    definition: row.definition,
    bundleHash: row.bundle_hash,
    inputs: row.inputs,
    problems: row.problems,
    isEnabled: row.is_enabled === 1,
    deployedAt: row.deployed_at,
    createdAt: row.created_at,
  };
}

export interface FunctionKey {
  environmentId: number;
  integrationKey: string;
  type: FunctionType;
  name: string;
}

/** A function as lists show it: of its definition only what a row needs, picked where the text is. */
export interface FunctionSummaryRow extends FunctionKey {
  id: number;
  version: string | null;
  description: string | null;
  frequency: string | null;
  /** JSON list of the models that a sync fills. */
  models: string | null;
  problems: string | null;
  isEnabled: number;
  deployedAt: number | null;
  createdAt: number;
}

/** The newest operation of a function; `type` is the operation's. */
export interface LastRunRow {
  type: string;
  integrationKey: string;
  functionName: string;
  operationId: string;
  state: string;
  at: number;
}

export class FunctionsStore {
  async listSummaries(db: Readable, environmentId: number, integrationKey?: string): Promise<FunctionSummaryRow[]> {
    return db.all(
      `SELECT id, environment_id AS environmentId, integration_key AS integrationKey, type, name, version,
         definition ->> 'description' AS description, definition ->> 'runs' AS frequency,
         CASE WHEN type = 'sync' THEN definition -> 'output' END AS models, problems, is_enabled AS isEnabled,
         deployed_at AS deployedAt, created_at AS createdAt
       FROM functions WHERE environment_id = ? AND (? IS NULL OR integration_key = ?) ORDER BY integration_key, name, type`,
      [environmentId, integrationKey ?? null, integrationKey ?? null],
    );
  }

  async countByIntegration(
    db: Readable,
    environmentId: number,
  ): Promise<Array<{ integrationKey: string; total: number; enabled: number }>> {
    return db.all(
      `SELECT integration_key AS integrationKey, COUNT(*) AS total, SUM(is_enabled) AS enabled
       FROM functions WHERE environment_id = ? GROUP BY integration_key`,
      [environmentId],
    );
  }

  /** Answered from the log's index but for the rows that come out. */
  async listLastRuns(db: Readable, environmentId: number): Promise<LastRunRow[]> {
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

  async list(db: Readable, environmentId: number, integrationKey?: string): Promise<FunctionRow[]> {
    const params: SqlValue[] = [environmentId];
    if (integrationKey !== undefined) params.push(integrationKey);
    const rows = await db.all<SqlRow>(
      `SELECT ${COLUMNS} FROM functions WHERE environment_id = ?${integrationKey === undefined ? '' : ' AND integration_key = ?'}
       ORDER BY integration_key, name, type`,
      params,
    );
    return rows.map(toFunction);
  }

  async find(db: Readable, key: FunctionKey): Promise<FunctionRow | undefined> {
    const row = await db.get<SqlRow>(
      `SELECT ${COLUMNS} FROM functions WHERE environment_id = ? AND integration_key = ? AND type = ? AND name = ?`,
      [key.environmentId, key.integrationKey, key.type, key.name],
    );
    return row && toFunction(row);
  }

  async findCode(db: Readable, id: number): Promise<FunctionCode | undefined> {
    return db.get<FunctionCode>('SELECT bundle, source FROM functions WHERE id = ? AND bundle IS NOT NULL', [id]);
  }

  /** Where each function of the workspace stands and what it was compiled from; cheap enough for every start. */
  async listInputs(
    db: Readable,
    environmentId: number,
  ): Promise<Array<FunctionKey & { id: number; path: string; inputs: string }>> {
    return db.all(
      `SELECT id, environment_id AS environmentId, integration_key AS integrationKey, type, name, path, inputs
       FROM functions WHERE environment_id = ? AND origin = 'workspace'`,
      [environmentId],
    );
  }

  async upsertDeployed(
    tx: Writable,
    row: FunctionKey & {
      origin: FunctionOrigin;
      path: string;
      version: string;
      definition: string;
      bundleHash: string;
      inputs: string;
      code: FunctionCode;
      now: number;
    },
  ): Promise<void> {
    await tx.run(
      `INSERT INTO functions (environment_id, integration_key, type, name, origin, path, version, definition, source, bundle,
         bundle_hash, inputs, problems, is_enabled, deployed_at, created_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, 1, ?, ?)
       ON CONFLICT (environment_id, integration_key, type, name) DO UPDATE SET origin = excluded.origin, path = excluded.path, version = excluded.version,
         definition = excluded.definition, source = excluded.source, bundle = excluded.bundle, bundle_hash = excluded.bundle_hash,
         inputs = excluded.inputs, problems = NULL, deployed_at = excluded.deployed_at`,
      [
        row.environmentId,
        row.integrationKey,
        row.type,
        row.name,
        row.origin,
        row.path,
        row.version,
        row.definition,
        row.code.source,
        row.code.bundle,
        row.bundleHash,
        row.inputs,
        row.now,
        row.now,
      ],
    );
  }

  /** Notes why the file of the workspace does not compile; the last good version stays. */
  async upsertProblems(
    tx: Writable,
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

  /** The file was compiled again to the version that is already live. */
  async updateInputs(tx: Writable, id: number, inputs: string): Promise<void> {
    await tx.run('UPDATE functions SET inputs = ?, problems = NULL WHERE id = ?', [inputs, id]);
  }

  async updateEnabled(tx: Writable, id: number, isEnabled: boolean): Promise<void> {
    await tx.run('UPDATE functions SET is_enabled = ? WHERE id = ?', [isEnabled ? 1 : 0, id]);
  }

  async remove(tx: Writable, id: number): Promise<void> {
    await tx.run('DELETE FROM functions WHERE id = ?', [id]);
  }
}
