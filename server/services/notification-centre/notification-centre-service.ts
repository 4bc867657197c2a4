import type { NotificationRules } from '../../contract/dashboard/dashboard-notifications.ts';
import { matchesLogFilter } from '../../contract/dashboard/log-query.ts';
import type { Database } from '../../database/database.ts';
import type { Clock, Timer } from '../../lib/clock.ts';
import { detached } from '../../lib/detached.ts';
import type { EventHub } from '../../lib/event-hub.ts';
import type { Logger } from '../../lib/logger.ts';
import { PeriodicSweep } from '../../lib/periodic-sweep.ts';
import { NotificationCentreStore, type StoredNotification } from '../../stores/notification-centre-store.ts';
import type { KeyUseEvents } from '../audit/key-use.ts';
import type { ConnectionEvents } from '../connections/connections-service.ts';
import type { DeploymentChange } from '../deployments/deployed-function.ts';
import type { PairingEvents } from '../environment/app-pairings.ts';
import type { Environment, EnvironmentService } from '../environment/environment-service.ts';
import type { LogEvents } from '../logs/log-events.ts';
import type { LogsService } from '../logs/logs-service.ts';
import type { ApprovalChange } from '../mcp/mcp-service.ts';
import type { DeliveryEvents } from '../notifications/delivery-runner.ts';
import type { OverviewService } from '../overview/overview-service.ts';
import type { SyncEvents } from '../syncs/syncs-options.ts';
import {
  accessCauses,
  accessNotice,
  approvalNotice,
  authorizationNotice,
  type ConnectionName,
  diskNotice,
  functionNotice,
  type Notice,
  pairingNotice,
  type SyncName,
  syncNotice,
  updateNotice,
  viewNotice,
  webhookNotice,
} from './notices.ts';
import { isShownNatively, readRules } from './notification-rules.ts';

/** The events that the centre listens to. */
export interface NotificationSources
  extends ConnectionEvents,
    SyncEvents,
    Pick<LogEvents, 'operation'>,
    DeliveryEvents,
    PairingEvents,
    Pick<KeyUseEvents, 'access'> {
  function: DeploymentChange;
  approval: ApprovalChange;
}

export interface NotificationCentreEvents {
  /** A notification was created, counted up, read or ended. */
  notification: { notification: StoredNotification; isNative: boolean; hasSound: boolean };
}

export interface NotificationCentreOptions {
  database: Database;
  clock: Clock;
  logger: Logger;
  environments: Pick<EnvironmentService, 'find' | 'workspaceEnvironment' | 'keys'>;
  overview: Pick<OverviewService, 'countGivenUpWebhooks'>;
  logs: Pick<LogsService, 'findOperation'>;
  feed: Pick<EventHub<NotificationSources>, 'on'>;
  events: Pick<EventHub<NotificationCentreEvents>, 'emit'>;
  /** The running version. */
  version: string;
  /** Free bytes on the disk of the data folder. */
  freeBytes(): Promise<number>;
}

const DAY_MS = 86_400_000;
const KEPT_MS = 30 * DAY_MS;
const MOST_LISTED = 200;
/** Changes of one thing within this time are checked together. */
const COLLECT_MS = 250;
const UPKEEP_MS = 600_000;
const LOW_BYTES = 1_000_000_000;
/** Well above the limit; otherwise a single file could end and start the notification repeatedly. */
const ENOUGH_BYTES = 1_500_000_000;
/** Ended operations of an environment per check. */
const MOST_CHECKED = 500;
/** Id for notifications of the whole hub. */
const HUB = 0;
/** Cause of the notification about an update. */
const UPDATE = updateNotice('').cause;

