import type { StoredConnection } from '../connections/connection.ts';
import type { ConnectionsService } from '../connections/connections.service.ts';
import type { Environment, EnvironmentService } from '../environments/environment.service.ts';
import type { Integration } from '../integrations/integration.ts';
import type { IntegrationsService } from '../integrations/integrations.service.ts';
import type { Database } from '../platform/database/database.ts';
import type { Clock } from '../platform/lib/clock.ts';
import type { EventHub } from '../platform/lib/event-hub.ts';
import { HomeportError, isVaultLocked } from '../platform/lib/homeport-error.ts';
import { isJsonObject } from '../platform/lib/json-object.ts';
import type { Logger } from '../platform/lib/logger.ts';
import { PeriodicSweep } from '../platform/lib/periodic-sweep.ts';
import type { Vault } from '../platform/vault/vault.ts';
import type { RunnableFunction } from './deployments/deployed-function.ts';
import type { DeploymentsService } from './deployments/deployments.service.ts';
import { addChanges, type WatchedChange } from './drift-changes.ts';
import { DriftWatchesStore, type DriftWatchRow } from './drift-watches.store.ts';
import { compareShapes, isReadOnly, readFilter } from './dry-run/compare-shapes.ts';
import type { FunctionTestsService, Recording } from './function-tests.service.ts';
import { createReadGuard } from './runs/read-guard.ts';
import type { DryRunsService } from './tasks/dry-runs.service.ts';

/** What a comparison found. */
export interface DriftReport {
  /** Number of recordings that were made again. */
  compared: number;
  changes: WatchedChange[];
  /** Recordings that were left out, with the reason. */
  skipped: Array<{ function: string; reason: string }>;
}

export interface DriftWatchState {
  connectionId: string;
  nextAt: number;
  lastAt: number | null;
  report: DriftReport | null;
  /** Why the last comparison was not made. */
  problem: string | null;
}

export interface DriftEvents {
  /** A comparison ended, or the watch was changed. `isNews`: nobody was told this before. */
  drift: {
    environmentId: number;
    integrationKey: string;
    changes: readonly WatchedChange[];
    problem: string | null;
    isNews: boolean;
  };
}

const WEEK_MS = 7 * 86_400_000;
/** A missed comparison is made this long after the computer woke up, at most. */
const LOOK_EVERY_MS = 600_000;
/** For one recording. Further pages of a list have the same form. */
const MAX_REQUESTS = 50;
const LOCKED = 'The vault is locked. The comparison is made when it is open again.';

export type DriftWatchService = ReturnType<typeof createDriftWatchService>;

/**
 * Makes the recordings of an integration that only read again, once a week, and compares the answers by shape
 * (functions.md 8.3). Off for every integration until a person chooses a connection.
 */
