import { paths, windowHref } from '../../renderer/lib/paths.ts';
import type { NotificationEvent } from '../../server/dashboard/dashboard-notifications.contract.ts';
import type { Health, SchedulesPause } from '../../server/environments/dashboard-environment.contract.ts';
import type { ApprovalRow } from '../../server/mcp/dashboard-mcp.contract.ts';
import { HubError, type HubEvent, type HubSession } from './hub-session.ts';

type Watched<Row> = Row & { env: string };

/** State for the tray and for the question before quitting, over all environments. */
export interface HubStatus {
  running: number;
  /** Number of connections, syncs and webhooks that need a person. */
  attention: number;
  approvals: Watched<ApprovalRow>[];
  /** The last operation that failed; `path` is its page. */
  lastFailure: { title: string; path: string; at: string } | undefined;
  pausedSchedules: SchedulesPause | null;
  isVaultLocked: boolean;
}

interface Options {
  client: Pick<HubSession, 'call' | 'followEvents'>;
  /** Called after every change. */
  onStatus: (status: HubStatus) => void;
  /** A notification was created or changed. Those of the whole hub come once per environment. */
  onNotification: (env: string, event: NotificationEvent) => void;
  /** Quiet time after a burst of events before the state is read once, in milliseconds. */
  quietMs?: number;
  /** Pause in milliseconds before a stream that ended is opened again. */
  retryMs?: number;
}

interface EnvironmentView {
  attention: number;
  approvals: ApprovalRow[];
  failure: { title: string; operationId: string; at: string } | undefined;
}

const FAILED = ['failed', 'timeout'] as const;

/** Follows a hub from `start` to `stop`: reads its state, then its events. */
export class HubWatch {
  readonly #options: Required<Options>;
  readonly #views = new Map<string, EnvironmentView>();
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #stale = new Set<string>();
  readonly #followed = new Set<string>();
  #ending = new AbortController();
  #running = 0;
  #pausedSchedules: SchedulesPause | null = null;
  #isVaultLocked = false;

  constructor(options: Options) {
    this.#options = { quietMs: 1000, retryMs: 2000, ...options };
  }

  async start(): Promise<void> {
    this.stop();
    this.#ending = new AbortController();
    await this.#begin(this.#ending.signal);
  }

  stop(): void {
    this.#ending.abort();
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
    this.#views.clear();
    this.#stale.clear();
    this.#followed.clear();
  }

  /** Reads the state of every environment now, for example after sleep. */
  refresh(): void {
    for (const env of this.#views.keys()) this.#refreshSoon(env);
  }

  get status(): HubStatus {
    const views = [...this.#views];
    const failures = views.flatMap(([env, { failure }]) => (failure ? [{ env, ...failure }] : []));
    const last = failures.sort((a, b) => b.at.localeCompare(a.at))[0];
    return {
      running: this.#running,
      attention: views.reduce((sum, [, view]) => sum + view.attention, 0),
      approvals: views.flatMap(([env, view]) => view.approvals.map((approval) => ({ ...approval, env }))),
      lastFailure: last && {
        title: last.title,
        at: last.at,
        path: windowHref(paths.operation(last.env, last.operationId)),
      },
      pausedSchedules: this.#pausedSchedules,
      isVaultLocked: this.#isVaultLocked,
    };
  }

  /** Tries again after a pause until the hub has answered. */
  async #begin(signal: AbortSignal): Promise<void> {
    try {
      await this.#readMeta(signal);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      this.#later(this.#options.retryMs, signal, () => void this.#begin(signal));
    }
  }

  /** Reads what is common to all environments, and the list of environments. */
  async #readMeta(signal: AbortSignal): Promise<void> {
    const { environments, health } = await this.#options.client.call('GET /api/v1/meta');
    if (signal.aborted) return;
    this.#takeHealth(health);
    for (const { name } of environments) {
      if (this.#followed.has(name)) continue;
      this.#followed.add(name);
      void this.#follow(name, signal);
    }
  }

  async #follow(env: string, signal: AbortSignal): Promise<void> {
    try {
      await this.#options.client.followEvents(env, {
        signal,
        onOpen: () => void this.#refresh(env, signal),
        onEvent: (event) => this.#take(env, event),
      });
    } catch (error) {
      if (error instanceof HubError && error.status === 404) return this.#unfollow(env);
      // The server has stopped. Its next start begins again.
      if (!(error instanceof Error)) throw error;
    }
    if (!signal.aborted) this.#later(this.#options.retryMs, signal, () => void this.#follow(env, signal));
  }

  /** Stops following a deleted environment. */
  #unfollow(env: string): void {
    this.#followed.delete(env);
    this.#views.delete(env);
    this.#options.onStatus(this.status);
  }

  #take(env: string, event: HubEvent): void {
    switch (event.name) {
      case 'health':
        this.#takeHealth(event.data);
        return;
      case 'notification':
        this.#options.onNotification(env, event.data);
        return;
      case 'operation':
        if (FAILED.some((state) => state === event.data.state)) this.#refreshSoon(env);
        return;
      case 'approval':
      case 'connection':
      case 'sync':
      case 'webhook':
      case 'reset':
        this.#refreshSoon(env);
        return;
      default:
    }
  }

  #takeHealth({ running, pausedSchedules, vault }: Pick<Health, 'running' | 'pausedSchedules' | 'vault'>): void {
    this.#running = running;
    this.#isVaultLocked = vault === 'locked';
    this.#pausedSchedules = pausedSchedules;
    this.#options.onStatus(this.status);
  }

  #refreshSoon(env: string): void {
    if (this.#stale.has(env)) return;
    this.#stale.add(env);
    const { signal } = this.#ending;
    this.#later(this.#options.quietMs, signal, () => {
      this.#stale.delete(env);
      void this.#refresh(env, signal);
    });
  }

  async #refresh(env: string, signal: AbortSignal): Promise<void> {
    try {
      // Read again, because events may have been missed while the stream was closed.
      const [view] = await Promise.all([this.#read(env), this.#readMeta(signal)]);
      if (signal.aborted) return;
      this.#views.set(env, view);
      this.#options.onStatus(this.status);
    } catch (error) {
      // The next event, or the reopened stream, reads it again.
      if (!(error instanceof Error)) throw error;
    }
  }

  async #read(env: string): Promise<EnvironmentView> {
    const { client } = this.#options;
    const [attention, approvals, failed] = await Promise.all([
      client.call('GET /api/v1/overview/attention', { query: { env } }),
      client.call('GET /api/v1/mcp/approvals', { query: { env } }),
      client.call('GET /api/v1/logs/operations', { query: { env, states: FAILED.join(','), limit: '1' } }),
    ]);
    const [last] = failed.data;
    return {
      attention: attention.total,
      approvals: approvals.data,
      failure: last && {
        title: [last.integrationName, last.syncConfigName ?? last.operation.action].filter(Boolean).join(' · '),
        operationId: last.id,
        at: last.createdAt,
      },
    };
  }

  #later(delayMs: number, signal: AbortSignal, work: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      if (!signal.aborted) work();
    }, delayMs);
    this.#timers.add(timer);
  }
}
