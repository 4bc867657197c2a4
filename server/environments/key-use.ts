import type { Database } from '../platform/database/database.ts';
import type { Clock, Timer } from '../platform/lib/clock.ts';
import { detached } from '../platform/lib/detached.ts';
import type { EventSink } from '../platform/lib/event-hub.ts';
import type { Logger } from '../platform/lib/logger.ts';
import type { AuditStore, NewAuditEntry } from './audit.store.ts';
import { type ClientProcess, findClientProcess, type SocketEnds } from './client-process.ts';
import { type ConnectionUser, KeyUseStore } from './key-use.store.ts';

export type { ConnectionUser } from './key-use.store.ts';

export interface KeyUseEvents {
  /** A key was used, created, changed or revoked. */
  key: { environmentId: number; id: number };
  /** An app read credentials for the first time, or its key was used by a new program. */
  access: { environmentId: number; keyId: number; app: string; program: string | null };
}

/** A key and its environment. */
export interface KeyCall {
  keyId: number;
  environment: { id: number };
}

interface Target {
  integrationKey: string | null;
  connectionId: string | null;
}

interface Tally extends Target {
  count: number;
}

/** Counts of a key since the last batch. */
interface Counts {
  environmentId: number;
  calls: number;
  reads: Tally;
  proxied: Tally;
  /** Number of refused calls by missing scope and route. */
  refused: Map<string, number>;
  /** The used connections: connection ids by integration. */
  used: Map<string, Set<string>>;
}

export interface KeyFigures {
  calls: number;
  credentialReads: number;
  process: { name: string; path: string; at: number } | null;
}

const HOUR_MS = 3_600_000;
/**
 * Counts are stored this often while there are calls; the first call of a key at once, because a person may wait for
 * it.
 */
const BATCH_MS = 2000;
const FIRST_BATCH_MS = 100;
/** The calling program is determined at most this often per key, because that reads a list of all open files. */
const IDENTIFY_EVERY_MS = 30_000;
/** Different refusals of one key per batch; further ones count as calls only. */
const MAX_REFUSALS = 50;
/** Uses of a connection that are shown: of the last seven days. */
const SHOWN_USES_MS = 7 * 24 * HOUR_MS;
/** Limit per batch for the integrations of a key, and for the connections of each; further uses are not stored. */
const MAX_USED = 1000;
/** Programs stored per key. */
const MAX_PROCESSES = 20;