export function createDriftWatchService({
  database,
  clock,
  logger,
  vault,
  environments,
  integrations,
  connections,
  deployments,
  dryRuns,
  functionTests,
  events,
}: {
  database: Database;
  clock: Clock;
  logger: Logger;
  vault: Pick<Vault, 'isLocked'>;
  environments: Pick<EnvironmentService, 'find'>;
  integrations: Pick<IntegrationsService, 'find'>;
  connections: Pick<ConnectionsService, 'find'>;
  deployments: Pick<DeploymentsService, 'findActive' | 'list'>;
  dryRuns: Pick<DryRunsService, 'tryLive'>;
  functionTests: Pick<FunctionTestsService, 'learn' | 'openRecorder' | 'readFirst'>;
  events: Pick<EventHub<DriftEvents>, 'emit'>;
}) {
  const store = new DriftWatchesStore();
  const stopping = new AbortController();
  /** One comparison at a time. */
  let last: Promise<unknown> = Promise.resolve();
  const sweeps = new PeriodicSweep({
    clock,
    logger,
    intervalMs: LOOK_EVERY_MS,
    sweep: (isStopped) => compareDue(isStopped),
    failureMessage: 'The drift watch failed; trying again in ten minutes.',
  });

  async function compareDue(isStopped: () => boolean): Promise<void> {
    for (const watch of await store.list(database.reader)) {
      if (isStopped()) return;
      if (isDue(watch, clock.now())) await inTurn(() => compare(watch));
    }
  }

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = last.then(work);
    last = turn.catch(() => {
      // The caller gets it.
    });
    return turn;
  }

  async function compare(watch: DriftWatchRow): Promise<void> {
    const environment = environments.find(watch.environmentId);
    const integration = await integrations.find(watch.environmentId, watch.integrationKey);
    if (!environment || !integration) return;
    const connection = await connections.find(integration, watch.connectionId);
    if (!connection)
      return finish(watch, {
        problem: `The connection "${watch.connectionId}" does not exist any more. Choose another one in the settings of the integration, or switch the drift watch off.`,
      });
    if (vault.isLocked) return noteLocked(watch);
    const report = await compareFunctions(environment, integration, connection);
    if (stopping.signal.aborted) return;
    if (report === 'locked') return noteLocked(watch);
    if (report.compared === 0) return finish(watch, { problem: whyNothing(integration.uniqueKey, report), report });
    return finish(watch, { report, problem: null });
  }

  async function compareFunctions(
    environment: Environment,
    integration: Integration,
    connection: StoredConnection,
  ): Promise<DriftReport | 'locked'> {
    const report: DriftReport = { compared: 0, changes: [], skipped: [] };
    for (const { name, type } of await deployments.list(environment.id, integration.uniqueKey)) {
      if (stopping.signal.aborted) break;
      const deployed = await deployments.findActive(environment.id, integration.uniqueKey, type, name);
      if (!deployed || type === 'on-event') continue;
      const fixture = await functionTests.readFirst(deployed).catch((error: unknown) => {
        if (!(error instanceof HomeportError)) throw error;
        report.skipped.push({ function: name, reason: error.message });
        return undefined;
      });
      if (!fixture) continue;
      if (!isReadOnly(fixture.api)) {
        report.skipped.push({ function: name, reason: 'Its recording has requests that write, or none.' });
        continue;
      }
      const again = await record({ environment, integration, connection, deployed, fixture });
      if (again === 'locked') return 'locked';
      const changes = compareShapes(fixture.api, again.api);
      addChanges(report.changes, changes, deployed);
      // A function that fails because a field is gone has still shown that it is gone.
      if (again.failure === undefined || changes.length > 0) report.compared += 1;
      else report.skipped.push({ function: name, reason: `The run failed: ${again.failure}` });
    }
    return report;
  }

  /** Makes a recording again. What it would store is dropped. */
  async function record({
    fixture,
    ...run
  }: {
    environment: Environment;
    integration: Integration;
    connection: StoredConnection;
    deployed: RunnableFunction;
    fixture: Recording;
  }): Promise<{ api: Recording['api']; failure?: string } | 'locked'> {
    const guard = createReadGuard(readFilter(fixture.api), MAX_REQUESTS);
    const { getMetadata: metadata } = fixture.nango ?? {};
    try {
      const recorder = await functionTests.openRecorder(run.connection);
      const failure = await dryRuns
        .tryLive({
          ...run,
          recorder,
          guard,
          signal: stopping.signal,
          trigger: 'schedule',
          onStarted: () => {},
          ...(fixture.input === undefined ? {} : { input: fixture.input }),
          ...(isJsonObject(metadata) ? { metadata } : {}),
        })
        .then((result): HomeportError | undefined => (result.ok ? undefined : result.failure))
        .catch((error: unknown): HomeportError => {
          // The output may not fit any more: the comparison says why.
          if (error instanceof HomeportError) return error;
          throw error;
        });
      const why = failure?.message;
      if (isVaultLocked(failure)) return 'locked';
      await functionTests.learn(recorder, run.connection);
      const { api } = recorder.finish({});
      return why === undefined || guard.isFull ? { api } : { api, failure: why };
    } catch (error) {
      if (isVaultLocked(error)) return 'locked';
      throw error;
    }
  }

  /** Stays due. Said once. */
  async function noteLocked(watch: DriftWatchRow): Promise<void> {
    if (watch.problem === LOCKED) return;
    logger.warn({ integration: watch.integrationKey }, `The drift watch waits. ${LOCKED}`);
    await database.transaction((tx) => store.update(tx, { ...watch, problem: LOCKED }));
  }

  async function finish(
    watch: DriftWatchRow,
    { problem, report }: { problem: string | null; report?: DriftReport },
  ): Promise<void> {
    const { environmentId, integrationKey } = watch;
    const now = clock.now();
    const changes = report?.changes ?? [];
    const before = readReport(watch.result)?.changes ?? [];
    const hasNews = problem === null ? JSON.stringify(changes) !== JSON.stringify(before) : problem !== watch.problem;
    const result = report ? JSON.stringify(report) : watch.result;
    await database.transaction((tx) =>
      store.update(tx, { ...watch, lastAt: now, nextAt: now + WEEK_MS, problem, result }),
    );
    if (problem !== null && hasNews)
      logger.warn({ integration: integrationKey }, `The drift watch of ${integrationKey} compared nothing. ${problem}`);
    if (problem === null && changes.length > 0 && hasNews)
      logger.warn(
        { integration: integrationKey, fields: changes.map(({ field, request }) => `${request} ${field}`) },
        `${integrationKey} answers in another form than recorded.`,
      );
    events.emit('drift', { environmentId, integrationKey, changes, problem, isNews: hasNews });
  }

  async function find(integrationId: number): Promise<DriftWatchState | undefined> {
    const row = await store.find(database.reader, integrationId);
    return row && { ...row, report: readReport(row.result) };
  }

  return {
    start: (): void => sweeps.start(),
    async stop(): Promise<void> {
      stopping.abort();
      await sweeps.stop();
      await last;
    },
    find,
    /** Switches it on, or changes the connection. The first comparison is made soon. */
    async set(environment: Environment, integration: Integration, connectionId: string): Promise<void> {
      if (!(await connections.find(integration, connectionId)))
        throw new HomeportError(
          'not_found',
          `${integration.uniqueKey} has no connection "${connectionId}". Choose one of its connections.`,
        );
      await database.transaction((tx) =>
        store.upsert(tx, { integrationId: integration.id, connectionId, nextAt: clock.now() }),
      );
      emitChanged(environment.id, integration.uniqueKey);
    },
    async remove(environment: Environment, integration: Integration): Promise<void> {
      await database.transaction((tx) => store.remove(tx, integration.id));
      emitChanged(environment.id, integration.uniqueKey);
    },
    /** Compares now. The week begins anew. Throws `not_found` when it is off. */
    async compareNow(integration: Integration): Promise<DriftWatchState> {
      await inTurn(async () => {
        const row = await store.find(database.reader, integration.id);
        if (!row)
          throw new HomeportError('not_found', 'The drift watch of this integration is off. Choose a connection.');
        await compare(row);
      });
      const watch = await find(integration.id);
      if (!watch)
        throw new HomeportError('not_found', 'The drift watch of this integration was switched off meanwhile.');
      return watch;
    },
  };

  /** Ends what was said about the former state. */
  function emitChanged(environmentId: number, integrationKey: string): void {
    events.emit('drift', { environmentId, integrationKey, changes: [], problem: null, isNews: false });
  }
}

/** A time that lies further ahead than a week was set by a wrong clock (design.md 7.55). */
function isDue({ nextAt }: DriftWatchRow, now: number): boolean {
  return nextAt <= now || nextAt > now + WEEK_MS;
}

function whyNothing(integrationKey: string, { skipped }: DriftReport): string {
  if (skipped.length === 0)
    return `${integrationKey} has no recorded run. Save a run of one of its functions as a test.`;
  const [{ function: name, reason } = { function: '', reason: '' }] = skipped;
  const more = skipped.length > 1 ? ` ${skipped.length - 1} more were left out.` : '';
  return `No recording could be made again. ${name}: ${reason}${more}`;
}

function readReport(result: string | null): DriftReport | null {
  return result === null ? null : (JSON.parse(result) as DriftReport);
}
