import type { Health } from '../../contract/dashboard/dashboard-environment.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/logger.ts';
import type { DeploymentChange } from '../../services/deployments/deployed-function.ts';
import { viewApprovalChange } from './approval-view.ts';
import type { DashboardFacts, DashboardFeed } from './dashboard-feed.ts';
import type { EventBroadcaster } from './event-broadcaster.ts';
import { LiveOperations, type LiveOperationsUse } from './live-operations.ts';
import { viewMessage, viewOperation } from './log-view.ts';
import { PacedCalls } from './paced-calls.ts';

export interface DashboardEventsUse {
  feed: DashboardFeed;
  broadcaster: EventBroadcaster;
  logs: LiveOperationsUse;
  listEnvironmentIds(): number[];
  clock: Clock;
  logger: Logger;
}

/** Batches of records and changes of health are told at most this often. */
const PACE_MS = 1000;

/** Turns facts of the services into the events of the dashboard's stream, from the start on. Returns how to end it. */
export function bridgeDashboardEvents(use: DashboardEventsUse): () => void {
  const { broadcaster, clock, feed } = use;
  const operations = new LiveOperations(use.logs);
  const paced = new PacedCalls({ clock, intervalMs: PACE_MS });
  const offs = [
    feed.on('operation', (fact) => publishOperation(use, operations, fact)),
    feed.on('message', ({ environmentId, operationId, messages }) => {
      for (const message of messages)
        broadcaster.publish(environmentId, 'message', { operationId, message: viewMessage(message) });
    }),
    feed.on('connection', ({ environmentId, ...fact }) => broadcaster.publish(environmentId, 'connection', fact)),
    feed.on('sync', ({ environmentId, ...fact }) => broadcaster.publish(environmentId, 'sync', fact)),
    feed.on('records', ({ environmentId, ...fact }) => {
      const key = JSON.stringify([environmentId, fact]);
      paced.call(key, () => broadcaster.publish(environmentId, 'records', fact));
    }),
    feed.on('function', (change) => publishFunction(broadcaster, change)),
    feed.on('approval', (change) =>
      broadcaster.publish(change.approval.environmentId, 'approval', viewApprovalChange(change)),
    ),
    feed.on('webhook', ({ environmentId, ...fact }) => broadcaster.publish(environmentId, 'webhook', fact)),
    feed.on('health', (health) => paced.call('health', () => publishHealth(use, health))),
  ];
  return () => {
    for (const off of offs) off();
    paced.stop();
  };
}

function publishOperation(
  use: DashboardEventsUse,
  operations: LiveOperations,
  fact: DashboardFacts['operation'],
): void {
  const publish = (row: Awaited<ReturnType<LiveOperations['complete']>>): void => {
    if (row) use.broadcaster.publish(fact.environmentId, 'operation', viewOperation(row));
  };
  const row = operations.complete(fact);
  if (row instanceof Promise)
    row.then(publish, (error: unknown) => use.logger.warn({ err: error }, 'an operation could not be shown live'));
  else publish(row);
}

function publishFunction(broadcaster: EventBroadcaster, change: DeploymentChange): void {
  const { environmentId, integrationKey, name, type } = change.function;
  const kind =
    change.kind === 'removed' ? 'deleted' : change.kind === 'deployed' && change.isNew ? 'created' : 'updated';
  broadcaster.publish(environmentId, 'function', { integrationKey, type, name, change: kind });
}

function publishHealth(use: DashboardEventsUse, health: Health): void {
  for (const environmentId of use.listEnvironmentIds()) use.broadcaster.publish(environmentId, 'health', health);
}
