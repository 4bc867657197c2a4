import type { Environment } from '../../environments/environment.service.ts';
import type { DeployedFunction } from '../../functions/deployments/deployed-function.ts';
import type { FunctionTestsService, Recording } from '../../functions/function-tests.service.ts';
import type { DryRunEffects } from '../../functions/tasks/dry-runs.service.ts';
import type { IntegrationsService } from '../../integrations/integrations.service.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Clock } from '../../platform/lib/clock.ts';
import { HomeportError, UNEXPECTED_ERROR } from '../../platform/lib/homeport-error.ts';
import type { Ids } from '../../platform/lib/ids.ts';
import type { Logger } from '../../platform/lib/logger.ts';
import { OutboundError } from '../../platform/lib/outbound-error.ts';
import type { Vault } from '../../platform/vault/vault.ts';
import { ProxyRequestError } from '../../proxy/proxy.service.ts';
import type { PlaygroundRequest, PlaygroundRun } from '../dashboard-playground.contract.ts';
import { createPlaygroundHistory, NO_LONGER_RECORDED } from './playground-history.ts';
import { createPlaygroundInputs, withoutFiles } from './playground-inputs.ts';
import { isRefused, type PlaygroundTargets } from './playground-targets.ts';

export { runContext } from './playground-history.ts';
export { inputContext } from './playground-inputs.ts';

/** The result of a run. `failure` is set when the run failed; the other members are what is known of it. */
export interface PlaygroundResult {
  output?: unknown;
  response?: NonNullable<PlaygroundRun['response']>;
  effects?: DryRunEffects;
  webhookId?: string;
  /** The replay of a saved fixture: its path below the functions folder, and the number of differences. */
  replay?: { path: string; differences: number; unsent: string[]; note: string | null };
  /** What can be saved as a fixture, or why it cannot be saved. */
  recorded?: { deployed: DeployedFunction; recording: Recording } | { problem: string };
  failure?: HomeportError;
}

/** A run of the playground. Times are in milliseconds since the epoch. */
export interface PlaygroundEntry extends Omit<PlaygroundResult, 'failure'> {
  id: string;
  environmentId: number;
  /** Row id of the connection. */
  connectionRowId: number;
  request: PlaygroundRequest;
  state: 'running' | 'success' | 'failed' | 'cancelled';
  startedAt: number;
  endedAt: number | null;
  operationId: string | null;
  error: { code: string; message: string; payload?: unknown } | null;
  /** It is in the history that survives a restart. */
  isStored?: boolean;
  /** Its result was too large for that history. */
  isResultLost?: boolean;
}

/** Number of runs kept per environment. */
const KEPT = 50;
/** Number of runs whose recordings are kept, because each may take some megabytes. */
const KEPT_RECORDINGS = 10;
const CANCELLED = 'The run was cancelled.';
/** The recording of a run, and where it would be saved. */
export interface RecordingTarget {
  /** Path below the functions folder. */
  path: string;
  /** Whether the file already exists. */
  isThere: boolean;
  recording: Recording;
}

export type PlaygroundService = ReturnType<typeof createPlaygroundService>;

