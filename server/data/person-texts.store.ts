import type { ReadHandle, Transaction } from '../platform/database/database.ts';

/** SQL about one table whose rows may name a person. */
interface PersonTable {
  from: string;
  /** Columns of the primary key, which order the rows. */
  keys: readonly string[];
  /** The key by which the sealed columns are sealed. */
  id: string;
  columns: readonly string[];
  environment: string;
  integration: string;
  /** JSON array. */
  connections: string;
  endUser: string;
  at: string;
  /** The row is written again by what is in progress. */
  isOpen: string;
  /** Rows read at once: few, where they are large. */
  slice: number;
}

const OF_OPERATION = {
  environment: 'o.environment_id',
  integration: 'o.integration_key',
  connections: 'json_array(o.connection_id)',
  endUser: 'o.end_user_id',
} as const;

const OF_DELIVERY = {
  environment: 'd.environment_id',
  integration: 'd.integration_key',
  connections: 'json_array(d.connection_id)',
  endUser: 'NULL',
  at: 'd.created_at',
  isOpen: "d.state = 'waiting'",
} as const;

/** CROSS JOIN: in the order of the first table. */
const TABLES = {
  log_operations: {
    ...OF_OPERATION,
    from: 'log_operations AS o',
    keys: ['o.seq'],
    id: 'o.id',
    columns: ['message', 'actor', 'end_user_id', 'end_user_name', 'error', 'details'],
    at: 'o.created_at',
    isOpen: "o.state IN ('waiting', 'running')",
    slice: 200,
  },
  log_messages: {
    ...OF_OPERATION,
    from: 'log_messages AS m CROSS JOIN log_operations AS o ON o.seq = m.id >> 20',
    keys: ['m.id'],
    id: 'm.id',
    columns: ['message', 'details'],
    at: 'm.created_at',
    isOpen: 'FALSE',
    slice: 200,
  },
  traffic_recordings: {
    ...OF_OPERATION,
    from: 'traffic_recordings AS t CROSS JOIN log_operations AS o ON o.seq = t.operation_seq',
    keys: ['t.seq'],
    id: 't.id',
    columns: ['request', 'response'],
    at: 'o.created_at',
    isOpen: 'FALSE',
    slice: 20,
  },
  webhook_deliveries: {
    ...OF_DELIVERY,
    from: 'webhook_deliveries AS d',
    keys: ['d.seq'],
    id: 'd.id',
    columns: ['message', 'content'],
    slice: 50,
  },
  webhook_attempts: {
    ...OF_DELIVERY,
    from: 'webhook_attempts AS a CROSS JOIN webhook_deliveries AS d ON d.seq = a.delivery_seq',
    keys: ['a.delivery_seq', 'a.destination', 'a.attempt'],
    id: 'd.id',
    columns: ['response'],
    slice: 50,
  },
  incoming_webhooks: {
    from: 'incoming_webhooks AS w',
    keys: ['w.seq'],
    id: 'w.id',
    columns: ['path', 'message', 'request', 'body'],
    environment: 'w.environment_id',
    integration: 'w.integration_key',
    connections: 'w.connection_ids',
    endUser: 'NULL',
    at: 'w.received_at',
    // The payload of a run is removed with its end.
    isOpen: 'EXISTS (SELECT 1 FROM webhook_runs AS r WHERE r.webhook_id = w.id AND r.ended_at IS NULL)',
    slice: 20,
  },
  action_calls: {
    from: 'action_calls AS c',
    keys: ['c.id'],
    id: 'c.id',
    columns: ['request', 'response'],
    environment: 'c.environment_id',
    integration: 'NULL',
    connections: "'[]'",
    endUser: 'NULL',
    at: 'c.created_at',
    isOpen: 'c.response IS NULL',
    slice: 50,
  },
  sync_jobs: {
    from: 'sync_jobs AS j CROSS JOIN syncs AS s ON s.row_id = j.sync_row_id CROSS JOIN integrations AS i ON i.id = s.integration_id',
    keys: ['j.id'],
    id: 'j.id',
    columns: ['error'],
    environment: 's.environment_id',
    integration: 'i.unique_key',
    connections: 'json_array(s.connection_id)',
    endUser: 'NULL',
    at: 'j.created_at',
    isOpen: "j.status = 'RUNNING'",
    slice: 500,
  },
  audit_entries: {
    from: 'audit_entries AS e',
    keys: ['e.seq'],
    id: 'e.seq',
    columns: ['subject'],
    environment: 'e.environment_id',
    integration: 'e.integration_key',
    connections: 'json_array(e.connection_id)',
    endUser: 'NULL',
    at: 'e.at',
    isOpen: 'FALSE',
    slice: 500,
  },
  notifications: {
    from: 'notifications AS n',
    keys: ['n.id'],
    id: 'n.id',
    columns: ['cause', 'title', 'text', 'link'],
    environment: 'n.environment_id',
    integration: 'NULL',
    connections: "'[]'",
    endUser: 'NULL',
    at: 'n.at',
    isOpen: 'FALSE',
    slice: 500,
  },
  playground_inputs: {
    from: 'playground_inputs AS p CROSS JOIN integrations AS i ON i.id = p.integration_id',
    keys: ['p.seq'],
    id: 'p.id',
    columns: ['request'],
    environment: 'i.environment_id',
    integration: 'NULL',
    connections: "'[]'",
    endUser: 'NULL',
    at: 'p.saved_at',
    isOpen: 'FALSE',
    slice: 50,
  },
  /** Those of the person's own connection are removed with it. */
  playground_runs: {
    from: 'playground_runs AS p',
    keys: ['p.seq'],
    id: 'p.id',
    columns: ['run'],
    environment: 'p.environment_id',
    integration: 'NULL',
    connections: "'[]'",
    endUser: 'NULL',
    at: 'p.ended_at',
    isOpen: 'FALSE',
    slice: 10,
  },
} as const satisfies Record<string, PersonTable>;

