import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { StoredConnection } from '../connections/connection.ts';
import type { ConnectionsService } from '../connections/connections.service.ts';
import type { Environment } from '../environments/environment.service.ts';
import type { DeploymentsService } from '../functions/deployments/deployments.service.ts';
import type { RunEvents } from '../functions/runs/runs.service.ts';
import type { OperationLog } from '../log/operation.ts';
import type { Database } from '../platform/database/database.ts';
import type { Clock } from '../platform/lib/clock.ts';
import type { EventSink } from '../platform/lib/event-hub.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { Ids } from '../platform/lib/ids.ts';
import { loadOnce } from '../platform/lib/load-once.ts';
import { modelSchema } from '../platform/lib/model-schema.ts';
import type { RecordsService } from '../records/records.service.ts';
import type { SyncEvents } from '../syncs/sync-events.ts';
import type { NotificationsService } from '../webhooks-out/notifications.service.ts';
import { BrokenFile } from './file-rows.ts';
import type { ImportFormat, ImportResult, RowProblem } from './imports.contract.ts';
import { checkOfModel, type ModelCheck } from './model-check.ts';
import { type ImportBatch, openRecordFile, type RecordFile } from './record-file.ts';

export interface ImportCall {
  environment: Environment;
  connection: StoredConnection;
  /** Path of the file, from `newFile`. */
  path: string;
  format: ImportFormat;
  model: string;
  variant: string;
  isDryRun: boolean;
  sendsWebhook: boolean;
  fromConnection: string | undefined;
  keepsExisting: boolean;
  trigger: 'api' | 'ui';
}

interface Target {
  connectionRowId: number;
  model: string;
  variant: string;
}

/** The sync that declares the model, with its schema. */
interface ModelSource {
  sync: string;
  schema: Record<string, unknown> | undefined;
}

const MOST_PROBLEMS = 100;

export type ImportsService = ReturnType<typeof createImportsService>;