/** Counts the use of keys: in memory, so that calls do not wait for it, and stored in batches. */
export function createKeyUse(use: {
  database: Database;
  auditStore: AuditStore;
  clock: Clock;
  logger: Logger;
  events: EventSink<KeyUseEvents & { audit: { environmentId: number | null } }>;
}) {
  const { database, auditStore, clock, logger, events } = use;
  const store = new KeyUseStore();
  let countsByKey = new Map<number, Counts>();
  const identifiedAt = new Map<number, number>();
  /** Keys that were used since the start of the program. */
  const usedKeys = new Set<number>();
  let identifying = Promise.resolve();
  let timer: Timer | undefined;
  /** True when the timer is for the first batch of a key. */
  let isEarly = false;
  let writing = Promise.resolve();

  /** Counts a call, also a refused one. */
  function called(call: KeyCall, socket: SocketEnds | null): void {
    const counts = countsOf(call);
    counts.calls += 1;
    if (socket) identifyProcess(call.keyId, socket);
  }

  /** Notes that the response contained secret values. */
  function readCredentials(call: KeyCall, integrationKey: string | undefined, connectionId: string | undefined): void {
    const counts = countsOf(call);
    addTo(counts.reads, integrationKey, connectionId);
    noteUse(counts, integrationKey, connectionId);
  }

  /** Notes a request through the proxy. */
  function proxied(call: KeyCall, integrationKey: string | undefined, connectionId: string | undefined): void {
    const counts = countsOf(call);
    addTo(counts.proxied, integrationKey, connectionId);
    noteUse(counts, integrationKey, connectionId);
  }

  /** Notes a call that the scopes of the key do not allow. */
  function refused(call: KeyCall, scope: string, route: string): void {
    const counts = countsOf(call);
    const subject = `${scope} (${route})`;
    const known = counts.refused.get(subject);
    if (known !== undefined || counts.refused.size < MAX_REFUSALS) counts.refused.set(subject, (known ?? 0) + 1);
  }

  /** Use in the last 24 hours, rounded to the hour, by key id; includes counts that are not stored yet. */
  async function list(environmentId: number): Promise<Map<number, KeyFigures>> {
    await flush();
    const since = Math.floor(clock.now() / HOUR_MS) - 23;
    const [counts, processes] = await Promise.all([
      store.listSince(database.reader, environmentId, since),
      store.listProcesses(database.reader, environmentId),
    ]);
    const figures = new Map<number, KeyFigures>();
    for (const { keyId, calls, credentialReads } of counts)
      figures.set(keyId, { calls, credentialReads, process: null });
    for (const { keyId, name, path, lastSeenAt } of processes)
      figures.set(keyId, {
        ...(figures.get(keyId) ?? { calls: 0, credentialReads: 0 }),
        process: { name, path, at: lastSeenAt },
      });
    return figures;
  }

  /** The apps that used a connection in the last seven days, the latest first. Times are in milliseconds. */
  async function listUsers(connectionRowId: number): Promise<ConnectionUser[]> {
    await flush();
    return store.listUsers(database.reader, connectionRowId, clock.now() - SHOWN_USES_MS);
  }

  /** Stores the counts. */
  function flush(): Promise<void> {
    timer?.cancel();
    timer = undefined;
    isEarly = false;
    const counts = countsByKey;
    if (counts.size > 0) {
      countsByKey = new Map();
      writing = writing
        .then(() => write(counts))
        .catch((error: unknown) => logger.error({ err: error }, 'The use of keys could not be written.'));
    }
    return writing;
  }

  async function stop(): Promise<void> {
    await flush();
    await identifying;
  }

  async function removeOld(before: number): Promise<void> {
    await database.transaction((tx) => store.removeOld(tx, Math.floor(before / HOUR_MS), MAX_PROCESSES));
  }

  function countsOf({ keyId, environment }: KeyCall): Counts {
    const known = countsByKey.get(keyId);
    if (known) return known;
    const counts: Counts = {
      environmentId: environment.id,
      calls: 0,
      reads: { count: 0, integrationKey: null, connectionId: null },
      proxied: { count: 0, integrationKey: null, connectionId: null },
      refused: new Map(),
      used: new Map(),
    };
    countsByKey.set(keyId, counts);
    scheduleFlush(keyId);
    return counts;
  }

  function scheduleFlush(keyId: number): void {
    const isFirst = !usedKeys.has(keyId);
    usedKeys.add(keyId);
    if (timer && (isEarly || !isFirst)) return;
    timer?.cancel();
    isEarly = isFirst;
    timer = clock.after(isFirst ? FIRST_BATCH_MS : BATCH_MS, () => void flush());
  }

  async function write(counts: ReadonlyMap<number, Counts>): Promise<void> {
    const now = clock.now();
    const hour = Math.floor(now / HOUR_MS);
    const rows = [...counts].map(([keyId, { calls, reads }]) => ({ keyId, calls, credentialReads: reads.count }));
    const readers = rows.filter(({ credentialReads }) => credentialReads > 0).map(({ keyId }) => keyId);
    const entries = [...counts].flatMap(([keyId, one]) => entriesOf(keyId, one, { now, hour }));
    const uses = [...counts].flatMap(([keyId, { environmentId, used }]) =>
      [...used].flatMap(([integrationKey, ids]) =>
        [...ids].map((connectionId) => ({ keyId, environmentId, integrationKey, connectionId })),
      ),
    );
    const { readFirst } = await database.transaction(async (tx) => {
      await store.add(tx, hour, rows);
      if (uses.length > 0) await store.addUses(tx, uses, now);
      const usedFirst = await store.markFirst(
        tx,
        'use',
        rows.map(({ keyId }) => keyId),
        now,
      );
      entries.unshift(
        ...usedFirst.map(({ id, environmentId }) => entry({ keyId: id, environmentId, action: 'first_use', at: now })),
      );
      if (entries.length > 0) await auditStore.insert(tx, entries);
      return { readFirst: readers.length > 0 ? await store.markFirst(tx, 'credentials', readers, now) : [] };
    });
    for (const [id, { environmentId }] of counts) events.emit('key', { environmentId, id });
    for (const environmentId of new Set(entries.map((one) => one.environmentId)))
      events.emit('audit', { environmentId });
    for (const { id, environmentId, displayName } of readFirst)
      events.emit('access', { environmentId, keyId: id, app: displayName, program: null });
  }

  /**
   * Identifies the calling program, in the background. One after the other, and without delay: the program can be
   * identified only while its connection is open.
   */
  function identifyProcess(keyId: number, socket: SocketEnds): void {
    const now = clock.now();
    if (now - (identifiedAt.get(keyId) ?? Number.NEGATIVE_INFINITY) < IDENTIFY_EVERY_MS) return;
    identifiedAt.set(keyId, now);
    const ends = { remotePort: socket.remotePort, localPort: socket.localPort };
    identifying = identifying
      .then(() => detached(() => findClientProcess(ends)))
      .then((found) => found && storeProcess(keyId, found))
      .catch((error: unknown) => logger.warn({ err: error }, 'The program that uses a key could not be stored.'));
  }

  async function storeProcess(keyId: number, found: ClientProcess): Promise<void> {
    const now = clock.now();
    const seen = await database.transaction(async (tx) => {
      const before = await store.seeProcess(tx, { keyId, ...found }, now);
      if (before && !before.isSeen) {
        const { environmentId } = before;
        await auditStore.insert(tx, [
          entry({ keyId, environmentId, action: 'new_process', at: now, subject: found.path }),
        ]);
      }
      return before;
    });
    if (!seen) return;
    const { environmentId, displayName, isSeen, known } = seen;
    events.emit('key', { environmentId, id: keyId });
    if (isSeen) return;
    events.emit('audit', { environmentId });
    if (known > 0) events.emit('access', { environmentId, keyId, app: displayName, program: found.name });
  }

  return { called, readCredentials, proxied, refused, list, listUsers, flush, stop, removeOld };
}

