import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Database } from '../../../server/platform/database/database.ts';
import { silentLogger } from '../../../server/platform/lib/logger.ts';
import {
  createRecordHasher,
  createRecordSealer,
  createRecordsService,
  type RecordRetention,
  type RecordSession,
  type RecordsService,
} from '../../../server/records/records.service.ts';
import { MIGRATIONS } from '../../../server/schema/migration-list.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { createTempHome } from '../../support/temp-home.ts';
import { trueTime } from '../../support/true-time.ts';

export interface ReadRecord {
  id: string;
  [field: string]: unknown;
  _nango_metadata: {
    first_seen_at: string;
    last_modified_at: string;
    last_action: 'ADDED' | 'UPDATED' | 'DELETED';
    deleted_at: string | null;
    pruned_at: string | null;
    cursor: string;
  };
}

/** A record as a function sends it. */
export const record = (id: string, fields: object = {}) => ({ id, json: JSON.stringify({ id, ...fields }) });

/** The records service over a real database file. */
export class RecordsFixture {
  readonly clock = new FakeClock();
  readonly home: Awaited<ReturnType<typeof createTempHome>>;
  readonly database: Database;
  readonly service: RecordsService;
  /** Opens sealed records. */
  readonly sealingKey: KeyObject;
  retention: RecordRetention = { pruneAfterDays: null, deleteAfterDays: null };
  #lastJobId = 0;

  private constructor(home: Awaited<ReturnType<typeof createTempHome>>, database: Database) {
    this.home = home;
    this.database = database;
    const key = randomBytes(32);
    const sealingKey = createSecretKey(key);
    this.sealingKey = sealingKey;
    const sealer = createRecordSealer({ key: () => sealingKey, random: randomBytes });
    this.service = createRecordsService({
      seenTime: trueTime,
      database,
      clock: this.clock,
      logger: silentLogger,
      sealer,
      hashOf: createRecordHasher(key),
      environments: { recordRetention: () => this.retention },
    });
  }

  static async open(): Promise<RecordsFixture> {
    const home = await createTempHome();
    const database = await Database.open({ file: databaseIn(home) });
    for (const sql of MIGRATIONS.flatMap(({ statements }) => statements)) await database.maintenance(sql);
    return new RecordsFixture(home, database);
  }

  /** Path of the database file. */
  get file(): string {
    return databaseIn(this.home);
  }

  /** A new run of the sync of connection 1; later runs have larger job ids. */
  run(part: { variant?: string; jobId?: number; connectionRowId?: number } = {}): RecordSession {
    this.#lastJobId = part.jobId ?? this.#lastJobId + 1;
    const { variant = 'base', connectionRowId = 1 } = part;
    return this.service.openRecords({
      connectionRowId,
      variant,
      jobId: this.#lastJobId,
      models: ['Contact', 'Deal'],
      checkpointKey: `sync:contacts:${variant}`,
      operationId: `op-${this.#lastJobId}`,
    });
  }

  /** Connections 1 to `count`, of integration 1, in the tables. */
  async addConnections(count = 1): Promise<void> {
    await this.database.transaction(async (tx) => {
      await tx.run(
        `INSERT INTO environments (id, uuid, name, settings, webhook_signing_key, created_at, updated_at)
         VALUES (1, 'u', 'dev', '{}', 'k', 0, 0)`,
      );
      await tx.run(
        `INSERT INTO integrations (id, environment_id, unique_key, provider, forward_webhooks, created_at, updated_at)
         VALUES (1, 1, 'acme', 'acme', 0, 0, 0)`,
      );
      await tx.run(
        `INSERT INTO connections (id, environment_id, integration_id, connection_id, credentials, connection_config, tags,
           refresh_attempts, is_refresh_exhausted, created_at, updated_at)
         SELECT value, 1, 1, 'c' || value, '{}', '{}', '{}', 0, 0, 0, 0 FROM json_each(?)`,
        [JSON.stringify(Array.from({ length: count }, (_, index) => index + 1))],
      );
    });
  }

  async rowsOf(table: string): Promise<number> {
    return (await this.database.reader.get<{ n: number }>(`SELECT count(*) AS n FROM ${table}`))?.n ?? -1;
  }

  async page(
    query: Partial<Parameters<RecordsService['list']>[0]> = {},
  ): Promise<{ records: ReadRecord[]; nextCursor: string | null }> {
    const page = await this.service.list({ connectionRowId: 1, model: 'Contact', limit: 1000, ...query });
    return { records: page.records.map(({ json }) => JSON.parse(json) as ReadRecord), nextCursor: page.nextCursor };
  }

  async read(query: Partial<Parameters<RecordsService['list']>[0]> = {}): Promise<ReadRecord[]> {
    return (await this.page(query)).records;
  }

  async count(variant = 'base'): Promise<number> {
    const counts = await this.service.countByModel([1]);
    return counts.get(1)?.[variant === 'base' ? 'Contact' : `Contact::${variant}`] ?? 0;
  }

  async close(): Promise<void> {
    await this.service.stop();
    await this.database.close();
    await this.home.remove();
  }
}

const databaseIn = (home: { path: string }): string => join(home.path, 'records.db');