export type PersonTableName = keyof typeof TABLES;

export const PERSON_TABLES = Object.keys(TABLES) as PersonTableName[];

export type PersonValue = string | Buffer | null;

/** A row that may name a person, with whom and what it is about. */
export interface PersonRow {
  key: Array<string | number>;
  id: string;
  integrationKey: string | null;
  connectionIds: Array<string | null>;
  endUserId: string | null;
  at: number;
  /** In the order of `textColumnsOf`. */
  values: PersonValue[];
}

type SqlRow = Record<string, PersonValue | number>;

/** A link for a person waits without a program that works on it. */
const IS_LINK = "o.state = 'waiting' AND o.expires_at IS NOT NULL";
/** Tables with work in progress that may write a person's name later. */
const IN_PROGRESS = {
  log_operations: `o.state IN ('waiting', 'running') AND NOT (${IS_LINK})`,
  webhook_deliveries: TABLES.webhook_deliveries.isOpen,
  incoming_webhooks: TABLES.incoming_webhooks.isOpen,
  action_calls: TABLES.action_calls.isOpen,
  sync_jobs: TABLES.sync_jobs.isOpen,
} as const;

export function textColumnsOf(table: PersonTableName): readonly string[] {
  return TABLES[table].columns;
}

/** Texts that may name a person, in every table that has such texts. */
export class PersonTextsStore {
  /** The next rows after a key, without those that are in progress; fewer than a slice means the end. */
  async list(
    db: ReadHandle,
    table: PersonTableName,
    { environmentId, after }: { environmentId: number; after: PersonRow['key'] | undefined },
  ): Promise<{ rows: PersonRow[]; isLast: boolean }> {
    const of: PersonTable = TABLES[table];
    const keys = of.keys.join(', ');
    const found = await db.all<SqlRow>(
      `SELECT ${of.keys.map((key, index) => `${key} AS k${index}`).join(', ')}, ${of.id} AS id,
         ${of.integration} AS integrationKey, ${of.connections} AS connectionIds, ${of.endUser} AS endUserId, ${of.at} AS at,
         ${of.columns.map((column, index) => `${aliasOf(of)}.${column} AS c${index}`).join(', ')}
       FROM ${of.from} WHERE ${of.environment} = ? AND NOT (${of.isOpen})
       ${after ? `AND (${keys}) > (${after.map(() => '?').join(', ')})` : ''} ORDER BY ${keys} LIMIT ${of.slice}`,
      [environmentId, ...(after ?? [])],
    );
    const rows = found.map((row) => ({
      key: of.keys.map((_, index) => row[`k${index}`] as string | number),
      id: String(row['id']),
      integrationKey: row['integrationKey'] as string | null,
      connectionIds: JSON.parse(row['connectionIds'] as string) as Array<string | null>,
      endUserId: row['endUserId'] as string | null,
      at: row['at'] as number,
      values: of.columns.map((_, index) => row[`c${index}`] as PersonValue),
    }));
    return { rows, isLast: rows.length < of.slice };
  }