/** Counts a call. The names stay only while all counted calls have the same ones; otherwise they become null. */
function addTo(tally: Tally, integrationKey = null as string | null, connectionId = null as string | null): void {
  tally.count += 1;
  if (tally.count === 1) {
    tally.integrationKey = integrationKey;
    tally.connectionId = connectionId;
  } else if (tally.integrationKey !== integrationKey) {
    tally.integrationKey = null;
    tally.connectionId = null;
  } else if (tally.connectionId !== connectionId) tally.connectionId = null;
}

function noteUse({ used }: Counts, integrationKey: string | undefined, connectionId: string | undefined): void {
  if (integrationKey === undefined || connectionId === undefined) return;
  const ids = used.get(integrationKey);
  if (!ids) {
    if (used.size < MAX_USED) used.set(integrationKey, new Set([connectionId]));
  } else if (ids.size < MAX_USED) ids.add(connectionId);
}

function entriesOf(keyId: number, counts: Counts, { now, hour }: { now: number; hour: number }): NewAuditEntry[] {
  const { environmentId, proxied, reads, refused } = counts;
  const counted = (action: string, { count, integrationKey, connectionId }: Tally): NewAuditEntry[] =>
    count === 0
      ? []
      : [
          entry({
            keyId,
            environmentId,
            action,
            at: now,
            count,
            integrationKey,
            connectionId,
            bucket: `${action} ${keyId} ${hour}`,
          }),
        ];
  return [
    ...counted('token_read', reads),
    ...counted('proxy_call', proxied),
    ...[...refused].map(([subject, count]) =>
      entry({
        keyId,
        environmentId,
        action: 'scope_refused',
        result: 'refused',
        at: now,
        count,
        subject,
        bucket: `scope_refused ${keyId} ${hour} ${subject}`,
      }),
    ),
  ];
}

function entry(
  facts: Pick<NewAuditEntry, 'keyId' | 'environmentId' | 'action' | 'at'> & Partial<NewAuditEntry>,
): NewAuditEntry {
  return { result: 'done', integrationKey: null, connectionId: null, subject: null, count: 1, bucket: null, ...facts };
}
