import type { Operation, OperationLog } from '../log/operation.ts';
import type { Database, Transaction } from '../platform/database/database.ts';
import type { Clock } from '../platform/lib/clock.ts';
import type { EventSink } from '../platform/lib/event-hub.ts';
import type { Ids } from '../platform/lib/ids.ts';
import type { UnfinishedReason } from '../platform/scheduler/job-kind.ts';
import type { Scheduler } from '../platform/scheduler/scheduler.ts';
import type { Vault } from '../platform/vault/vault.ts';
import type { SyncsService } from '../syncs/syncs.service.ts';
import { type WebhookRunRow, type WebhookRunState, WebhookRunsStore } from './incoming-webhooks.store.ts';

/** Kind of the job that runs one handler. */
export const RUN_WEBHOOK = 'run-webhook';

/** The sealed content of a run until it has ended. */
export interface WebhookRunContent {
  integrationId: number;
  integrationKey: string;
  provider: string;
  connectionRowId: number;
  /** JSON text of the payload. */
  input: string;
}

export interface NewWebhookRun extends WebhookRunContent {
  webhookId: string;
  environmentId: number;
  functionName: string;
  connectionId: string;
}

export interface IncomingEvents {
  /** A webhook was stored, or one of its runs started or ended. */
  webhook: { environmentId: number; direction: 'incoming' | 'outgoing'; id: string };
}

const LOST: Record<UnfinishedReason, string> = {
  expired: 'The handler could not be started within five minutes. The webhook can be repeated from the dashboard.',
  interrupted:
    'Homeport was closed, or its vault locked, during the run. The webhook can be repeated from the dashboard.',
  failed: 'Homeport could not store the result of the run. The webhook can be repeated from the dashboard.',
};

/** Runs of `onWebhook`: queued together with the webhook that causes them, and not repeated (webhooks.md 2.3). */
export function createWebhookRuns({
  clock,
  ids,
  scheduler,
  vault,
  database,
  syncs,
  log,
  events,
}: {
  database: Database;
  vault: Vault;
  clock: Clock;
  ids: Ids;
  scheduler: Pick<Scheduler, 'enqueue'>;
  syncs: Pick<SyncsService, 'findBaseSync' | 'runWebhook' | 'reportLostWebhook'>;
  log: OperationLog;
  /** Emitted when a run starts or ends. */
  events: EventSink<IncomingEvents>;
}) {
  const runs = new WebhookRunsStore();

  async function end(row: WebhookRunRow, state: WebhookRunState, operationId: string | null): Promise<void> {
    await database.transaction((tx) => runs.setEnded(tx, row.id, { state, operationId, endedAt: clock.now() }));
    emit(row);
  }

  function startOperation(row: WebhookRunRow, { integrationKey, provider }: WebhookRunContent): Operation {
    return log.start({
      environmentId: row.environmentId,
      type: 'webhook',
      action: 'incoming',
      message: `Webhook of ${provider} to ${row.functionName}`,
      integrationKey,
      providerName: provider,
      connectionId: row.connectionId,
      functionName: row.functionName,
      trigger: 'webhook',
      meta: { webhookId: row.webhookId },
    });
  }

  /** Undefined when the run has ended. */
  function open(row: WebhookRunRow): WebhookRunContent | undefined {
    if (row.content === null) return undefined;
    return vault.openJson<WebhookRunContent>(row.content, sealContext(row.id));
  }

  function emit({ environmentId, webhookId }: Pick<WebhookRunRow, 'environmentId' | 'webhookId'>): void {
    events.emit('webhook', { environmentId, direction: 'incoming', id: webhookId });
  }

  return {
    async enqueue(tx: Transaction, fresh: NewWebhookRun): Promise<void> {
      const { webhookId, environmentId, functionName, connectionId, ...content } = fresh;
      const id = ids.uuid();
      const sealed = vault.sealJson(content, sealContext(id));
      const createdAt = clock.now();
      await runs.insert(tx, {
        id,
        webhookId,
        environmentId,
        functionName,
        connectionId,
        content: sealed,
        createdAt,
      });
      await scheduler.enqueue(tx, { kind: RUN_WEBHOOK, payload: { runId: id } });
    },
    /** Runs a handler; its result is stored, logged and sent to the caller's app. */
    async run(runId: string, signal: AbortSignal): Promise<void> {
      const row = await runs.find(database.reader, runId);
      const content = row && open(row);
      if (!row || !content) return;
      const operation = startOperation(row, content);
      await database.transaction((tx) => runs.setRunning(tx, row.id, operation.id));
      emit(row);
      let hasSucceeded = false;
      try {
        const { connectionRowId, input, integrationId } = content;
        const sync = await syncs.findBaseSync({ integrationId, connectionRowId, name: row.functionName });
        if (sync === undefined) operation.finish('failed', { error: missingSync(row) });
        else hasSucceeded = await syncs.runWebhook({ syncId: sync, input, operation }, signal);
      } finally {
        operation.finish('failed', {
          error: { message: 'The hub could not run the handler; its log has the details.' },
        });
        await end(row, hasSucceeded ? 'success' : 'failed', null);
      }
    },
    /** Ends a run that did not start in time, or was interrupted. Runs are not repeated. */
    async giveUp(runId: string, reason: UnfinishedReason): Promise<void> {
      const row = await runs.find(database.reader, runId);
      const content = row && open(row);
      if (!row || !content) return;
      const message = LOST[reason];
      let operationId: string | null = null;
      // A run with an operation was already ended at the start of the program.
      if (row.operationId === null) {
        const operation = startOperation(row, content);
        operation.finish('timeout', { error: { message } });
        operationId = operation.id;
      }
      const { connectionRowId, integrationId } = content;
      const sync = await syncs.findBaseSync({ integrationId, connectionRowId, name: row.functionName });
      if (sync !== undefined) await syncs.reportLostWebhook(sync, { message });
      await end(row, reason === 'expired' ? 'expired' : 'failed', operationId);
    },
  };
}

function missingSync({ functionName, connectionId }: WebhookRunRow): { message: string } {
  return {
    message: `The connection "${connectionId}" has no sync "${functionName}": it was removed or switched off. Deploy or enable it, then repeat the webhook.`,
  };
}

function sealContext(runId: string): string {
  return `webhook-run:${runId}`;
}