/** Records from files, by the same writer as those of syncs (http-api.md 11.5). */
export function createImportsService({
  database,
  records,
  deployments,
  connections,
  notifications,
  log,
  events,
  clock,
  ids,
  folder,
}: {
  database: Database;
  records: Pick<RecordsService, 'comparison' | 'openRecords'>;
  deployments: Pick<DeploymentsService, 'list'>;
  connections: Pick<ConnectionsService, 'peekByRowId'>;
  notifications: Pick<NotificationsService, 'notifySync'>;
  log: OperationLog;
  events: EventSink<SyncEvents & Pick<RunEvents, 'records'>>;
  clock: Clock;
  ids: Ids;
  /** For files while they are imported. */
  folder: string;
}) {
  /** Removes files that a crash left. */
  const clear = loadOnce(() => rm(folder, { recursive: true, force: true }));

  async function sourceOf({ environment, connection, model }: ImportCall): Promise<ModelSource | undefined> {
    for (const { definition, name } of await deployments.list(environment.id, connection.integrationKey))
      if (definition?.type === 'sync' && definition.output.includes(model))
        return { sync: name, schema: modelSchema(definition.json_schema.definitions, model) };
    return undefined;
  }

  /** Reads every row, and compares with what is stored. Writes nothing. */
  async function check(call: ImportCall, target: Target, source: ModelSource | undefined): Promise<ImportResult> {
    const file = await openFile(call, source?.schema);
    const checkModel = await checkFor(source);
    const result = emptyResult(call, source, file);
    const note = (problem: RowProblem): void => {
      result.invalid += 1;
      if (result.problems.length < MOST_PROBLEMS) result.problems.push(problem);
    };
    const seen = new Map<string, number>();
    try {
      for await (const batch of file.batches()) {
        const problems = [...batch.problems];
        const fitting = batch.saves.filter(({ id, value, at }) => {
          const first = seen.get(id);
          const problem =
            first === undefined ? checkModel?.(value) : { column: 'id', message: `occurs before: row ${first} has it` };
          seen.set(id, first ?? at.row);
          if (problem) problems.push({ ...at, ...problem });
          return problem === undefined;
        });
        for (const problem of problems.sort((a, b) => (a.row ?? 0) - (b.row ?? 0))) note(problem);
        const compared = await records.comparison.compare(target, fitting, batch.saysTheSame);
        const live = await records.comparison.listLive(target, batch.deletes);
        result.rows = batch.rows;
        result.skipped += batch.skipped;
        result.added += compared.added;
        result[call.keepsExisting ? 'kept' : 'updated'] += compared.updated;
        result.unchanged += compared.unchanged + batch.deletes.length - live.length;
        result[call.keepsExisting ? 'kept' : 'deleted'] += live.length;
      }
    } catch (error) {
      if (!(error instanceof BrokenFile)) throw error;
      note({ row: null, line: error.line, column: null, message: error.message });
    }
    return result;
  }

  /** Writes the rows of a checked file, batch by batch. */
  async function write(call: ImportCall, target: Target, source: ModelSource | undefined, checked: ImportResult) {
    const { connection, environment, model } = call;
    const startedAt = clock.now();
    const operation = log.start({
      environmentId: environment.id,
      type: 'records',
      action: 'import',
      message: `Import of ${model} from a file`,
      integrationKey: connection.integrationKey,
      connectionId: connection.connectionId,
      trigger: call.trigger,
      ...(source ? { functionName: source.sync } : {}),
    });
    const session = records.openRecords({
      connectionRowId: connection.id,
      variant: call.variant,
      // No run of a sync: the next one that tracks deletions removes what the provider does not have.
      jobId: 0,
      operationId: operation.id,
      models: [model],
      checkpointKey: 'import',
    });
    const file = await openFile(call, source?.schema);
    const result: ImportResult = {
      ...checked,
      rows: 0,
      added: 0,
      updated: 0,
      deleted: 0,
      unchanged: 0,
      kept: 0,
      skipped: 0,
    };
    try {
      for await (const batch of file.batches()) {
        await writeBatch(batch, target, session, result, call.keepsExisting);
        result.rows = batch.rows;
        result.skipped += batch.skipped;
      }
      await sendWebhook(call, checked.webhook_of, startedAt, result);
    } catch (error) {
      operation.finish('failed', { error: { message: error instanceof Error ? error.message : String(error) } });
      throw interrupted(error, result, checked);
    } finally {
      const { integrationKey, connectionId } = connection;
      events.emit('records', {
        environmentId: environment.id,
        integrationKey,
        connectionId,
        model,
        variant: call.variant,
      });
      if (source)
        events.emit('sync', {
          environmentId: environment.id,
          integrationKey: connection.integrationKey,
          connectionId: connection.connectionId,
          sync: source.sync,
          variant: call.variant,
          end: 'other',
        });
    }
    const { added, updated, deleted, unchanged } = result;
    operation.log({
      level: 'info',
      message: `Records of ${model}: ${added} added, ${updated} updated, ${deleted} deleted, ${unchanged} unchanged`,
      persistResults: { model, added, updated, deleted, unchanged },
    });
    operation.finish('success');
    return result;
  }

  async function writeBatch(
    { saves, deletes, saysTheSame }: ImportBatch,
    target: Target,
    session: ReturnType<RecordsService['openRecords']>,
    result: ImportResult,
    keepsExisting: boolean,
  ): Promise<void> {
    const compared = await records.comparison.compare(target, saves, saysTheSame);
    const wanted = keepsExisting ? compared.records.filter(({ id }) => !compared.changed.has(id)) : compared.records;
    if (wanted.length > 0) {
      const saved = await session.save(target.model, wanted);
      result.added += saved.added;
      result.updated += saved.updated;
      result.unchanged += saved.unchanged;
    }
    const live = await records.comparison.listLive(target, deletes);
    if (keepsExisting) result.kept += live.length + compared.records.length - wanted.length;
    else if (live.length > 0) result.deleted += (await session.remove(target.model, live)).deleted;
    result.unchanged += deletes.length - live.length;
  }

  async function sendWebhook(
    { connection, environment, model, variant }: ImportCall,
    sync: string | null,
    startedAt: number,
    { added, updated, deleted }: ImportResult,
  ): Promise<void> {
    if (sync === null) return;
    const webhookUrlOverride = connections.peekByRowId(connection.id)?.webhookUrlOverride;
    await database.transaction((tx) =>
      notifications.notifySync(
        {
          environmentId: environment.id,
          connectionId: connection.connectionId,
          providerConfigKey: connection.integrationKey,
          providerName: connection.provider,
          syncName: sync,
          syncVariant: variant,
          syncType: 'INCREMENTAL',
          success: true,
          model,
          responseResults: { added, updated, deleted },
          modifiedAfter: startedAt,
          ...(webhookUrlOverride === undefined ? {} : { webhookUrlOverride }),
        },
        tx,
      ),
    );
  }

  return {
    /** A place for a file of an import; the caller removes it. */
    async newFile(): Promise<{ path: string; remove: () => Promise<void> }> {
      await clear();
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const path = join(folder, ids.uuid());
      return { path, remove: () => rm(path, { force: true }) };
    },
    /**
     * Imports a file, or only says what an import would do. Throws `invalid_import` when a row cannot be imported, before
     * anything is stored, and `import_interrupted` when something fails in the middle.
     */
    async run(call: ImportCall): Promise<ImportResult> {
      const { connection, model, variant } = call;
      const target = { connectionRowId: connection.id, model, variant };
      const source = await sourceOf(call);
      if (call.sendsWebhook && !source)
        throw new HomeportError(
          'invalid_query_params',
          `No sync of this integration declares the model "${model}", so there is no webhook to send. Leave send_webhook out.`,
        );
      const checked = await check(call, target, source);
      if (call.isDryRun) return checked;
      if (checked.invalid > 0)
        throw new HomeportError(
          'invalid_import',
          `${checked.invalid} of the rows cannot be imported, so nothing was stored. ${describe(checked.problems[0])}`,
          { payload: checked },
        );
      return write(call, target, source, checked);
    },
  };
}

