import type { EnvironmentService } from '../environments/environment.service.ts';
import type { Database, Transaction } from '../platform/database/database.ts';
import type { Clock } from '../platform/lib/clock.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import { createMinuteWindows } from '../platform/lib/minute-windows.ts';
import { ReadCache } from '../platform/lib/read-cache.ts';
import { exceedingMembers, type LimitKind, type LimitSubject, NO_LIMITS, SESSION_LIMITS } from './call-limits.ts';
import type { CallLimits, LimitChanges, OwnLimits } from './limits.contract.ts';
import { type LimitRow, LimitsStore } from './limits.store.ts';
import { describeLimit, findRefusal, refusalOf } from './refusal.ts';

export type { LimitKind, LimitSubject } from './call-limits.ts';
export type { CallLimits, LimitChanges, OwnLimits } from './limits.contract.ts';

/** A call of an agent, an app or a command. */
export interface LimitedCall {
  environmentId: number;
  /** All of them must admit it. */
  subjects: readonly LimitSubject[];
  kind: 'read' | 'write';
  host?: string | undefined;
  method?: string | undefined;
  /**
   * What is counted. `all` (default): the call, and a write as one. `call`: the call only. Of a call that was counted:
   * `write` counts its write, `check` only checks it.
   */
  counts?: 'all' | 'call' | 'write' | 'check';
}

/** What has limits of its own, with the limits that hold for it. */
export interface LimitedSubject {
  kind: LimitKind;
  id: string;
  limits: CallLimits;
  own: Array<keyof CallLimits>;
  /** What holds without its own. */
  defaults: CallLimits;
  used: Used;
}

export type Used = Pick<LimitRow, 'calls' | 'writes' | 'cost'>;

export type LimitsService = ReturnType<typeof createLimitsService>;

const CACHED_REPEATS = 1000;
const NOTHING: Used = { calls: 0, writes: 0, cost: 0 };

