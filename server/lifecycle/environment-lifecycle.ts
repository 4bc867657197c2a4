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

interface EnvironmentCopiesOptions {
  environments: Pick<EnvironmentService, 'create' | 'listVariables' | 'otlpHeaders'>;
  integrations: Pick<IntegrationsService, 'copy'>;
  notifications: { destinations: Pick<NotificationsService['destinations'], 'copyAll'> };
  removal: { remove(id: number): Promise<void> };
}

/** Creates environments as copies of another one. */
export class EnvironmentCopies {
  readonly #options: EnvironmentCopiesOptions;

  constructor(options: EnvironmentCopiesOptions) {
    this.#options = options;
  }

  /** Creates an environment with its own key and the chosen parts of `source`: all of them or, when one fails, none. */
  async copy(source: Environment, name: string, parts: readonly EnvironmentPart[]): Promise<Environment> {
    const { environments, integrations, notifications, removal } = this.#options;
    const variables = parts.includes('variables') ? await environments.listVariables(source.id) : [];
    const otlpHeaders = parts.includes('settings') ? await environments.otlpHeaders.list(source.id) : [];
    const copy = await environments.create(name, settingsOf(source, parts), { variables, otlpHeaders });
    try {
      if (parts.includes('webhooks')) await notifications.destinations.copyAll(source.id, copy.id);
      if (parts.includes('integrations')) await integrations.copy(source.id, copy.id);
      return copy;
    } catch (error) {
      await removal.remove(copy.id);
      throw error;
    }
  }
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

export interface EnvironmentRemovalOptions {
  database: Database;
  events: EventSink<EnvironmentEvents>;
  environments: Pick<EnvironmentService, 'remove'>;
  functionSyncs: Pick<FunctionSyncs, 'removeConnections'>;
  runs: Pick<RunsService, 'endOfEnvironment' | 'whenEnded'>;
  logs: Pick<LogsService, 'removeOfEnvironment'>;
  logger: Logger;
}

/** Resolves to true when there may be more to do. */
type Step = (tx: Transaction) => Promise<boolean>;

/** Rows removed per transaction: other writers wait for one slice only. */
const SLICE = 50;
const JOBS_SLICE = 1000;
const TABLES = Object.keys(ROWS_OF_ENVIRONMENTS) as Array<keyof typeof ROWS_OF_ENVIRONMENTS>;

/**
 * Deletes environments. A deleted one is unreachable at once; its contents are removed in slices, in the background,
 * and the next start continues where the program ended.
 */
export class EnvironmentRemoval {
  readonly #options: EnvironmentRemovalOptions;
  readonly #deleted = new DeletedEnvironmentsStore();
  #isStopped = false;
  #isWanted = false;
  #work: Promise<void> | undefined;

  constructor(options: EnvironmentRemovalOptions) {
    this.#options = options;
  }

  /** Continues what the last process left. */
  start(): void {
    this.#run();
  }

  /** Throws `not_found` and `cannot_delete_prod_environment`. Resolves once the environment is unreachable. */
  async remove(id: number): Promise<void> {
    await this.#options.environments.remove(id);
    this.#options.events.emit('environment_removed', { environmentId: id });
    this.#run();
  }

  /** Waits for the running slice; the next start does the rest. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#work;
  }

  #run(): void {
    this.#isWanted = true;
    this.#work ??= detached(() => this.#removeAll()).finally(() => {
      this.#work = undefined;
    });
  }

  async #removeAll(): Promise<void> {
    const { database, logger } = this.#options;
    try {
      while (this.#isWanted && !this.#isStopped) {
        this.#isWanted = false;
        for (const id of await this.#deleted.listUnfinished(database.reader)) await this.#removeContent(id);
      }
    } catch (error) {
      // The remaining rows are unreachable; the next start or deletion tries again.
      logger.error({ err: error }, 'The content of a deleted environment could not be removed from the disk.');
    }
  }

  async #removeContent(environmentId: number): Promise<void> {
    const { database, logs, runs } = this.#options;
    runs.endOfEnvironment(environmentId);
    const removeJobs: Step = async (tx) =>
      (await this.#deleted.removeQueuedJobs(tx, environmentId, JOBS_SLICE)) === JOBS_SLICE;
    await this.#repeat(removeJobs);
    // Also ends its syncs.
    await this.#repeat((tx) => this.#removeConnections(tx, environmentId));
    // Runs store data until they end.
    await runs.whenEnded(environmentId);
    const steps: Step[] = [
      // Removes jobs that the last runs queued.
      removeJobs,
      ...TABLES.map(
        (table) => async (tx: Transaction) =>
          (await this.#deleted.removeRows(tx, { table, environmentId, limit: SLICE })) === SLICE,
      ),
      (tx) => this.#deleted.removeIntegration(tx, environmentId),
      (tx) => logs.removeOfEnvironment(tx, environmentId),
    ];
    for (const step of steps) await this.#repeat(step);
    // Before the environment's own row is removed: until then the next start continues here.
    if (!(await overwriteRemoved(database, () => this.#isStopped))) return;
    await database.transaction((tx) => this.#deleted.removeEnvironment(tx, environmentId));
  }

  /** Repeats a step until it has nothing to do, or the program stops. */
  async #repeat(step: Step): Promise<void> {
    while (!this.#isStopped && (await this.#options.database.transaction(step)));
  }

  /**
   * Removes some connections with their syncs; their records are purged later. False when there are no connections.
   */
  async #removeConnections(tx: Transaction, environmentId: number): Promise<boolean> {
    const { functionSyncs } = this.#options;
    const ids = await this.#deleted.listConnectionIds(tx, environmentId, SLICE);
    if (ids.length === 0) return false;
    if ((await this.#deleted.removeSyncJobs(tx, ids, JOBS_SLICE)) === JOBS_SLICE) return true;
    await functionSyncs.removeConnections(tx, ids);
    await this.#deleted.removeConnections(tx, ids);
    return true;
  }
}
