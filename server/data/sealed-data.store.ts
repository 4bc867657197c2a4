import type { ReadHandle, Transaction } from '../platform/database/database.ts';

/** Number of rows that a data folder holds unsealed. */
export interface ReadableCounts {
  environments: number;
  integrations: number;
  connections: number;
  functions: number;
}

/** Number of rows that a data folder holds sealed with its key. */
export interface SealedCounts {
  appCredentials: number;
  connectionCredentials: number;
  records: number;
  apiKeys: number;
  variables: number;
  signingKeys: number;
  /** Environments with sealed headers for a trace collector. */
  otlpHeaders: number;
  /** Environments with a token for the address of questions. */
  approvalsTokens: number;
  /** Further destinations of outgoing webhooks; the primary and secondary addresses are not sealed. */
  webhookDestinations: number;
  /** Where records go on their own, with connections and tokens. */
  recordDestinations: number;
  /** Webhooks of providers, kept for viewing and repeating. */
  webhooks: number;
  /** Deliveries to the addresses of apps. */
  deliveries: number;
  /** Asynchronous actions with their responses. */
  actions: number;
  /** Inputs of the playground, saved under a name. */
  playgroundInputs: number;
  /** Ended runs of the playground. */
  playgroundRuns: number;
  /** Recorded bodies of requests to providers. */
  trafficRecordings: number;
  /** Dashboard sessions, connect sessions and authorizations in progress. */
  sessions: number;
  /** Decisions about MCP clients. They are not sealed, and are removed with the API keys that they belong to. */
  mcpDecisions: number;
}

/** Tables whose rows are useless without the key, in an order that foreign keys allow. */
const SEALED_TABLES = [
  'webhook_attempts',
  'webhook_deliveries',
  'webhook_destinations',
  'record_destinations',
  'webhook_runs',
  'incoming_webhooks',
  'action_calls',
  'records',
  'record_versions',
  'record_payloads',
  'record_streams',
  'agent_sessions',
  'connect_sessions',
  'oauth_states',
  'dashboard_sessions',
  'environment_variables',
  'api_keys',
  'integration_changes',
  'playground_inputs',
  'playground_runs',
  'traffic_recordings',
  // The progress of a sync: without its records it starts again.
  'checkpoints',
  // Queued jobs refer to rows of the tables above; schedules create their jobs again.
  'jobs',
  'job_reports',
] as const;

/** Everything that the data key seals, in all tables: for a data folder whose key is lost. */
export class SealedDataStore {
  async countReadable(db: ReadHandle): Promise<ReadableCounts> {
    const live = 'environment_id NOT IN (SELECT id FROM deleted_environments)';
    return (await db.get<ReadableCounts>(
      `SELECT
         (SELECT count(*) FROM environments WHERE id NOT IN (SELECT id FROM deleted_environments)) AS environments,
         (SELECT count(*) FROM integrations WHERE deleted_at IS NULL AND ${live}) AS integrations,
         (SELECT count(*) FROM connections WHERE deleted_at IS NULL AND ${live}) AS connections,
         (SELECT count(*) FROM functions WHERE ${live}) AS functions`,
    )) as ReadableCounts;
  }

  async countSealed(db: ReadHandle): Promise<SealedCounts> {
    return (await db.get<SealedCounts>(
      `SELECT
         (SELECT count(*) FROM integrations WHERE credentials IS NOT NULL OR custom IS NOT NULL) AS appCredentials,
         (SELECT count(*) FROM connections WHERE credentials <> '' AND credentials_type IS NOT NULL) AS connectionCredentials,
         (SELECT count(*) FROM records WHERE deleted_at IS NULL) AS records,
         (SELECT count(*) FROM api_keys) AS apiKeys,
         (SELECT count(*) FROM environment_variables) AS variables,
         (SELECT count(*) FROM environments WHERE webhook_signing_key <> '') AS signingKeys,
         (SELECT count(*) FROM environments WHERE otlp_headers <> '') AS otlpHeaders,
         (SELECT count(*) FROM environments WHERE approvals_token <> '') AS approvalsTokens,
         (SELECT count(*) FROM webhook_destinations) AS webhookDestinations,
         (SELECT count(*) FROM record_destinations) AS recordDestinations,
         (SELECT count(*) FROM incoming_webhooks) AS webhooks,
         (SELECT count(*) FROM webhook_deliveries) AS deliveries,
         (SELECT count(*) FROM action_calls) AS actions,
         (SELECT count(*) FROM playground_inputs) AS playgroundInputs,
         (SELECT count(*) FROM playground_runs) AS playgroundRuns,
         (SELECT count(*) FROM traffic_recordings) AS trafficRecordings,
         (SELECT count(*) FROM dashboard_sessions) + (SELECT count(*) FROM connect_sessions)
           + (SELECT count(*) FROM oauth_states) AS sessions,
         (SELECT count(*) FROM mcp_decisions) AS mcpDecisions`,
    )) as SealedCounts;
  }

  /** Removes everything sealed; rows that also have a readable part keep that part. */
  async remove(tx: Transaction): Promise<void> {
    for (const table of SEALED_TABLES) await tx.run(`DELETE FROM ${table}`);
    await tx.run('UPDATE schedules SET live_job_id = NULL');
    await tx.run('UPDATE syncs SET last_sync_date = NULL');
    await tx.run(
      "UPDATE environments SET webhook_signing_key = '', previous_signing_key = '', otlp_headers = '', approvals_token = ''",
    );
    await tx.run('UPDATE integrations SET credentials = NULL, custom = NULL');
    await tx.run(
      "UPDATE connections SET credentials = '', credentials_expire_at = NULL, credentials_end_at = NULL, sealed_config = NULL WHERE credentials <> ''",
    );
  }

  /** Marks the connections of an environment whose credentials are lost; `logId` is the operation that explains it. */
  async markWithoutCredentials(
    tx: Transaction,
    { environmentId, logId, now }: { environmentId: number; logId: string; now: number },
  ): Promise<void> {
    const lost = "environment_id = ?1 AND deleted_at IS NULL AND credentials = '' AND credentials_type IS NOT NULL";
    await tx.run(
      `UPDATE connections SET last_refresh_success_at = NULL, last_refresh_failure_at = ?2, is_refresh_exhausted = 1
       WHERE ${lost}`,
      [environmentId, now],
    );
    await tx.run(
      `INSERT INTO connection_errors (connection_row_id, type, source, log_id, created_at)
       SELECT id, 'auth', '', ?3, ?2 FROM connections WHERE ${lost}
       ON CONFLICT (connection_row_id, type, source) DO UPDATE SET log_id = excluded.log_id, created_at = excluded.created_at`,
      [environmentId, now, logId],
    );
  }
}