function openFile({ path, format, fromConnection }: ImportCall, schema: Record<string, unknown> | undefined) {
  return openRecordFile({ path, format, fromConnection, schema });
}

async function checkFor(source: ModelSource | undefined): Promise<ModelCheck | undefined> {
  if (!source?.schema) return undefined;
  try {
    return await checkOfModel(source.schema);
  } catch (error) {
    throw new HomeportError(
      'invalid_import',
      `The schema of the model in the sync ${source.sync} cannot be read: ${error instanceof Error ? error.message : error}`,
    );
  }
}

function emptyResult(call: ImportCall, source: ModelSource | undefined, { types }: RecordFile): ImportResult {
  return {
    model: call.model,
    variant: call.variant,
    format: call.format,
    dry_run: call.isDryRun,
    rows: 0,
    ...{ added: 0, updated: 0, deleted: 0, unchanged: 0, kept: 0, invalid: 0, skipped: 0 },
    problems: [],
    schema_of: source?.schema ? source.sync : null,
    columns: [...types].map(([name, type]) => ({ name, type })),
    webhook_of: call.sendsWebhook && source ? source.sync : null,
  };
}

/** A problem as a sentence: "Line 3, column amount: must be number." */
function describe(problem: RowProblem | undefined): string {
  if (!problem) return '';
  const { row, line, column, message } = problem;
  const place = [line === null ? row !== null && `row ${row}` : `line ${line}`, column !== null && `column ${column}`];
  const where = place.filter((part) => part !== false).join(', ');
  return `${where.charAt(0).toUpperCase()}${where.slice(1)}: ${message.replace(/\.$/, '')}.`;
}

function interrupted(error: unknown, done: ImportResult, { rows }: ImportResult): HomeportError {
  const why = error instanceof Error ? error.message : String(error);
  return new HomeportError(
    'import_interrupted',
    `The import ended after ${done.rows} of ${rows} rows: ${why} Import the same file again: what is stored stays as it is.`,
    { payload: done, cause: error },
  );
}
