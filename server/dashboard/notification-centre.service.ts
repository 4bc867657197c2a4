import type { EnvironmentService } from '../environments/environment.service.ts';
import type { LogEvents } from '../log/log-events.ts';
import { matchesLogFilter } from '../log/log-query.contract.ts';
import type { LogsService } from '../log/logs.service.ts';
import type { Database } from '../platform/database/database.ts';
import type { Clock, Timer } from '../platform/lib/clock.ts';
import { detached } from '../platform/lib/detached.ts';
import type { EventHub } from '../platform/lib/event-hub.ts';
import { isToldAgain } from '../platform/lib/failure-cause.ts';
import { loadOnce } from '../platform/lib/load-once.ts';
import type { Logger } from '../platform/lib/logger.ts';
import { PeriodicSweep } from '../platform/lib/periodic-sweep.ts';
import type { SeenTime } from '../platform/scheduler/seen-time.ts';
import type { NotificationRules } from './dashboard-notifications.contract.ts';
import {
  accessCauses,
  accessNotice,
  approvalNotice,
  destinationNotice,
  diskNotice,
  driftNotice,
  functionNotice,
  type Notice,
  pairingNotice,
  signInNotice,
  snapshotNotice,
  syncNotice,
  unsentNotice,
  updateNotice,
  viewNotice,
  webhookNotice,
} from './notices.ts';
import { NotificationCentreStore, type StoredNotification } from './notification-centre.store.ts';
import { isShownNatively, readRules } from './notification-rules.ts';
import type { NotificationSources } from './notification-sources.ts';
import {
  DELIVERY_CAUSES,
  DESTINATION_CAUSES,
  type FunctionOfCause,
  type OverviewService,
  signInCauses,
  syncCauses,
} from './overview.service.ts';