/** Admits calls within the limits of all that they belong to (agents.md 9). */
export function createLimitsService({
  clock,
  database,
  environments,
}: {
  clock: Clock;
  database: Database;
  environments: { keys: Pick<EnvironmentService['keys'], 'onRevoked'> };
}) {
  const store = new LimitsStore();
  const minutes = createMinuteWindows(clock);
  /** Limits of keys and programs and the defaults of sessions. A call with a key that has none costs nothing. */
  const lasting = new Map<string, OwnLimits>();
  /** What `repeatsOf` read, until some limits change: every call of an agent asks. */
  const repeats = new ReadCache<{ most: number | null }>({ max: CACHED_REPEATS });
  environments.keys.onRevoked(({ environmentId, keyId }) => {
    lasting.delete(textOf(environmentId, 'key', String(keyId)));
    repeats.clear();
  });

  const defaultsOf = (environmentId: number, kind: LimitKind): CallLimits =>
    kind === 'session' || kind === 'sessions'
      ? { ...SESSION_LIMITS, ...lasting.get(textOf(environmentId, 'sessions', '')) }
      : NO_LIMITS;

  const limitsOf = (environmentId: number, kind: LimitKind, row: LimitRow | undefined): CallLimits => ({
    ...defaultsOf(environmentId, kind),
    ...ownOf(row),
  });

  /** A key is counted from the moment at which it gets limits. */
  const isCounted = (environmentId: number, { kind, id }: LimitSubject): boolean =>
    kind !== 'key' || lasting.has(textOf(environmentId, kind, id));

  /** Throws when a subject does not admit the call. Returns the windows in which it is to be counted. */
  function checkWithin(
    call: LimitedCall,
    subjects: readonly LimitSubject[],
    usedBefore: (subject: LimitSubject) => { row: LimitRow | undefined; used: Used },
  ): string[] {
    const { counts = 'all', environmentId } = call;
    const isCall = counts === 'all' || counts === 'call';
    const perMinute: string[] = [];
    for (const subject of subjects) {
      const { row, used } = usedBefore(subject);
      const limits = limitsOf(environmentId, subject.kind, row);
      const key = textOf(environmentId, subject.kind, subject.id);
      const minute = { used: minutes.used(key), freeInS: minutes.freeInS(key) };
      const refusal = findRefusal(call, { limits, used, minute: isCall ? minute : undefined });
      if (refusal) throw refusalOf(subject, refusal);
      if (isCall && limits.callsPerMinute !== null) perMinute.push(key);
    }
    return perMinute;
  }

  async function check(call: LimitedCall, subjects: readonly LimitSubject[]): Promise<void> {
    const rows = await store.listOf(database.reader, call.environmentId, subjects.map(rowKeyOf));
    checkWithin(call, subjects, (subject) => {
      const row = rowOf(rows, subject);
      return { row, used: row ?? NOTHING };
    });
  }

  /** Adds the call first, in one statement; a refusal rolls it back. */
  async function count(tx: Transaction, call: LimitedCall, subjects: readonly LimitSubject[]): Promise<void> {
    const { counts = 'all', environmentId, kind } = call;
    const calls = counts === 'write' ? 0 : 1;
    const writes = kind === 'write' && counts !== 'call' ? 1 : 0;
    const rows = await store.add(tx, environmentId, subjects.map(rowKeyOf), { calls, writes, cost: 0 });
    const perMinute = checkWithin(call, subjects, (subject) => {
      const row = rowOf(rows, subject);
      const used = row ? { ...row, calls: row.calls - calls, writes: row.writes - writes } : NOTHING;
      return { row, used };
    });
    for (const key of perMinute) minutes.take(key);
  }

  async function readRepeats(environmentId: number, subjects: readonly LimitSubject[]): Promise<number | null> {
    const rows = await store.listOf(database.reader, environmentId, subjects.map(rowKeyOf));
    const own = subjects.map((one) => limitsOf(environmentId, one.kind, rowOf(rows, one)));
    const set = own.flatMap(({ repeats }) => repeats ?? []);
    if (set.length > 0) return Math.min(...set);
    return subjects.some(({ kind }) => kind === 'session') ? null : defaultsOf(environmentId, 'sessions').repeats;
  }

  return {
    /** Reads the limits of keys and programs. */
    async start(): Promise<void> {
      await database.transaction((tx) => store.removeRuns(tx));
      for (const { environmentId, kind, limits, subject } of await store.listLasting(database.reader))
        if (limits !== null) lasting.set(textOf(environmentId, kind, subject), JSON.parse(limits) as OwnLimits);
    },

    /**
     * Counts a call, or throws `call_rate_reached` or `call_limit_reached` for the first subject that does not admit it;
     * then nothing is counted. `note` stores more in the same transaction. Undefined, at once, when no subject has limits.
     */
    admit(call: LimitedCall, note?: (tx: Transaction) => Promise<void>): Promise<void> | undefined {
      const subjects = call.subjects.filter((one) => isCounted(call.environmentId, one));
      if (subjects.length === 0) return note && database.transaction(note);
      if (call.counts === 'check') return check(call, subjects);
      return database.transaction(async (tx) => {
        await count(tx, call, subjects);
        await note?.(tx);
      });
    },

    /** How often the same call may come in a row; a client that only has a key as in a session. */
    async repeatsOf(environmentId: number, subjects: readonly LimitSubject[]): Promise<number | null> {
      const key = JSON.stringify([environmentId, subjects]);
      const read = async () => ({ most: await readRepeats(environmentId, subjects) });
      return (await repeats.get(key, read))?.most ?? null;
    },

    /** Adds what a call has cost. Throws for what is no amount: a cost is never taken back. */
    async spend(environmentId: number, subjects: readonly LimitSubject[], amount: number): Promise<void> {
      if (!(amount >= 0 && Number.isFinite(amount)))
        throw new HomeportError('invalid_body', 'A cost is a number that is not negative.');
      const counted = subjects.filter((one) => isCounted(environmentId, one)).map(rowKeyOf);
      const used = { calls: 0, writes: 0, cost: amount };
      if (counted.length > 0) await database.transaction((tx) => store.add(tx, environmentId, counted, used));
    },

    /** The limits and the use of these sessions, by their ids. */
    async findOfSessions(environmentId: number, ids: readonly string[]): Promise<(id: string) => LimitedSubject> {
      const keys = ids.map((id) => rowKeyOf({ kind: 'session', id }));
      const rows = await store.listOf(database.reader, environmentId, keys);
      const byId = new Map(rows.map((row) => [row.subject, row]));
      return (id) => viewOf({ kind: 'session', id }, byId.get(id), defaultsOf(environmentId, 'session'));
    },

    /** The defaults of sessions, and everything that has limits of its own or was counted. */
    async list(environmentId: number): Promise<LimitedSubject[]> {
      const rows = await store.list(database.reader, environmentId);
      const defaults = rows.find(({ kind }) => kind === 'sessions');
      return [
        viewOf(SESSIONS, defaults, SESSION_LIMITS),
        ...rows
          .filter((row) => row !== defaults)
          .map((row) => viewOf(toSubject(row), row, defaultsOf(environmentId, row.kind))),
      ];
    },

    /** Throws `invalid_body` when a session would be allowed more than the key that makes it. */
    assertWithinKey(environmentId: number, keyId: number | null, limits: OwnLimits): void {
      const ofKey = lasting.get(textOf(environmentId, 'key', String(keyId)));
      const exceeding = ofKey ? exceedingMembers(limits, { ...NO_LIMITS, ...ofKey }) : [];
      if (exceeding.length === 0) return;
      const issues = exceeding.map((name) => ({
        code: 'custom',
        message: `The key of the session allows ${describeLimit(ofKey?.[name])}.`,
        path: ['limits', name === 'callsPerMinute' ? 'calls_per_minute' : name],
      }));
      throw new HomeportError('invalid_body', 'A session may not do more than the key that makes it.', { issues });
    },

    /** Stores the limits of a new session. */
    async insert(tx: Transaction, environmentId: number, subject: LimitSubject, limits: OwnLimits): Promise<void> {
      if (Object.keys(limits).length > 0)
        await store.upsertLimits(tx, { environmentId, ...rowKeyOf(subject), limits: JSON.stringify(limits) });
    },

    /**
     * Changes the limits that are named, of a subject or of all sessions without their own; null takes all of them back.
     * Holds at once.
     */
    async change(environmentId: number, subject: AnySubject, changes: LimitChanges | null): Promise<LimitedSubject> {
      const key = rowKeyOf(subject);
      const name = textOf(environmentId, subject.kind, subject.id);
      return database.transaction(
        async (tx) => {
          const [before] = await store.listOf(tx, environmentId, [key]);
          const own = changes === null ? {} : withoutDefaults({ ...ownOf(before), ...changes });
          const isEmpty = Object.keys(own).length === 0;
          await store.upsertLimits(tx, { environmentId, ...key, limits: isEmpty ? null : JSON.stringify(own) });
          const [row] = await store.listOf(tx, environmentId, [key]);
          tx.afterCommit(() => {
            repeats.clear();
            if (isEmpty) lasting.delete(name);
            else if (subject.kind !== 'session' && subject.kind !== 'run') lasting.set(name, own);
          });
          const defaults = subject.kind === 'sessions' ? SESSION_LIMITS : defaultsOf(environmentId, subject.kind);
          return viewOf(subject, row, defaults);
        },
        { durable: true },
      );
    },
  };

  function viewOf({ id, kind }: AnySubject, row: LimitRow | undefined, defaults: CallLimits): LimitedSubject {
    const { calls, cost, writes } = row ?? NOTHING;
    const own = ownOf(row);
    return {
      kind,
      id,
      limits: { ...defaults, ...own },
      own: Object.keys(own) as Array<keyof CallLimits>,
      defaults,
      used: { calls, cost, writes },
    };
  }
}

type AnySubject = Pick<LimitedSubject, 'kind' | 'id'>;

const SESSIONS: AnySubject = { kind: 'sessions', id: '' };

const ownOf = (row: LimitRow | undefined): OwnLimits => (row?.limits ? (JSON.parse(row.limits) as OwnLimits) : {});

const withoutDefaults = (limits: LimitChanges): OwnLimits =>
  Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== 'default')) as OwnLimits;

const rowOf = (rows: readonly LimitRow[], { id, kind }: LimitSubject): LimitRow | undefined =>
  rows.find((row) => row.kind === kind && row.subject === id);
const rowKeyOf = ({ id, kind }: AnySubject) => ({ kind, subject: id });
const toSubject = ({ kind, subject }: LimitRow): AnySubject => ({ kind, id: subject });
const textOf = (environmentId: number, kind: LimitKind, id: string): string => `${environmentId} ${kind} ${id}`;
