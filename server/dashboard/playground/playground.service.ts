import type { Environment } from '../../environments/environment.service.ts';
import type { DeployedFunction } from '../../functions/deployments/deployed-function.ts';
import type { Recording } from '../../functions/function-tests.service.ts';
import type { DryRunEffects } from '../../functions/tasks/dry-runs.service.ts';
import { HomeportError, UNEXPECTED_ERROR } from '../../platform/lib/homeport-error.ts';
import type { Ids } from '../../platform/lib/ids.ts';
import type { Logger } from '../../platform/lib/logger.ts';
import { OutboundError } from '../../platform/lib/outbound-error.ts';
import { ProxyRequestError } from '../../proxy/proxy.service.ts';
import type { PlaygroundRequest, PlaygroundRun } from '../dashboard-playground.contract.ts';
import { NO_LONGER_RECORDED, PlaygroundHistory } from './playground-history.ts';
import { PlaygroundInputs, type PlaygroundInputsOptions, withoutFiles } from './playground-inputs.ts';
import { isRefused, type PlaygroundTargetDeps, PlaygroundTargets } from './playground-targets.ts';

export { runContext } from './playground-history.ts';
export { inputContext } from './playground-inputs.ts';

export interface PlaygroundOptions extends PlaygroundTargetDeps {
  database: PlaygroundInputsOptions['database'];
  vault: PlaygroundInputsOptions['vault'];
  ids: Ids;
  logger: Logger;
}

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

/** Runs of the playground: the newest in memory, and those that ended in the history as well. */
export class PlaygroundService {
  readonly savedInputs: PlaygroundInputs;
  readonly #options: PlaygroundOptions;
  readonly #targets: PlaygroundTargets;
  readonly #history: PlaygroundHistory;
  /** Oldest first. */
  #entries: PlaygroundEntry[] = [];
  readonly #open = new Map<string, { abort: AbortController; work: Promise<void> }>();

  constructor(options: PlaygroundOptions) {
    this.#options = options;
    const { clock, database, ids, integrations, vault } = options;
    this.#targets = new PlaygroundTargets(options);
    this.#history = new PlaygroundHistory({ database, vault, kept: KEPT });
    this.savedInputs = new PlaygroundInputs({ database, vault, clock, ids, integrations });
  }

  /** Starts a run and returns at once. Throws errors that are known before the run: no connection, no such function. */
  async start(environment: Environment, request: PlaygroundRequest): Promise<PlaygroundEntry> {
    await this.#load(environment.id);
    const { connectionRowId, run } = await this.#targets.prepare(environment, request);
    const entry: PlaygroundEntry = {
      id: this.#options.ids.uuid(),
      environmentId: environment.id,
      connectionRowId,
      request: withoutFiles(request),
      state: 'running',
      startedAt: this.#options.clock.now(),
      endedAt: null,
      operationId: null,
      error: null,
    };
    const abort = new AbortController();
    const onStarted = (operationId: string): void => {
      entry.operationId = operationId;
    };
    this.#remember(entry);
    const work = this.#follow(entry, () => run(abort.signal, onStarted), abort.signal);
    this.#open.set(entry.id, { abort, work });
    return entry;
  }

  /** Newest first; also runs from before a restart. */
  async list(
    environmentId: number,
    filter: { integrationKey?: string | undefined; name?: string | undefined },
  ): Promise<PlaygroundEntry[]> {
    const { integrationKey, name } = filter;
    await this.#load(environmentId);
    return this.#entries
      .filter(
        ({ environmentId: own, request }) =>
          own === environmentId &&
          (integrationKey === undefined || request.integrationKey === integrationKey) &&
          (name === undefined || ('name' in request && request.name === name)),
      )
      .reverse();
  }

  /** Throws `not_found`. */
  async get(environmentId: number, id: string): Promise<PlaygroundEntry> {
    await this.#load(environmentId);
    const entry = this.#entries.find((one) => one.id === id && one.environmentId === environmentId);
    if (!entry)
      throw new HomeportError('not_found', 'This run is not kept any more. Its details are in the log; run it again.');
    return entry;
  }