/** Notifies people of things that need them: one notification per cause, until the cause has ended. */
export class NotificationCentreService {
  readonly #options: NotificationCentreOptions;
  readonly #store = new NotificationCentreStore();
  readonly #rules = new Map<number, NotificationRules>();
  /** Operations that ended since the last check, by environment; only for environments with a view that needs them. */
  readonly #ended = new Map<number, string[]>();
  /** Causes that have not ended, by environment; most checks concern none of them. */
  #open: Promise<Set<string>> | undefined;
  /** Checks that are due because something may have changed, by cause. */
  readonly #dirty = new Map<string, () => Promise<void>>();
  readonly #upkeep: PeriodicSweep;
  readonly #offs: Array<() => void>;
  #timer: Timer | undefined;
  #working: Promise<void> = Promise.resolve();

  constructor(options: NotificationCentreOptions) {
    this.#options = options;
    this.#upkeep = new PeriodicSweep({
      clock: options.clock,
      logger: options.logger,
      intervalMs: UPKEEP_MS,
      sweep: () => this.#keepUp(),
      failureMessage: 'Old notifications could not be removed; trying again in ten minutes.',
    });
    this.#offs = this.#listen();
    options.environments.keys.onRevoked(({ environmentId, keyId }) =>
      this.#later(`revoked ${keyId}`, () => this.#endAccess(environmentId, keyId)),
    );
  }

  start(): void {
    this.#upkeep.start();
    this.#later(UPDATE, () => this.#checkInstalled());
  }

  async stop(): Promise<void> {
    for (const off of this.#offs) off();
    await this.#upkeep.stop();
    this.#timer?.cancel();
    await this.#work();
  }

  /** Notifications of the last 30 days, newest first. */
  async list(environmentId: number): Promise<{ notifications: StoredNotification[]; unread: number }> {
    const { clock, database } = this.#options;
    const since = clock.now() - KEPT_MS;
    const [notifications, unread] = await Promise.all([
      this.#store.list(database.reader, environmentId, since, MOST_LISTED),
      this.#store.countUnread(database.reader, environmentId, since),
    ]);
    return { notifications, unread };
  }

  /** Without ids: all notifications. */
  async markRead(environmentId: number, ids?: readonly number[]): Promise<void> {
    const { clock, database, events } = this.#options;
    const read = await database.transaction((tx) => this.#store.markRead(tx, environmentId, ids, clock.now()));
    for (const notification of read) events.emit('notification', { notification, isNative: false, hasSound: false });
  }

  async rules(environmentId: number): Promise<NotificationRules> {
    const known = this.#rules.get(environmentId);
    if (known) return known;
    const rules = readRules(await this.#store.findRules(this.#options.database.reader, environmentId));
    this.#rules.set(environmentId, rules);
    return rules;
  }

  async changeRules(environmentId: number, rules: NotificationRules): Promise<void> {
    await this.#options.database.transaction((tx) => this.#store.upsertRules(tx, environmentId, JSON.stringify(rules)));
    this.#rules.set(environmentId, rules);
  }

  /** A version of the desktop app is ready to be installed; null when there is none. */
  async notifyUpdate(version: string | null): Promise<void> {
    const notice = version === null || version === this.#options.version ? undefined : updateNotice(version);
    const before = await this.#store.find(this.#options.database.reader, HUB, UPDATE);
    // Another version is another notification, also for a person who has read the previous one.
    if (before?.title !== notice?.title) await this.#end(HUB, UPDATE);
    if (notice) await this.#notify(HUB, notice);
  }

  /** The update that was ready may be running now; without the desktop app no other event says so. */
  async #checkInstalled(): Promise<void> {
    const shown = await this.#store.find(this.#options.database.reader, HUB, UPDATE);
    if (shown?.title === updateNotice(this.#options.version).title) await this.#end(HUB, UPDATE);
  }

  /** Waits for running checks. */
  async #work(): Promise<void> {
    this.#timer = undefined;
    const checks = [...this.#dirty.values()];
    this.#dirty.clear();
    this.#working = this.#working.then(async () => {
      for (const check of checks) await this.#attempt(check);
    });
    await this.#working;
  }

  async #attempt(check: () => Promise<void>): Promise<void> {
    try {
      await detached(check);
    } catch (error) {
      this.#options.logger.error({ err: error }, 'A notification could not be made.');
    }
  }

  #later(cause: string, check: () => Promise<void>): void {
    this.#dirty.set(cause, check);
    this.#timer ??= this.#options.clock.after(COLLECT_MS, () => void this.#work());
  }

  #listen(): Array<() => void> {
    const { feed } = this.#options;
    return [
      feed.on('connection', (fact) =>
        this.#later(`${fact.environmentId} ${authorizationNotice(fact).cause}`, () => this.#checkAuthorization(fact)),
      ),
      feed.on('sync', (fact) => {
        if (fact.end === undefined) return;
        this.#later(`${fact.environmentId} ${syncNotice(fact, 0).cause}`, () => this.#checkSync(fact));
      }),
      feed.on('operation', (fact) => this.#noteEnd(fact)),
      feed.on('webhook', ({ direction, environmentId }) => {
        if (direction === 'outgoing')
          this.#later(`${environmentId} webhooks`, () => this.#checkWebhooks(environmentId));
      }),
      feed.on('approval', ({ approval, end }) =>
        this.#later(`approval ${approval.id}`, () =>
          this.#notifyOrEnd(end === undefined, approval.environmentId, approvalNotice(approval)),
        ),
      ),
      feed.on('pairing', ({ pairing, end }) =>
        this.#later(`pairing ${pairing.id}`, () =>
          this.#notifyOrEnd(end === undefined, pairing.environmentId, pairingNotice(pairing)),
        ),
      ),
      feed.on('function', (change) => {
        const { environmentId, path } = change.function;
        if (change.kind === 'checked' || change.kind === 'back') return;
        this.#later(`${environmentId} function ${path}`, () =>
          this.#notifyOrEnd(change.kind === 'broken', environmentId, functionNotice(change.function)),
        );
      }),
      feed.on('access', (access) =>
        this.#later(`access ${access.keyId} ${access.program}`, () =>
          this.#notify(access.environmentId, accessNotice(access)),
        ),
      ),
    ];
  }

  /** A new connection has credentials, so there is nothing to check, even for many of them. */
  async #checkAuthorization(of: ConnectionName & { environmentId: number; change: string }): Promise<void> {
    if (of.change === 'created') return this.#end(of.environmentId, authorizationNotice(of).cause);
    const state = await this.#store.findAuthorizationState(this.#options.database.reader, of);
    await this.#notifyOrEnd(state?.isLost === true, of.environmentId, authorizationNotice(of));
  }

  /** A success needs no check: most successful runs follow a successful one. */
  async #checkSync(of: SyncName & { environmentId: number; end?: 'success' | 'other' }): Promise<void> {
    if (of.end === 'success') return this.#end(of.environmentId, syncNotice(of, 0).cause);
    const [state, { syncFailures }] = await Promise.all([
      this.#store.findSyncFailures(this.#options.database.reader, of),
      this.rules(of.environmentId),
    ]);
    const failures = state?.failures ?? 0;
    // Below the limit there is no new notification, and only a success ends an existing one.
    if (failures > 0 && failures < syncFailures) return;
    await this.#notifyOrEnd(failures > 0, of.environmentId, syncNotice(of, failures));
  }

  /** Environments whose rules are not loaded yet are checked as well. */
  #noteEnd({ changed, environmentId, id }: LogEvents['operation']): void {
    if (changed.endedAt == null || this.#rules.get(environmentId)?.views.length === 0) return;
    const ended = this.#ended.get(environmentId) ?? [];
    this.#ended.set(environmentId, ended);
    // Of very many, the first ones are enough: their notification leads to all of them.
    if (ended.length < MOST_CHECKED) ended.push(id);
    this.#later(`${environmentId} views`, () => this.#checkViews(environmentId));
  }

  async #checkViews(environmentId: number): Promise<void> {
    const ended = this.#ended.get(environmentId) ?? [];
    this.#ended.delete(environmentId);
    const { views } = await this.rules(environmentId);
    if (views.length === 0) return;
    const matches = new Map(views.map((view) => [view, 0]));
    for (const id of ended) {
      const row = await this.#options.logs.findOperation(environmentId, id);
      if (!row) continue;
      for (const view of views) if (matchesLogFilter(row, view.filter)) matches.set(view, (matches.get(view) ?? 0) + 1);
    }
    for (const [view, more] of matches) if (more > 0) await this.#notify(environmentId, viewNotice(view, more));
  }

  async #checkWebhooks(environmentId: number): Promise<void> {
    const count = await this.#options.overview.countGivenUpWebhooks(environmentId);
    await this.#notifyOrEnd(count > 0, environmentId, webhookNotice(count));
  }

  async #keepUp(): Promise<void> {
    const { clock, database } = this.#options;
    await database.transaction((tx) => this.#store.removeOld(tx, clock.now() - KEPT_MS));
    const free = await this.#options.freeBytes();
    if (free >= LOW_BYTES && free < ENOUGH_BYTES) return;
    await this.#notifyOrEnd(free < LOW_BYTES, HUB, diskNotice(free));
  }

  #notifyOrEnd(isThere: boolean, environmentId: number, notice: Notice): Promise<void> {
    return isThere ? this.#notify(environmentId, notice) : this.#end(environmentId, notice.cause);
  }

  /**
   * Creates or updates a notification. An open one is counted up, and is shown natively again only if it had been read.
   */
  async #notify(environmentId: number, { count, more = 1, wakes = false, ...notice }: Notice): Promise<void> {
    const { clock, database, environments, events } = this.#options;
    const environment = environmentId === HUB ? environments.workspaceEnvironment : environments.find(environmentId);
    if (!environment) return;
    const rules = await this.rules(environment.id);
    if (rules.kinds[notice.kind] === 'off') return;
    const now = clock.now();
    const link = environmentId === HUB ? notice.link : `${this.#path(environment)}${notice.link}`;
    const noted = await database.transaction(async (tx) => {
      const before = await this.#store.find(tx, environmentId, notice.cause);
      const isOpen = before !== undefined && before.overAt === null;
      // Nothing has changed since the notification.
      if (isOpen && count === before.count) return undefined;
      const isAgain = isOpen && count !== undefined && !(wakes && count > before.count);
      const notification = await this.#store.upsert(tx, {
        ...notice,
        link,
        environmentId,
        count: count ?? (isOpen ? before.count : 0) + more,
        at: now,
        readAt: isAgain ? before.readAt : null,
        overAt: null,
      });
      return { notification, isNative: !isAgain && (!isOpen || before.readAt !== null) };
    });
    (await this.#openCauses()).add(`${environmentId} ${notice.cause}`);
    if (!noted) return;
    const isNative = noted.isNative && isShownNatively(rules, notice.kind, now);
    const hasSound = isNative && rules.hasSound;
    events.emit('notification', { notification: noted.notification, isNative, hasSound });
  }

  async #end(environmentId: number, cause: string): Promise<void> {
    const { clock, database, events } = this.#options;
    const causes = await this.#openCauses();
    if (!causes.delete(`${environmentId} ${cause}`)) return;
    const open = await this.#store.find(database.reader, environmentId, cause);
    if (!open || open.overAt !== null) return;
    const { id: _, ...row } = open;
    const notification = await database.transaction((tx) => this.#store.upsert(tx, { ...row, overAt: clock.now() }));
    events.emit('notification', { notification, isNative: false, hasSound: false });
  }

  /** A revoked key is no longer used, so nothing is left to be done about it. */
  async #endAccess(environmentId: number, keyId: number): Promise<void> {
    const scope = `${environmentId} `;
    const start = `${scope}${accessCauses(keyId)}`;
    for (const cause of [...(await this.#openCauses())].filter((one) => one.startsWith(start)))
      await this.#end(environmentId, cause.slice(scope.length));
  }

  #openCauses(): Promise<Set<string>> {
    this.#open ??= this.#store
      .listOpen(this.#options.database.reader)
      .then((rows) => new Set(rows.map(({ cause, environmentId }) => `${environmentId} ${cause}`)));
    return this.#open;
  }

  #path({ name }: Environment): string {
    return `/${encodeURIComponent(name)}`;
  }
}