/** Runs of the playground: the newest in memory, and those that ended in the history as well. */
export function createPlaygroundService({
  clock,
  database,
  functionTests,
  ids,
  integrations,
  logger,
  targets,
  vault,
}: {
  clock: Clock;
  database: Database;
  functionTests: FunctionTestsService;
  ids: Ids;
  integrations: IntegrationsService;
  logger: Logger;
  targets: PlaygroundTargets;
  vault: Vault;
}) {
  /** Oldest first. */
  let entries: PlaygroundEntry[] = [];
  const open = new Map<string, { abort: AbortController; work: Promise<void> }>();
  const history = createPlaygroundHistory({ database, vault, kept: KEPT });
  const savedInputs = createPlaygroundInputs({ database, vault, clock, ids, integrations });

  /** Starts a run and returns at once. Throws errors that are known before the run: no connection, no such function. */
  async function start(environment: Environment, request: PlaygroundRequest): Promise<PlaygroundEntry> {
    await load(environment.id);
    const { connectionRowId, run } = await targets.prepare(environment, request);
    const entry: PlaygroundEntry = {
      id: ids.uuid(),
      environmentId: environment.id,
      connectionRowId,
      request: withoutFiles(request),
      state: 'running',
      startedAt: clock.now(),
      endedAt: null,
      operationId: null,
      error: null,
    };
    const abort = new AbortController();
    const onStarted = (operationId: string): void => {
      entry.operationId = operationId;
    };
    remember(entry);
    const work = follow(entry, () => run(abort.signal, onStarted), abort.signal);
    open.set(entry.id, { abort, work });
    return entry;
  }

  /** Newest first; also runs from before a restart. */
  async function list(
    environmentId: number,
    filter: { integrationKey?: string | undefined; name?: string | undefined },
  ): Promise<PlaygroundEntry[]> {
    const { integrationKey, name } = filter;
    await load(environmentId);
    return entries
      .filter(
        ({ environmentId: own, request }) =>
          own === environmentId &&
          (integrationKey === undefined || request.integrationKey === integrationKey) &&
          (name === undefined || ('name' in request && request.name === name)),
      )
      .reverse();
  }

  /** Throws `not_found`. */
  async function get(environmentId: number, id: string): Promise<PlaygroundEntry> {
    await load(environmentId);
    const entry = entries.find((one) => one.id === id && one.environmentId === environmentId);
    if (!entry)
      throw new HomeportError('not_found', 'This run is not kept any more. Its details are in the log; run it again.');
    return entry;
  }

  /** Path and content of a run's recording. Throws `conflict` with the reason when there is none. */
  async function describeRecording(environmentId: number, id: string): Promise<RecordingTarget> {
    const { deployed, recording } = recordedOf(await get(environmentId, id));
    return { ...(await functionTests.target(deployed)), recording };
  }

  /** Writes the recording into the functions folder; resolves to its path there. Throws as `describeRecording`. */
  async function saveRecording(environmentId: number, id: string, options: { overwrites: boolean }): Promise<string> {
    const { deployed, recording } = recordedOf(await get(environmentId, id));
    return functionTests.save(deployed, recording, options);
  }

  /** Ends a running run; does nothing for one that has ended. */
  async function cancel(environmentId: number, id: string): Promise<void> {
    const entry = await get(environmentId, id);
    const running = open.get(entry.id);
    if (!running) return;
    await targets.cancel(environmentId, entry.request);
    running.abort.abort(new Error(CANCELLED));
    await running.work;
  }

  /** Forgets the runs that have ended. */
  async function clear(environmentId: number): Promise<void> {
    const ended = entries.filter((one) => one.environmentId === environmentId && one.state !== 'running');
    await Promise.all(ended.map(({ id }) => open.get(id)?.work));
    await history.clear(environmentId);
    entries = entries.filter((one) => one.environmentId !== environmentId || one.state === 'running');
  }

  /** Ends all runs and waits for them, at most `graceMs`. */
  async function stop(graceMs: number): Promise<void> {
    const running = [...open.values()];
    for (const { abort } of running) abort.abort(new Error('Homeport was closed.'));
    if (running.length === 0) return;
    await Promise.race([Promise.all(running.map(({ work }) => work)), clock.sleep(graceMs)]);
  }

  /** Adds the runs from before the start, and drops those whose connection was deleted. */
  async function load(environmentId: number): Promise<void> {
    const before = await history.load(environmentId);
    entries.unshift(...before);
    // A run that is stored meanwhile is not among those that were looked for.
    const stored = new Set(entries.filter(({ isStored }) => isStored).map(({ id }) => id));
    const present = await history.listIds(environmentId);
    entries = entries.filter(
      (one) => one.environmentId !== environmentId || !stored.has(one.id) || present.has(one.id),
    );
  }

  /** Adds the run, and drops old runs and recordings. */
  function remember(entry: PlaygroundEntry): void {
    entries.push(entry);
    for (const old of entries.slice(0, -KEPT_RECORDINGS))
      if (old.recorded && 'recording' in old.recorded) old.recorded = { problem: NO_LONGER_RECORDED };
    const own = entries.filter(({ environmentId }) => environmentId === entry.environmentId);
    const dropped = new Set(own.slice(0, -KEPT).filter(({ state }) => state !== 'running'));
    if (dropped.size > 0) entries = entries.filter((one) => !dropped.has(one));
  }

  async function follow(
    entry: PlaygroundEntry,
    work: () => Promise<PlaygroundResult>,
    signal: AbortSignal,
  ): Promise<void> {
    try {
      const { failure, ...result } = await work();
      Object.assign(entry, result);
      if (failure) throw failure;
      // A request that the provider refused has failed, as in the log.
      entry.state = entry.response && isRefused(entry.response) ? 'failed' : 'success';
    } catch (error) {
      entry.state = signal.aborted ? 'cancelled' : 'failed';
      entry.error = signal.aborted ? { code: 'cancelled', message: CANCELLED } : describe(error);
    }
    entry.endedAt = clock.now();
    await history.keep(entry).catch((error: unknown) => {
      logger.error({ err: error }, 'a run of the playground could not be kept');
    });
    open.delete(entry.id);
  }

  function describe(error: unknown): NonNullable<PlaygroundEntry['error']> {
    if (error instanceof HomeportError) {
      const { code, message, payload } = error;
      return { code, message, ...(payload === undefined ? {} : { payload }) };
    }
    if (error instanceof OutboundError || error instanceof ProxyRequestError)
      return { code: error.code, message: error.message };
    logger.error({ err: error }, 'a run of the playground failed');
    return { code: 'server_error', message: UNEXPECTED_ERROR };
  }

  return { savedInputs, start, list, get, describeRecording, saveRecording, cancel, clear, stop };
}

function recordedOf({ recorded, state }: PlaygroundEntry): { deployed: DeployedFunction; recording: Recording } {
  if (state !== 'success' || !recorded)
    throw new HomeportError('conflict', 'Only a run of a function that succeeded can be saved as a fixture.');
  if ('problem' in recorded) throw new HomeportError('conflict', recorded.problem);
  return recorded;
}