  /** Path and content of a run's recording. Throws `conflict` with the reason when there is none. */
  async describeRecording(environmentId: number, id: string): Promise<RecordingTarget> {
    const { deployed, recording } = recordedOf(await this.get(environmentId, id));
    return { ...(await this.#options.functionTests.target(deployed)), recording };
  }

  /** Writes the recording into the functions folder; resolves to its path there. Throws as `describeRecording`. */
  async saveRecording(environmentId: number, id: string, options: { overwrites: boolean }): Promise<string> {
    const { deployed, recording } = recordedOf(await this.get(environmentId, id));
    return this.#options.functionTests.save(deployed, recording, options);
  }

  /** Ends a running run; does nothing for one that has ended. */
  async cancel(environmentId: number, id: string): Promise<void> {
    const entry = await this.get(environmentId, id);
    const open = this.#open.get(entry.id);
    if (!open) return;
    await this.#targets.cancel(environmentId, entry.request);
    open.abort.abort(new Error(CANCELLED));
    await open.work;
  }

  /** Forgets the runs that have ended. */
  async clear(environmentId: number): Promise<void> {
    const ended = this.#entries.filter((one) => one.environmentId === environmentId && one.state !== 'running');
    await Promise.all(ended.map(({ id }) => this.#open.get(id)?.work));
    await this.#history.clear(environmentId);
    this.#entries = this.#entries.filter((one) => one.environmentId !== environmentId || one.state === 'running');
  }

  /** Ends all runs and waits for them, at most `graceMs`. */
  async stop(graceMs: number): Promise<void> {
    const open = [...this.#open.values()];
    for (const { abort } of open) abort.abort(new Error('Homeport was closed.'));
    if (open.length === 0) return;
    await Promise.race([Promise.all(open.map(({ work }) => work)), this.#options.clock.sleep(graceMs)]);
  }

  /** Adds the runs from before the start, and drops those whose connection was deleted. */
  async #load(environmentId: number): Promise<void> {
    const before = await this.#history.load(environmentId);
    this.#entries.unshift(...before);
    // A run that is stored meanwhile is not among those that were looked for.
    const stored = new Set(this.#entries.filter(({ isStored }) => isStored).map(({ id }) => id));
    const present = await this.#history.listIds(environmentId);
    this.#entries = this.#entries.filter(
      (one) => one.environmentId !== environmentId || !stored.has(one.id) || present.has(one.id),
    );
  }

  /** Adds the run, and drops old runs and recordings. */
  #remember(entry: PlaygroundEntry): void {
    this.#entries.push(entry);
    for (const old of this.#entries.slice(0, -KEPT_RECORDINGS))
      if (old.recorded && 'recording' in old.recorded) old.recorded = { problem: NO_LONGER_RECORDED };
    const own = this.#entries.filter(({ environmentId }) => environmentId === entry.environmentId);
    const dropped = new Set(own.slice(0, -KEPT).filter(({ state }) => state !== 'running'));
    if (dropped.size > 0) this.#entries = this.#entries.filter((one) => !dropped.has(one));
  }

  async #follow(entry: PlaygroundEntry, work: () => Promise<PlaygroundResult>, signal: AbortSignal): Promise<void> {
    try {
      const { failure, ...result } = await work();
      Object.assign(entry, result);
      if (failure) throw failure;
      // A request that the provider refused has failed, as in the log.
      entry.state = entry.response && isRefused(entry.response) ? 'failed' : 'success';
    } catch (error) {
      entry.state = signal.aborted ? 'cancelled' : 'failed';
      entry.error = signal.aborted ? { code: 'cancelled', message: CANCELLED } : this.#describe(error);
    }
    entry.endedAt = this.#options.clock.now();
    await this.#history.keep(entry).catch((error: unknown) => {
      this.#options.logger.error({ err: error }, 'a run of the playground could not be kept');
    });
    this.#open.delete(entry.id);
  }

  #describe(error: unknown): NonNullable<PlaygroundEntry['error']> {
    if (error instanceof HomeportError) {
      const { code, message, payload } = error;
      return { code, message, ...(payload === undefined ? {} : { payload }) };
    }
    if (error instanceof OutboundError || error instanceof ProxyRequestError)
      return { code: error.code, message: error.message };
    this.#options.logger.error({ err: error }, 'a run of the playground failed');
    return { code: 'server_error', message: UNEXPECTED_ERROR };
  }
}

function recordedOf({ recorded, state }: PlaygroundEntry): { deployed: DeployedFunction; recording: Recording } {
  if (state !== 'success' || !recorded)
    throw new HomeportError('conflict', 'Only a run of a function that succeeded can be saved as a fixture.');
  if ('problem' in recorded) throw new HomeportError('conflict', recorded.problem);
  return recorded;
}
