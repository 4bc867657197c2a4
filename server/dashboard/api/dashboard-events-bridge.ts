import type { DashboardEvent, DashboardEventName } from '../../contract/dashboard/dashboard-events.ts';
import type { Health } from '../../environments/dashboard-environment.contract.ts';
import type { DeploymentChange } from '../../functions/deployments/deployed-function.ts';
import { viewMessage, viewOperation } from '../../log/log.dashboard.ts';
import type { LogEvents } from '../../log/log-events.ts';
import type { LoggedOperation } from '../../log/logged-entries.ts';
import { viewApprovalChange } from '../../mcp/mcp.dashboard.ts';
import type { Clock, Timer } from '../../platform/lib/clock.ts';
import type { Logger } from '../../platform/lib/logger.ts';
import { viewNotification } from '../notification.dashboard.ts';
import type { DashboardFacts, DashboardFeed } from './dashboard-feed.ts';
import type { EventBroadcaster } from './event-broadcaster.ts';

interface DashboardEventsDeps {
  feed: DashboardFeed;
  broadcaster: EventBroadcaster;
  logs: LiveOperationsDeps;
  listEnvironmentIds(): number[];
  health(): Health;
  clock: Clock;
  logger: Logger;
}

/** Events about records and about health are sent at most once per this interval. */
const PACE_MS = 1000;

/** Turns events of the services into events of the dashboard's stream. Returns a function that stops it. */
export function bridgeDashboardEvents(use: DashboardEventsDeps): () => void {
  const { broadcaster, clock, feed } = use;
  const operations = new LiveOperations(use.logs);
  const paced = new PacedCalls({ clock, intervalMs: PACE_MS });
  const offs = [
    feed.on('operation', (fact) => publishOperation(use, operations, fact)),
    feed.on('message', ({ environmentId, operationId, messages }) => {
      if (!broadcaster.hasListeners(environmentId)) return;
      for (const message of messages)
        broadcaster.publish(environmentId, 'message', { operationId, message: viewMessage(message) });
    }),
    feed.on('connection', ({ environmentId, ...fact }) => broadcaster.publish(environmentId, 'connection', fact)),
    feed.on('sync', ({ environmentId, end: _, ...fact }) => broadcaster.publish(environmentId, 'sync', fact)),
    feed.on('records', ({ environmentId, ...fact }) => {
      const key = JSON.stringify([environmentId, fact]);
      paced.call(key, () => broadcaster.publish(environmentId, 'records', fact));
    }),
    feed.on('function', (change) => publishFunction(broadcaster, change)),
    feed.on('approval', (change) =>
      broadcaster.publish(change.approval.environmentId, 'approval', viewApprovalChange(change)),
    ),
    feed.on('webhook', ({ environmentId, ...fact }) => broadcaster.publish(environmentId, 'webhook', fact)),
    feed.on('key', ({ environmentId, id }) =>
      paced.call(`key ${id}`, () => broadcaster.publish(environmentId, 'key', { id })),
    ),
    feed.on('pairing', ({ pairing }) => broadcaster.publish(pairing.environmentId, 'pairing', { id: pairing.id })),
    feed.on('snapshot', ({ environmentId }) => broadcaster.publish(environmentId, 'snapshot', {})),
    feed.on('drift', ({ environmentId, integrationKey }) =>
      broadcaster.publish(environmentId, 'drift', { integrationKey }),
    ),
    feed.on('destination', ({ environmentId, id }) =>
      paced.call(`destination ${id}`, () => broadcaster.publish(environmentId, 'destination', { id })),
    ),
    feed.on('audit', ({ environmentId }) =>
      paced.call(`audit ${environmentId}`, () => publishTo(use, environmentId, 'audit', {})),
    ),
    feed.on('notification', ({ notification, isNative, hasSound }) =>
      publishTo(use, notification.environmentId || null, 'notification', {
        notification: viewNotification(notification),
        isNative,
        hasSound,
      }),
    ),
    feed.on('environment_removed', ({ environmentId }) => broadcaster.end(environmentId)),
    feed.on('health', () => paced.call('health', () => publishHealth(use))),
  ];
  return () => {
    for (const off of offs) off();
    paced.stop();
  };
}

function publishOperation(
  use: DashboardEventsDeps,
  operations: LiveOperations,
  fact: DashboardFacts['operation'],
): void {
  // Without a listening page the event is dropped: a page reads running operations from the log when it opens.
  if (!use.broadcaster.hasListeners(fact.environmentId)) return;
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

/** Publishes to one environment, or to all when the id is null. */
function publishTo<Name extends DashboardEventName>(
  { broadcaster, listEnvironmentIds }: DashboardEventsDeps,
  environmentId: number | null,
  name: Name,
  event: DashboardEvent<Name>,
): void {
  for (const id of environmentId === null ? listEnvironmentIds() : [environmentId])
    broadcaster.publish(id, name, event);
}

function publishHealth(use: DashboardEventsDeps): void {
  const health = use.health();
  publishTo(use, null, 'health', health);
}

interface LiveOperationsDeps {
  findOperation(environmentId: number, id: string): Promise<LoggedOperation | undefined>;
}

/** Largest number of running operations in memory; further ones are read from the log when they change. */
const MAX_REMEMBERED = 20_000;

/** Completes log events, which hold only the changed fields, to whole operations. */
class LiveOperations {
  readonly #use: LiveOperationsDeps;
  readonly #unfinished = new Map<string, LoggedOperation>();

  constructor(use: LiveOperationsDeps) {
    this.#use = use;
  }

  /**
   * Returns the operation after the change: at once when it is in memory, else from the log; undefined when it was
   * deleted.
   */
  complete({
    id,
    environmentId,
    changed,
  }: LogEvents['operation']): LoggedOperation | Promise<LoggedOperation | undefined> {
    const known = this.#unfinished.get(id) ?? (isWhole(changed) ? changed : undefined);
    if (!known) return this.#use.findOperation(environmentId, id);
    const row = { ...known, ...changed };
    if (row.endedAt !== null || this.#unfinished.size >= MAX_REMEMBERED) this.#unfinished.delete(id);
    else this.#unfinished.set(id, row);
    return row;
  }
}

function isWhole(changed: Partial<LoggedOperation>): changed is LoggedOperation {
  return changed.operation !== undefined;
}

/** Runs calls of one key at most once per interval: the first call at once, the last call of a burst at the end. */
export class PacedCalls {
  readonly #clock: Clock;
  readonly #intervalMs: number;
  readonly #waiting = new Map<string, { timer: Timer; last: (() => void) | undefined }>();

  constructor(options: { clock: Clock; intervalMs: number }) {
    this.#clock = options.clock;
    this.#intervalMs = options.intervalMs;
  }

  call(key: string, work: () => void): void {
    const waiting = this.#waiting.get(key);
    if (waiting) {
      waiting.last = work;
      return;
    }
    work();
    this.#rest(key);
  }

  stop(): void {
    for (const { timer } of this.#waiting.values()) timer.cancel();
    this.#waiting.clear();
  }

  #rest(key: string): void {
    const timer = this.#clock.after(this.#intervalMs, () => {
      const last = this.#waiting.get(key)?.last;
      this.#waiting.delete(key);
      if (last) this.call(key, last);
    });
    this.#waiting.set(key, { timer, last: undefined });
  }
}
