import { overwriteRemoved } from '../data/overwrite-removed.store.ts';
import type { EnvironmentPart } from '../environments/dashboard-environment.contract.ts';
import { DeletedEnvironmentsStore, ROWS_OF_ENVIRONMENTS } from '../environments/deleted-environments.store.ts';
import type { Environment, EnvironmentService } from '../environments/environment.service.ts';
import type { SettingsChanges } from '../environments/environment-settings.ts';
import type { RunsService } from '../functions/runs/runs.service.ts';
import type { IntegrationsService } from '../integrations/integrations.service.ts';
import type { LogsService } from '../log/logs.service.ts';
import type { Database, Transaction } from '../platform/database/database.ts';
import { detached } from '../platform/lib/detached.ts';
import type { EventSink } from '../platform/lib/event-hub.ts';
import type { Logger } from '../platform/lib/logger.ts';
import type { NotificationsService } from '../webhooks-out/notifications.service.ts';
import type { FunctionSyncs } from './function-syncs.ts';

export type EnvironmentCopies = ReturnType<typeof createEnvironmentCopies>;

/** Creates environments as copies of another one. */
export function createEnvironmentCopies({
  environments,
  integrations,
  notifications,
  removal,
}: {
  environments: Pick<EnvironmentService, 'approvalsToken' | 'create' | 'listVariables' | 'otlpHeaders'>;
  integrations: Pick<IntegrationsService, 'copy'>;
  notifications: { destinations: Pick<NotificationsService['destinations'], 'copyAll'> };
  removal: { remove(id: number): Promise<void> };
}) {
  return {
    /** Creates an environment with its own key and the chosen parts of `source`: all of them or, when one fails, none. */
    async copy(source: Environment, name: string, parts: readonly EnvironmentPart[]): Promise<Environment> {
      const variables = parts.includes('variables') ? await environments.listVariables(source.id) : [];
      const otlpHeaders = parts.includes('settings') ? await environments.otlpHeaders.list(source.id) : [];
      const approvalsToken = parts.includes('settings') ? await environments.approvalsToken.find(source.id) : undefined;
      const sealed = { variables, otlpHeaders, approvalsToken };
      const copy = await environments.create(name, settingsOf(source, parts), sealed);
      try {
        if (parts.includes('webhooks')) await notifications.destinations.copyAll(source.id, copy.id);
        if (parts.includes('integrations')) await integrations.copy(source.id, copy.id);
        return copy;
      } catch (error) {
        await removal.remove(copy.id);
        throw error;
      }
    },
  };
}

/**
 * The public address belongs to the hub and stays with the environment that set it; colour and position belong to its
 * name.
 */
function settingsOf({ settings }: Environment, parts: readonly EnvironmentPart[]): SettingsChanges {
  const { colour: _colour, isProduction: _isProduction, position: _position, publicUrl: _publicUrl, ...own } = settings;
  const { connectUi, webhook, ...rest } = own;
  return {
    ...(parts.includes('settings') ? rest : {}),
    ...(parts.includes('webhooks') ? { webhook } : {}),
    ...(parts.includes('connect_ui') ? { connectUi } : {}),
  };
}

export interface EnvironmentEvents {
  environment_removed: { environmentId: number };
}

/** Resolves to true when there may be more to do. */
type Step = (tx: Transaction) => Promise<boolean>;

/** Rows removed per transaction: other writers wait for one slice only. */
const SLICE = 50;
const JOBS_SLICE = 1000;
const TABLES = Object.keys(ROWS_OF_ENVIRONMENTS) as Array<keyof typeof ROWS_OF_ENVIRONMENTS>;

export type EnvironmentRemoval = ReturnType<typeof createEnvironmentRemoval>;

/**
 * Deletes environments. A deleted one is unreachable at once; its contents are removed in slices, in the background,
 * and the next start continues where the program ended.
 */
export function createEnvironmentRemoval({
  database,
  events,
  environments,
  functionSyncs,
  runs,
  logs,
  logger,
}: {
  database: Database;
  events: EventSink<EnvironmentEvents>;
  environments: Pick<EnvironmentService, 'remove'>;
  functionSyncs: Pick<FunctionSyncs, 'removeConnections'>;
  runs: Pick<RunsService, 'endOfEnvironment' | 'whenEnded'>;
  logs: Pick<LogsService, 'removeOfEnvironment'>;
  logger: Logger;
}) {
  const deleted = new DeletedEnvironmentsStore();
  let isStopped = false;
  let isWanted = false;
  let work: Promise<void> | undefined;

  function run(): void {
    isWanted = true;
    work ??= detached(() => removeAll()).finally(() => {
      work = undefined;
    });
  }

  async function removeAll(): Promise<void> {
    try {
      while (isWanted && !isStopped) {
        isWanted = false;
        for (const id of await deleted.listUnfinished(database.reader)) await removeContent(id);
      }
    } catch (error) {
      // The remaining rows are unreachable; the next start or deletion tries again.
      logger.error({ err: error }, 'The content of a deleted environment could not be removed from the disk.');
    }
  }

  async function removeContent(environmentId: number): Promise<void> {
    runs.endOfEnvironment(environmentId);
    const removeJobs: Step = async (tx) =>
      (await deleted.removeQueuedJobs(tx, environmentId, JOBS_SLICE)) === JOBS_SLICE;
    await repeat(removeJobs);
    // Also ends its syncs.
    await repeat((tx) => removeConnections(tx, environmentId));
    // Runs store data until they end.
    await runs.whenEnded(environmentId);
    const steps: Step[] = [
      // Removes jobs that the last runs queued.
      removeJobs,
      ...TABLES.map(
        (table) => async (tx: Transaction) =>
          (await deleted.removeRows(tx, { table, environmentId, limit: SLICE })) === SLICE,
      ),
      (tx) => deleted.removeIntegration(tx, environmentId),
      (tx) => logs.removeOfEnvironment(tx, environmentId),
    ];
    for (const step of steps) await repeat(step);
    // Before the environment's own row is removed: until then the next start continues here.
    if (!(await overwriteRemoved(database, () => isStopped))) return;
    await database.transaction((tx) => deleted.removeEnvironment(tx, environmentId));
  }

  /** Repeats a step until it has nothing to do, or the program stops. */
  async function repeat(step: Step): Promise<void> {
    while (!isStopped && (await database.transaction(step)));
  }

  /**
   * Removes some connections with their syncs; their records are purged later. False when there are no connections.
   */
  async function removeConnections(tx: Transaction, environmentId: number): Promise<boolean> {
    const ids = await deleted.listConnectionIds(tx, environmentId, SLICE);
    if (ids.length === 0) return false;
    if ((await deleted.removeSyncJobs(tx, ids, JOBS_SLICE)) === JOBS_SLICE) return true;
    await functionSyncs.removeConnections(tx, ids);
    await deleted.removeConnections(tx, ids);
    return true;
  }

  return {
    /** Continues what the last process left. */
    start(): void {
      run();
    },
    /** Throws `not_found` and `cannot_delete_prod_environment`. Resolves once the environment is unreachable. */
    async remove(id: number): Promise<void> {
      await environments.remove(id);
      events.emit('environment_removed', { environmentId: id });
      run();
    },
    /** Waits for the running slice; the next start does the rest. */
    async stop(): Promise<void> {
      isStopped = true;
      await work;
    },
  };
}