  /** A notification whose cause becomes that of another one takes its place. */
  async update(
    tx: Transaction,
    table: PersonTableName,
    { key, values }: Pick<PersonRow, 'key' | 'values'>,
  ): Promise<void> {
    const of: PersonTable = TABLES[table];
    const columnOf = (name: string): string => name.slice(name.indexOf('.') + 1);
    await tx.run(
      `UPDATE OR REPLACE ${table} SET ${of.columns.map((column) => `${column} = ?`).join(', ')}
       WHERE ${of.keys.map((name) => `${columnOf(name)} = ?`).join(' AND ')}`,
      [...values, ...key],
    );
  }

  /** Clears errors of runs whose sync is gone, up to `limit`; nothing shows them. Resolves to the number cleared. */
  async clearErrorsOfGoneSyncs(tx: Transaction, limit: number): Promise<number> {
    const { changes } = await tx.run(
      `UPDATE sync_jobs SET error = NULL WHERE id IN (SELECT j.id FROM sync_jobs AS j WHERE j.error IS NOT NULL
         AND NOT EXISTS (SELECT 1 FROM syncs AS s WHERE s.row_id = j.sync_row_id) LIMIT ?)`,
      [limit],
    );
    return changes;
  }

  /** Whether something that began before then is in progress. */
  async isInProgress(db: ReadHandle, environmentId: number, before: number): Promise<boolean> {
    for (const [table, isOpen] of Object.entries(IN_PROGRESS)) {
      const of: PersonTable = TABLES[table as keyof typeof IN_PROGRESS];
      const row = await db.get(
        `SELECT 1 FROM ${of.from} WHERE ${of.environment} = ? AND ${of.at} <= ? AND (${isOpen}) LIMIT 1`,
        [environmentId, before],
      );
      if (row) return true;
    }
    return false;
  }

  /** Operations that have not ended, of these. */
  async listUnfinished(db: ReadHandle, operationIds: readonly string[]): Promise<Set<string>> {
    const rows = await db.all<{ id: string }>(
      "SELECT id FROM log_operations WHERE id IN (SELECT value FROM json_each(?)) AND state IN ('waiting', 'running')",
      [JSON.stringify(operationIds)],
    );
    return new Set(rows.map(({ id }) => id));
  }

  /**
   * Rewrites a part of the full-text index, in which removed words stay until their part is merged. `isFirst` begins to
   * merge everything; resolves to whether there is more to do.
   */
  async mergeSearch(
    tx: Transaction,
    table: 'log_operations_search' | 'log_messages_search',
    isFirst: boolean,
  ): Promise<boolean> {
    const total = async (): Promise<number> => (await tx.get<{ n: number }>('SELECT total_changes() AS n'))?.n ?? 0;
    const before = await total();
    await tx.run(`INSERT INTO ${table} (${table}, rank) VALUES ('merge', ?)`, [isFirst ? -MERGED_PAGES : MERGED_PAGES]);
    // SQLite counts the command itself as one change.
    return (await total()) - before >= 2;
  }
}

/** Pages that one step of merging writes: other writers wait for one step only. */
const MERGED_PAGES = 250;

function aliasOf({ keys }: PersonTable): string {
  const [key = ''] = keys;
  return key.slice(0, key.indexOf('.'));
}
