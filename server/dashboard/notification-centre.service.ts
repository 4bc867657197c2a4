import type { ConnectionEvents } from '../connections/connections.service.ts';
import type { PairingEvents } from '../environments/app-pairings.ts';
import type { Environment, EnvironmentService } from '../environments/environment.service.ts';
import type { KeyUseEvents } from '../environments/key-use.ts';
import type { DeploymentChange } from '../functions/deployments/deployed-function.ts';
import type { LogEvents } from '../log/log-events.ts';
import { matchesLogFilter } from '../log/log-query.contract.ts';
import type { LogsService } from '../log/logs.service.ts';
import type { ApprovalChange } from '../mcp/mcp.service.ts';
import type { Database } from '../platform/database/database.ts';
import type { Clock, Timer } from '../platform/lib/clock.ts';
import { detached } from '../platform/lib/detached.ts';
import type { EventHub } from '../platform/lib/event-hub.ts';
import { isToldAgain } from '../platform/lib/failure-cause.ts';
import { loadOnce } from '../platform/lib/load-once.ts';
import type { Logger } from '../platform/lib/logger.ts';
import { PeriodicSweep } from '../platform/lib/periodic-sweep.ts';
import type { SyncEvents } from '../syncs/sync-events.ts';
import type { DeliveryEvents } from '../webhooks-out/delivery-runner.ts';
import type { NotificationRules } from './dashboard-notifications.contract.ts';
import {
  accessCauses,
  accessNotice,
  approvalNotice,
  diskNotice,
  functionNotice,
  type Notice,
  pairingNotice,
  signInNotice,
  syncNotice,
  updateNotice,
  viewNotice,
  webhookNotice,
} from './notices.ts';
import { NotificationCentreStore, type StoredNotification } from './notification-centre.store.ts';
import { isShownNatively, readRules } from './notification-rules.ts';
import {
  DELIVERY_CAUSES,
  type FunctionOfCause,
  type OverviewService,
  signInCauses,
  syncCauses,
} from './overview.service.ts';

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
  environments: Pick<EnvironmentService, 'find' | 'keys' | 'list' | 'workspaceEnvironment'>;
  overview: Pick<OverviewService, 'countFailures' | 'listDeliveryGroups' | 'listSignInGroups' | 'listSyncGroups'>;
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
const MAX_LISTED = 200;
/** Events with the same cause within this time lead to one check. */
const COLLECT_MS = 250;
const SWEEP_EVERY_MS = 600_000;
const LOW_BYTES = 1_000_000_000;
/** Well above the limit; otherwise a single file could end and start the notification repeatedly. */
const ENOUGH_BYTES = 1_500_000_000;
/** Ended operations of an environment per check. */
const MAX_CHECKED = 500;
/** Instead of an environment's id, for notifications of the whole hub. */
const HUB = 0;
/** Cause of the notification about an update. */
const UPDATE = updateNotice('').cause;

/** Notifies people of states and events that they should act on: one notification per cause, until it has ended. */
export class NotificationCentreService {
  readonly #options: NotificationCentreOptions;
  readonly #store = new NotificationCentreStore();
  readonly #rules = new Map<number, NotificationRules>();
  /** Operations that ended since the last check, by environment; only for environments with a view that needs them. */
  readonly #ended = new Map<number, string[]>();
  /** `<environment id> <cause>` of the notifications that have not ended; most checks concern none of them. */
  readonly #openCauses: () => Promise<Set<string>>;
  /** Checks that are due because something may have changed, by cause. */
  readonly #dirty = new Map<string, () => Promise<void>>();
  readonly #sweeps: PeriodicSweep;
  readonly #unsubscribe: Array<() => void>;
  #timer: Timer | undefined;
  #checking: Promise<void> = Promise.resolve();

