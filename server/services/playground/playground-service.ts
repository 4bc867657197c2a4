import type { PlaygroundRequest } from '../../contract/dashboard/dashboard-playground.ts';
import { HomeportError } from '../../lib/homeport-error.ts';
import type { Ids } from '../../lib/ids.ts';
import type { Logger } from '../../lib/logger.ts';
import { OutboundError } from '../../lib/outbound-error.ts';
import type { Environment } from '../environment/environment-service.ts';
import type { DryRunEffects } from '../function-tasks/dry-runs-service.ts';
import { ProxyRequestError } from '../proxy/proxy-service.ts';
import { type PlaygroundTargetDeps, PlaygroundTargets } from './playground-targets.ts';

export interface PlaygroundOptions extends PlaygroundTargetDeps {
  ids: Ids;
  logger: Logger;
}

/** What a run came to. */
export interface PlaygroundResult {
  output?: unknown;
  response?: { status: number; headers: Record<string, string>; body: string; isCut: boolean };
  effects?: DryRunEffects;
  webhookId?: string;
}

/** Times in milliseconds since the epoch. */
export interface PlaygroundEntry extends PlaygroundResult {
  id: string;
  environmentId: number;
  request: PlaygroundRequest;
  state: 'running' | 'success' | 'failed' | 'cancelled';
  startedAt: number;
  endedAt: number | null;
  operationId: string | null;
  error: { code: string; message: string; payload?: unknown } | null;
}

/** Runs of an environment that are remembered. */
const KEPT = 50;
const CANCELLED = 'The run was cancelled.';

/** Runs that a person tries things with. */
export class PlaygroundService {
  readonly #options: PlaygroundOptions;
  readonly #targets: PlaygroundTargets;
  /** The oldest first. */
  #entries: PlaygroundEntry[] = [];
  readonly #open = new Map<string, { abort: AbortController; work: Promise<void> }>();

  constructor(options: PlaygroundOptions) {
    this.#options = options;
    this.#targets = new PlaygroundTargets(options);
  }

  /** Begins a run and answers at once; throws what can be seen at once: no connection, no such function. */
  async start(environment: Environment, request: PlaygroundRequest): Promise<PlaygroundEntry> {
    const run = await this.#targets.prepare(environment, request);
    const entry: PlaygroundEntry = {
      id: this.#options.ids.uuid(),
      environmentId: environment.id,
      request,
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

  /** The newest first. */
  list(
    environmentId: number,
    filter: { integrationKey?: string | undefined; name?: string | undefined },
  ): PlaygroundEntry[] {
    const { integrationKey, name } = filter;
    return this.#entries
      .filter(
        ({ environmentId: own, request }) =>
          own === environmentId &&
          (integrationKey === undefined || request.integrationKey === integrationKey) &&
          (name === undefined || ('name' in request && request.name === name)),
      )
      .reverse();
  }

  get(environmentId: number, id: string): PlaygroundEntry {
    const entry = this.#entries.find((one) => one.id === id && one.environmentId === environmentId);
    if (!entry)
      throw new HomeportError(
        'not_found',
        'This run is not remembered any more. What it did is in the log; run it again.',
      );
    return entry;
  }

  /** Ends a run that goes on; one that is over stays as it is. */
  async cancel(environmentId: number, id: string): Promise<void> {
    const entry = this.get(environmentId, id);
    const open = this.#open.get(entry.id);
    if (!open) return;
    await this.#targets.cancel(environmentId, entry.request);
    open.abort.abort(new Error(CANCELLED));
    await open.work;
  }

  /** Ends what goes on and waits for it, at most `graceMs`. */
  async stop(graceMs: number): Promise<void> {
    const open = [...this.#open.values()];
    for (const { abort } of open) abort.abort(new Error('Homeport was closed.'));
    if (open.length === 0) return;
    await Promise.race([Promise.all(open.map(({ work }) => work)), this.#options.clock.sleep(graceMs)]);
  }

  #remember(entry: PlaygroundEntry): void {
    this.#entries.push(entry);
    const own = this.#entries.filter(({ environmentId }) => environmentId === entry.environmentId);
    const dropped = new Set(own.slice(0, -KEPT).filter(({ state }) => state !== 'running'));
    if (dropped.size > 0) this.#entries = this.#entries.filter((one) => !dropped.has(one));
  }

  async #follow(entry: PlaygroundEntry, work: () => Promise<PlaygroundResult>, signal: AbortSignal): Promise<void> {
    try {
      Object.assign(entry, await work());
      entry.state = 'success';
    } catch (error) {
      entry.state = signal.aborted ? 'cancelled' : 'failed';
      entry.error = signal.aborted ? { code: 'cancelled', message: CANCELLED } : this.#describe(error);
    }
    entry.endedAt = this.#options.clock.now();
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
    return { code: 'server_error', message: 'It failed unexpectedly; the log of the hub says why.' };
  }
}
