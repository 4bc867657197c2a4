import type { DashboardRouteKey } from '../../server/contract/dashboard/dashboard-routes.ts';
import type { NotificationEvent } from '../../server/dashboard/dashboard-notifications.contract.ts';
import { type HubCall, HubSession, type SessionResponse } from './hub-session.ts';
import { type HubStatus, HubWatch } from './hub-watch.ts';
import type { ServerSupervisor } from './server-supervisor.ts';

/** A pause of all schedules by a person. `untilMs: null` means until it is resumed. */
interface KeptPause {
  untilMs: number | null;
}

interface Options {
  supervisor: ServerSupervisor;
  /** The hub does not keep a pause when it stops, so the shell stores it. */
  keptPause: { read(): KeptPause | null; write(pause: KeptPause | null): void };
  now?: () => number;
}

interface Listeners {
  status: (status: HubStatus | undefined) => void;
  /** As in `HubWatch`. */
  notification: (env: string, event: NotificationEvent) => void;
}

/** The shell's connection to the running hub: its state and requests to it, across restarts of the server. */
export class HubLink {
  readonly #options: Required<Options>;
  readonly #client: HubSession;
  readonly #watch: HubWatch;
  readonly #listeners: { [Name in keyof Listeners]: Set<Listeners[Name]> } = {
    status: new Set(),
    notification: new Set(),
  };
  #status: HubStatus | undefined;
  #isOnBattery = false;
  /** True when the hub knows the stored pause. From then on the hub's own state of pauses is the right one. */
  #isPauseKnown = false;

  constructor(options: Options) {
    this.#options = { now: Date.now, ...options };
    const { supervisor } = options;
    this.#client = new HubSession({ requestLoginLink: () => supervisor.requestLoginLink() });
    this.#watch = new HubWatch({
      client: this.#client,
      onStatus: (status) => this.#take(status),
      onNotification: (env, event) => {
        for (const listener of this.#listeners.notification) listener(env, event);
      },
    });
    supervisor.onState((state) => {
      if (state.name === 'ready') void this.#begin();
      else this.#end();
    });
  }

  /** Undefined until the running hub has answered. */
  get status(): HubStatus | undefined {
    return this.#status;
  }

  on<Name extends keyof Listeners>(name: Name, listener: Listeners[Name]): void {
    (this.#listeners[name] as Set<Listeners[Name]>).add(listener);
  }

  /** As in `HubSession.call`. */
  call<K extends DashboardRouteKey>(key: K, parts?: HubCall): Promise<SessionResponse<K>> {
    return this.#client.call(key, parts);
  }

  async pauseSchedules(untilMs: number | null): Promise<void> {
    await this.#pause('person', untilMs);
    this.#options.keptPause.write({ untilMs });
  }

  /** Ends pauses of every reason, because the person wants schedules to run. */
  async resumeSchedules(): Promise<void> {
    await this.#client.call('POST /api/v1/schedules/resume', { body: {} });
    this.#options.keptPause.write(null);
  }

  async setVaultLocked(isLocked: boolean): Promise<void> {
    await this.#client.call(isLocked ? 'POST /api/v1/vault/lock' : 'POST /api/v1/vault/unlock');
  }

  /** Sets whether schedules wait until the computer is on mains power. */
  async setOnBattery(isOn: boolean): Promise<void> {
    if (isOn === this.#isOnBattery) return;
    this.#isOnBattery = isOn;
    // A hub that is starting asks for this state itself later.
    if (this.#options.supervisor.state.name !== 'ready') return;
    if (isOn) await this.#pause('battery', null);
    else await this.#client.call('POST /api/v1/schedules/resume', { body: { reason: 'battery' } });
  }

  /** Reads the whole state again, for example after sleep. */
  refresh(): void {
    this.#watch.refresh();
  }

  /** Call it before the server is stopped on purpose. */
  async close(): Promise<void> {
    this.#watch.stop();
    await this.#client.signOut();
  }

  async #begin(): Promise<void> {
    this.#client.reset();
    this.#isPauseKnown = false;
    const kept = this.#options.keptPause.read();
    const isOver = kept?.untilMs != null && kept.untilMs <= this.#options.now();
    try {
      if (kept && !isOver) await this.#pause('person', kept.untilMs);
      if (this.#isOnBattery) await this.#pause('battery', null);
      this.#isPauseKnown = true;
    } catch (error) {
      // The server has stopped again; its next start runs this again.
      if (!(error instanceof Error)) throw error;
    }
    if (this.#options.supervisor.state.name === 'ready') await this.#watch.start();
  }

  #end(): void {
    this.#watch.stop();
    this.#status = undefined;
    for (const listener of this.#listeners.status) listener(undefined);
  }

  #take(status: HubStatus): void {
    this.#status = status;
    if (this.#isPauseKnown) this.#keepPause(status.pausedSchedules);
    for (const listener of this.#listeners.status) listener(status);
  }

  /** Stores the pause, because the dashboard may have started or ended it. */
  #keepPause(pause: HubStatus['pausedSchedules']): void {
    const { keptPause } = this.#options;
    const kept = keptPause.read();
    if (!pause?.reasons.includes('person')) {
      if (kept) keptPause.write(null);
      return;
    }
    // While battery is a second reason, the hub reports the later end of both.
    const untilMs = pause.until === null ? null : Date.parse(pause.until);
    if (pause.reasons.length === 1 && (!kept || kept.untilMs !== untilMs)) keptPause.write({ untilMs });
  }

  async #pause(reason: 'person' | 'battery', untilMs: number | null): Promise<void> {
    const until = untilMs === null ? null : new Date(untilMs).toISOString();
    await this.#client.call('POST /api/v1/schedules/pause', { body: { reason, until } });
  }
}