  constructor(options: NotificationCentreOptions) {
    this.#options = options;
    this.#openCauses = loadOnce(async () => {
      const rows = await this.#store.listOpen(options.database.reader);
      return new Set(rows.map(({ cause, environmentId }) => `${environmentId} ${cause}`));
    });
    this.#sweeps = new PeriodicSweep({
      clock: options.clock,
      logger: options.logger,
      intervalMs: SWEEP_EVERY_MS,
      sweep: () => this.#sweep(),
      failureMessage: 'Old notifications could not be removed; trying again in ten minutes.',
    });
    this.#unsubscribe = this.#listen();
    options.environments.keys.onRevoked(({ environmentId, keyId }) =>
      this.#schedule(`revoked ${keyId}`, () => this.#endAccess(environmentId, keyId)),
    );
  }

  start(): void {
    this.#sweeps.start();
    this.#schedule(UPDATE, () => this.#checkInstalled());
  }

  async stop(): Promise<void> {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    await this.#sweeps.stop();
    this.#timer?.cancel();
    await this.#runChecks();
  }

  /** Notifications of the last 30 days, newest first, at most 200, and the number of unread ones. */
  async list(environmentId: number): Promise<{ notifications: StoredNotification[]; unread: number }> {
    const { clock, database } = this.#options;
    const since = clock.now() - KEPT_MS;
    const [notifications, unread] = await Promise.all([
      this.#store.list(database.reader, environmentId, since, MAX_LISTED),
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

  /** Updates the notification about a version of the desktop app that is ready to be installed; null: there is none. */
  async notifyUpdate(version: string | null): Promise<void> {
    const notice = version === null || version === this.#options.version ? undefined : updateNotice(version);
    const before = await this.#store.find(this.#options.database.reader, HUB, UPDATE);
    // Another version is another notification, also for a person who has read the previous one.
    if (before?.title !== notice?.title) await this.#end(HUB, UPDATE);
    if (notice) await this.#notify(HUB, notice);
  }

  /** Ends the notification about the version that runs now. Without the desktop app no other event ends it. */
  async #checkInstalled(): Promise<void> {
    const shown = await this.#store.find(this.#options.database.reader, HUB, UPDATE);
    if (shown?.title === updateNotice(this.#options.version).title) await this.#end(HUB, UPDATE);
  }

  /** Makes the due checks, after the running ones. */
  async #runChecks(): Promise<void> {
    this.#timer = undefined;
    const checks = [...this.#dirty.values()];
    this.#dirty.clear();
    this.#checking = this.#checking.then(async () => {
      for (const check of checks) await this.#runCheck(check);
    });
    await this.#checking;
  }

  async #runCheck(check: () => Promise<void>): Promise<void> {
    try {
      await detached(check);
    } catch (error) {
      this.#options.logger.error({ err: error }, 'A notification could not be created or updated.');
    }
  }

  /** Makes the check soon. Replaces a check of the same cause that is due. */
  #schedule(cause: string, check: () => Promise<void>): void {
    this.#dirty.set(cause, check);
    this.#timer ??= this.#options.clock.after(COLLECT_MS, () => void this.#runChecks());
  }

  #listen(): Array<() => void> {
    const { feed } = this.#options;
    return [
      feed.on('connection', ({ change, environmentId, integrationKey }) => {
        // A new connection has credentials: an import may create thousands.
        if (change === 'created') return;
        this.#schedule(`${environmentId} ${signInCauses(integrationKey)}`, () =>
          this.#checkSignIns(environmentId, integrationKey),
        );
      }),
      feed.on('sync', ({ end, environmentId, integrationKey, sync }) => {
        if (end === undefined) return;
        const of = { integrationKey, sync };
        this.#schedule(`${environmentId} ${syncCauses(of)} ${end}`, () => this.#checkSyncs(environmentId, of, end));
      }),
      feed.on('operation', (event) => this.#collectEnded(event)),
      feed.on('webhook', ({ direction, environmentId }) => {
        if (direction === 'outgoing')
          this.#schedule(`${environmentId} ${DELIVERY_CAUSES}`, () => this.#checkWebhooks(environmentId));
      }),
      feed.on('approval', ({ approval, end }) =>
        this.#schedule(`approval ${approval.id}`, () =>
          this.#notifyOrEnd(end === undefined, approval.environmentId, approvalNotice(approval)),
        ),
      ),
      feed.on('pairing', ({ pairing, end }) =>
        this.#schedule(`pairing ${pairing.id}`, () =>
          this.#notifyOrEnd(end === undefined, pairing.environmentId, pairingNotice(pairing)),
        ),
      ),
      feed.on('function', (change) => {
        const { environmentId, path } = change.function;
        if (change.kind === 'checked' || change.kind === 'back') return;
        this.#schedule(`${environmentId} function ${path}`, () =>
          this.#notifyOrEnd(change.kind === 'broken', environmentId, functionNotice(change.function)),
        );
      }),
      feed.on('access', (access) =>
        this.#schedule(`access ${access.keyId} ${access.program}`, () =>
          this.#notify(access.environmentId, accessNotice(access)),
        ),
      ),
    ];
  }

  async #checkSignIns(environmentId: number, integrationKey?: string): Promise<void> {
    const groups = await this.#options.overview.listSignInGroups(environmentId, integrationKey);
    await this.#notifyCauses(environmentId, signInCauses(integrationKey), groups.map(signInNotice));
  }

  /** After a success nothing is read unless there is a notification: most successful runs follow a successful one. */
  async #checkSyncs(environmentId: number, of: FunctionOfCause, end: 'success' | 'other'): Promise<void> {
    const { overview } = this.#options;
    const start = syncCauses(of);
    const open = await this.#listOpen(environmentId, start);
    if (end === 'success' && open.length === 0) return;
    const { syncFailures } = await this.rules(environmentId);
    const notices: Notice[] = [];
    // A person may run a paused sync, and waits for its end.
    const groups = await overview.listSyncGroups(environmentId, { ...of, hasPaused: true });
    // The log will say why the run failed in a moment.
    if (groups.some(({ members }) => members.some(({ isEnding }) => isEnding === 1)))
      return this.#schedule(`${environmentId} ${start} ${end}`, () => this.#checkSyncs(environmentId, of, end));
    for (const group of groups) {
      const failures = await overview.countFailures(group.members);
      // Below the limit there is no new notification; an existing one goes on until its cause is over.
      if (failures >= syncFailures || open.includes(group.cause)) notices.push(syncNotice(group, failures));
    }
    await this.#notifyCauses(environmentId, start, notices);
  }

  async #checkWebhooks(environmentId: number): Promise<void> {
    const groups = await this.#options.overview.listDeliveryGroups(environmentId);
    await this.#notifyCauses(environmentId, DELIVERY_CAUSES, groups.map(webhookNotice));
  }

  /** Notifies about these causes, and ends the notifications about others that begin with the same text. */
  async #notifyCauses(environmentId: number, start: string, notices: readonly Notice[]): Promise<void> {
    const current = new Set(notices.map(({ cause }) => cause));
    for (const cause of await this.#listOpen(environmentId, start))
      if (!current.has(cause)) await this.#end(environmentId, cause);
    for (const notice of notices) await this.#notify(environmentId, notice);
  }

  /** Causes of open notifications that begin with a text. */
  async #listOpen(environmentId: number, start: string): Promise<string[]> {
    const scope = `${environmentId} `;
    const open = [...(await this.#openCauses())].filter((one) => one.startsWith(`${scope}${start}`));
    return open.map((one) => one.slice(scope.length));
  }

  /** Ignores environments that are known to have no views with notifications. */
  #collectEnded({ changed, environmentId, id }: LogEvents['operation']): void {
    if (changed.endedAt == null || this.#rules.get(environmentId)?.views.length === 0) return;
    const ended = this.#ended.get(environmentId) ?? [];
    this.#ended.set(environmentId, ended);
    // Of very many operations the first ones are enough: the link of their notification shows all of them.
    if (ended.length < MAX_CHECKED) ended.push(id);
    this.#schedule(`${environmentId} views`, () => this.#checkViews(environmentId));
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

  async #sweep(): Promise<void> {
    const { clock, database } = this.#options;
    await database.transaction((tx) => this.#store.removeOld(tx, clock.now() - KEPT_MS));
    // Credentials that nothing can renew end without an event.
    for (const { id } of this.#options.environments.list()) await this.#checkSignIns(id);
    const free = await this.#options.freeBytes();
    if (free >= LOW_BYTES && free < ENOUGH_BYTES) return;
    await this.#notifyOrEnd(free < LOW_BYTES, HUB, diskNotice(free));
  }

  #notifyOrEnd(isOpen: boolean, environmentId: number, notice: Notice): Promise<void> {
    return isOpen ? this.#notify(environmentId, notice) : this.#end(environmentId, notice.cause);
  }

  /**
   * Creates or updates a notification. A failure is told again by `isToldAgain`; anything else is shown natively again
   * once it had been read.
   */
  async #notify(environmentId: number, { count, more = 1, size, ...notice }: Notice): Promise<void> {
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
      if (isOpen && count === before.count && notice.title === before.title && notice.text === before.text)
        return undefined;
      const isKnown = size === undefined ? isOpen && count !== undefined : before && !isToldAgain(before, size, now);
      const notification = await this.#store.upsert(tx, {
        ...notice,
        link,
        environmentId,
        count: count ?? (isOpen ? before.count : 0) + more,
        at: now,
        readAt: isKnown && before ? before.readAt : null,
        overAt: null,
        toldSize: isKnown && before ? before.toldSize : (size ?? 1),
      });
      return { notification, isNative: !isKnown && (size !== undefined || !isOpen || before.readAt !== null) };
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
    if (!causes.has(`${environmentId} ${cause}`)) return;
    const notification = await database.transaction(async (tx) => {
      const open = await this.#store.find(tx, environmentId, cause);
      if (!open || open.overAt !== null) return undefined;
      const { id: _, ...row } = open;
      return this.#store.upsert(tx, { ...row, overAt: clock.now() });
    });
    causes.delete(`${environmentId} ${cause}`);
    if (notification) events.emit('notification', { notification, isNative: false, hasSound: false });
  }

  /** Ends the notifications about the use of a key that was revoked. */
  async #endAccess(environmentId: number, keyId: number): Promise<void> {
    for (const cause of await this.#listOpen(environmentId, accessCauses(keyId))) await this.#end(environmentId, cause);
  }

  #path({ name }: Environment): string {
    return `/${encodeURIComponent(name)}`;
  }
}