export interface NotificationCentreEvents {
  /** A notification was created, counted up, read or ended. */
  notification: { notification: StoredNotification; isNative: boolean; hasSound: boolean };
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

export type NotificationCentreService = ReturnType<typeof createNotificationCentreService>;

/** Notifies people of states and events that they should act on: one notification per cause, until it has ended. */
export function createNotificationCentreService(use: {
  database: Database;
  clock: Clock;
  logger: Logger;
  seenTime: Pick<SeenTime, 'isDoubtful'>;
  environments: Pick<EnvironmentService, 'find' | 'keys' | 'list' | 'workspaceEnvironment'>;
  overview: Pick<
    OverviewService,
    'countFailures' | 'listDeliveryGroups' | 'listDestinationGroups' | 'listSignInGroups' | 'listSyncGroups'
  >;
  logs: Pick<LogsService, 'findOperation'>;
  feed: Pick<EventHub<NotificationSources>, 'on'>;
  events: Pick<EventHub<NotificationCentreEvents>, 'emit'>;
  /** The running version. */
  version: string;
  /** Free bytes on the disk of the data folder. */
  freeBytes(): Promise<number>;
}) {
  const { database, clock, logger, seenTime, environments, overview, logs, feed, events, version, freeBytes } = use;
  const store = new NotificationCentreStore();
  const knownRules = new Map<number, NotificationRules>();
  /** Operations that ended since the last check, by environment; only for environments with a view that needs them. */
  const endedByEnvironment = new Map<number, string[]>();
  /** Checks that are due because something may have changed, by cause. */
  const dirty = new Map<string, () => Promise<void>>();
  let timer: Timer | undefined;
  let checking = Promise.resolve();
  /** `<environment id> <cause>` of the notifications that have not ended; most checks concern none of them. */
  const openCauses = loadOnce(async () => {
    const rows = await store.listOpen(database.reader);
    return new Set(rows.map(({ cause, environmentId }) => `${environmentId} ${cause}`));
  });
  const sweeps = new PeriodicSweep({
    clock,
    logger,
    intervalMs: SWEEP_EVERY_MS,
    sweep: () => sweep(),
    failureMessage: 'Old notifications could not be removed; trying again in ten minutes.',
  });
  const unsubscribers = listen();
  environments.keys.onRevoked(({ environmentId, keyId }) =>
    schedule(`revoked ${keyId}`, () => endAccess(environmentId, keyId)),
  );

  function start(): void {
    sweeps.start();
    schedule(UPDATE, () => checkInstalled());
  }

  async function stop(): Promise<void> {
    for (const unsubscribe of unsubscribers) unsubscribe();
    await sweeps.stop();
    timer?.cancel();
    await runChecks();
  }

  /** Notifications of the last 30 days, newest first, at most 200, and the number of unread ones. */
  async function list(environmentId: number): Promise<{ notifications: StoredNotification[]; unread: number }> {
    const since = clock.now() - KEPT_MS;
    const [notifications, unread] = await Promise.all([
      store.list(database.reader, environmentId, since, MAX_LISTED),
      store.countUnread(database.reader, environmentId, since),
    ]);
    return { notifications, unread };
  }

  /** Without ids: all notifications. */
  async function markRead(environmentId: number, ids?: readonly number[]): Promise<void> {
    const read = await database.transaction((tx) => store.markRead(tx, environmentId, ids, clock.now()));
    for (const notification of read) events.emit('notification', { notification, isNative: false, hasSound: false });
  }

  async function rules(environmentId: number): Promise<NotificationRules> {
    const known = knownRules.get(environmentId);
    if (known) return known;
    const stored = readRules(await store.findRules(database.reader, environmentId));
    knownRules.set(environmentId, stored);
    return stored;
  }

  async function changeRules(environmentId: number, changed: NotificationRules): Promise<void> {
    await database.transaction((tx) => store.upsertRules(tx, environmentId, JSON.stringify(changed)));
    knownRules.set(environmentId, changed);
  }

  /** Updates the notification about a version of the desktop app that is ready to be installed; null: there is none. */
  async function notifyUpdate(ready: string | null): Promise<void> {
    const notice = ready === null || ready === version ? undefined : updateNotice(ready);
    const before = await store.find(database.reader, HUB, UPDATE);
    // Another version is another notification, also for a person who has read the previous one.
    if (before?.title !== notice?.title) await end(HUB, UPDATE);
    if (notice) await notify(HUB, notice);
  }

  /** Ends the notification about the version that runs now. Without the desktop app no other event ends it. */
  async function checkInstalled(): Promise<void> {
    const shown = await store.find(database.reader, HUB, UPDATE);
    if (shown?.title === updateNotice(version).title) await end(HUB, UPDATE);
  }

  /** Makes the due checks, after the running ones. */
  async function runChecks(): Promise<void> {
    timer = undefined;
    const checks = [...dirty.values()];
    dirty.clear();
    checking = checking.then(async () => {
      for (const check of checks) await runCheck(check);
    });
    await checking;
  }

  async function runCheck(check: () => Promise<void>): Promise<void> {
    try {
      await detached(check);
    } catch (error) {
      logger.error({ err: error }, 'A notification could not be created or updated.');
    }
  }

  /** Makes the check soon. Replaces a check of the same cause that is due. */
  function schedule(cause: string, check: () => Promise<void>): void {
    dirty.set(cause, check);
    timer ??= clock.after(COLLECT_MS, () => void runChecks());
  }

  function listen(): Array<() => void> {
    return [
      feed.on('connection', ({ change, environmentId, integrationKey }) => {
        // A new connection has credentials: an import may create thousands.
        if (change === 'created') return;
        schedule(`${environmentId} ${signInCauses(integrationKey)}`, () => checkSignIns(environmentId, integrationKey));
      }),
      feed.on('sync', ({ end, environmentId, integrationKey, sync }) => {
        if (end === undefined) return;
        const of = { integrationKey, sync };
        schedule(`${environmentId} ${syncCauses(of)} ${end}`, () => checkSyncs(environmentId, of, end));
      }),
      feed.on('operation', (event) => collectEnded(event)),
      feed.on('webhook', ({ direction, environmentId }) => {
        if (direction === 'outgoing')
          schedule(`${environmentId} ${DELIVERY_CAUSES}`, () => checkWebhooks(environmentId));
      }),
      feed.on('destination', ({ environmentId }) =>
        schedule(`${environmentId} ${DESTINATION_CAUSES}`, () => checkDestinations(environmentId)),
      ),
      feed.on('approval', ({ approval, end }) =>
        schedule(`approval ${approval.id}`, () =>
          notifyOrEnd(end === undefined, approval.environmentId, approvalNotice(approval)),
        ),
      ),
      feed.on('question_sent', ({ environmentId, problem }) =>
        schedule(`${environmentId} unsent`, () =>
          notifyOrEnd(problem !== null, environmentId, unsentNotice(problem ?? '')),
        ),
      ),
      feed.on('pairing', ({ pairing, end }) =>
        schedule(`pairing ${pairing.id}`, () =>
          notifyOrEnd(end === undefined, pairing.environmentId, pairingNotice(pairing)),
        ),
      ),
      feed.on('function', (change) => {
        const { environmentId, path } = change.function;
        if (change.kind === 'checked' || change.kind === 'back') return;
        schedule(`${environmentId} function ${path}`, () =>
          notifyOrEnd(change.kind === 'broken', environmentId, functionNotice(change.function)),
        );
      }),
      feed.on('drift', (fact) => {
        const { changes, environmentId, integrationKey, isNews, problem } = fact;
        const isOpen = changes.length > 0 || problem !== null;
        // The same again next week is no news.
        if (isOpen && !isNews) return;
        schedule(`${environmentId} drift ${integrationKey}`, () =>
          notifyOrEnd(isOpen, environmentId, driftNotice(fact)),
        );
      }),
      feed.on('snapshot', ({ environmentId, problem }) =>
        schedule(`${environmentId} snapshot`, () =>
          notifyOrEnd(problem !== null, environmentId, snapshotNotice(problem)),
        ),
      ),
      feed.on('access', (access) =>
        schedule(`access ${access.keyId} ${access.program}`, () => notify(access.environmentId, accessNotice(access))),
      ),
    ];
  }

  async function checkSignIns(environmentId: number, integrationKey?: string): Promise<void> {
    const groups = await overview.listSignInGroups(environmentId, integrationKey);
    await notifyCauses(environmentId, signInCauses(integrationKey), groups.map(signInNotice));
  }

  /** After a success nothing is read unless there is a notification: most successful runs follow a successful one. */
  async function checkSyncs(environmentId: number, of: FunctionOfCause, end: 'success' | 'other'): Promise<void> {
    const start = syncCauses(of);
    const open = await listOpen(environmentId, start);
    if (end === 'success' && open.length === 0) return;
    const { syncFailures } = await rules(environmentId);
    const notices: Notice[] = [];
    // A person may run a paused sync, and waits for its end.
    const groups = await overview.listSyncGroups(environmentId, { ...of, hasPaused: true });
    // The log will say why the run failed in a moment.
    if (groups.some(({ members }) => members.some(({ isEnding }) => isEnding === 1)))
      return schedule(`${environmentId} ${start} ${end}`, () => checkSyncs(environmentId, of, end));
    for (const group of groups) {
      const failures = await overview.countFailures(group.members);
      // Below the limit there is no new notification; an existing one goes on until its cause is over.
      if (failures >= syncFailures || open.includes(group.cause)) notices.push(syncNotice(group, failures));
    }
    await notifyCauses(environmentId, start, notices);
  }

  async function checkWebhooks(environmentId: number): Promise<void> {
    const groups = await overview.listDeliveryGroups(environmentId);
    await notifyCauses(environmentId, DELIVERY_CAUSES, groups.map(webhookNotice));
  }

  async function checkDestinations(environmentId: number): Promise<void> {
    const groups = await overview.listDestinationGroups(environmentId);
    await notifyCauses(environmentId, DESTINATION_CAUSES, groups.map(destinationNotice));
  }

  /** Notifies about these causes, and ends the notifications about others that begin with the same text. */
  async function notifyCauses(environmentId: number, start: string, notices: readonly Notice[]): Promise<void> {
    const current = new Set(notices.map(({ cause }) => cause));
    for (const cause of await listOpen(environmentId, start)) if (!current.has(cause)) await end(environmentId, cause);
    for (const notice of notices) await notify(environmentId, notice);
  }

  /** Causes of open notifications that begin with a text. */
  async function listOpen(environmentId: number, start: string): Promise<string[]> {
    const scope = `${environmentId} `;
    const open = [...(await openCauses())].filter((one) => one.startsWith(`${scope}${start}`));
    return open.map((one) => one.slice(scope.length));
  }

  /** Ignores environments that are known to have no views with notifications. */
  function collectEnded({ changed, environmentId, id }: LogEvents['operation']): void {
    if (changed.endedAt == null || knownRules.get(environmentId)?.views.length === 0) return;
    const ended = endedByEnvironment.get(environmentId) ?? [];
    endedByEnvironment.set(environmentId, ended);
    // Of very many operations the first ones are enough: the link of their notification shows all of them.
    if (ended.length < MAX_CHECKED) ended.push(id);
    schedule(`${environmentId} views`, () => checkViews(environmentId));
  }

  async function checkViews(environmentId: number): Promise<void> {
    const ended = endedByEnvironment.get(environmentId) ?? [];
    endedByEnvironment.delete(environmentId);
    const { views } = await rules(environmentId);
    if (views.length === 0) return;
    const matches = new Map(views.map((view) => [view, 0]));
    for (const id of ended) {
      const row = await logs.findOperation(environmentId, id);
      if (!row) continue;
      for (const view of views) if (matchesLogFilter(row, view.filter)) matches.set(view, (matches.get(view) ?? 0) + 1);
    }
    for (const [view, more] of matches) if (more > 0) await notify(environmentId, viewNotice(view, more));
  }

  async function sweep(): Promise<void> {
    if (!seenTime.isDoubtful()) await database.transaction((tx) => store.removeOld(tx, clock.now() - KEPT_MS));
    // Credentials that nothing can renew end without an event.
    for (const { id } of environments.list()) await checkSignIns(id);
    const free = await freeBytes();
    if (free >= LOW_BYTES && free < ENOUGH_BYTES) return;
    await notifyOrEnd(free < LOW_BYTES, HUB, diskNotice(free));
  }

  function notifyOrEnd(isOpen: boolean, environmentId: number, notice: Notice): Promise<void> {
    return isOpen ? notify(environmentId, notice) : end(environmentId, notice.cause);
  }

  /**
   * Creates or updates a notification. A failure is told again by `isToldAgain`; anything else is shown natively again
   * once it had been read.
   */
  async function notify(environmentId: number, { count, more = 1, size, ...notice }: Notice): Promise<void> {
    const environment = environmentId === HUB ? environments.workspaceEnvironment : environments.find(environmentId);
    if (!environment) return;
    const own = await rules(environment.id);
    if (own.kinds[notice.kind] === 'off') return;
    const now = clock.now();
    const link = environmentId === HUB ? notice.link : `/${encodeURIComponent(environment.name)}${notice.link}`;
    const noted = await database.transaction(async (tx) => {
      const before = await store.find(tx, environmentId, notice.cause);
      const isOpen = before !== undefined && before.overAt === null;
      // Nothing has changed since the notification.
      if (isOpen && count === before.count && notice.title === before.title && notice.text === before.text)
        return undefined;
      const isKnown = size === undefined ? isOpen && count !== undefined : before && !isToldAgain(before, size, now);
      const notification = await store.upsert(tx, {
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
    (await openCauses()).add(`${environmentId} ${notice.cause}`);
    if (!noted) return;
    const isNative = noted.isNative && isShownNatively(own, notice.kind, now);
    const hasSound = isNative && own.hasSound;
    events.emit('notification', { notification: noted.notification, isNative, hasSound });
  }

  async function end(environmentId: number, cause: string): Promise<void> {
    const causes = await openCauses();
    if (!causes.has(`${environmentId} ${cause}`)) return;
    const notification = await database.transaction(async (tx) => {
      const open = await store.find(tx, environmentId, cause);
      if (!open || open.overAt !== null) return undefined;
      const { id: _, ...row } = open;
      return store.upsert(tx, { ...row, overAt: clock.now() });
    });
    causes.delete(`${environmentId} ${cause}`);
    if (notification) events.emit('notification', { notification, isNative: false, hasSound: false });
  }

  /** Ends the notifications about the use of a key that was revoked. */
  async function endAccess(environmentId: number, keyId: number): Promise<void> {
    for (const cause of await listOpen(environmentId, accessCauses(keyId))) await end(environmentId, cause);
  }

  return { start, stop, list, markRead, rules, changeRules, notifyUpdate };
}
