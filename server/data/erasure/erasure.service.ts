import type { AgentSessionsService } from '../../agents/agent-sessions.service.ts';
import type { AuthorizationService } from '../../authorization/authorization.service.ts';
import type { ConnectSessionsService } from '../../authorization/connect-sessions.service.ts';
import { ERASE_PERSON, type ErasureJob } from '../../lifecycle/lifecycle.service.ts';
import type { LogsService } from '../../log/logs.service.ts';
import { MessagesStore } from '../../log/messages.store.ts';
import { OperationsStore } from '../../log/operations.store.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { removeInSlices } from '../../platform/database/remove-in-slices.ts';
import type { Clock } from '../../platform/lib/clock.ts';
import type { Logger } from '../../platform/lib/logger.ts';
import type { Scheduler } from '../../platform/scheduler/scheduler.ts';
import { UnsealError } from '../../platform/vault/seal.ts';
import { type ErasureRow, ErasuresStore } from '../erasures.store.ts';
import { overwriteRemoved } from '../overwrite-removed.store.ts';
import {
  PERSON_TABLES,
  type PersonRow,
  type PersonTableName,
  PersonTextsStore,
  type PersonValue,
} from '../person-texts.store.ts';
import { createErasableTexts, type ErasableTextsOptions } from './erasable-texts.ts';
import { Person } from './person.ts';

export interface ErasureServiceOptions extends ErasableTextsOptions {
  database: Database;
  clock: Clock;
  logger: Logger;
  scheduler: Pick<Scheduler, 'enqueue'>;
  log: Pick<LogsService, 'flush'>;
  agentSessions: Pick<AgentSessionsService, 'removeOfPerson'>;
  connectSessions: Pick<ConnectSessionsService, 'removeOfPerson'>;
  authorization: Pick<AuthorizationService, 'removeOfPerson'>;
}

/** A person to remove, and where. */
interface Sought {
  erasure: ErasureRow;
  person: Person;
  /** Another connection of the person lives: then only what belongs to the deleted one is touched. */
  isAlive: boolean;
  /** What came later belongs to a later connection with the same id. */
  before: number;
}

/** People who are looked for at once: each costs time for every row. */
const AT_ONCE = 50;
/** Rows cleared per transaction. */
const SLICE = 500;
const FIRST_LOOK_MS = 1_000;
const MAX_LOOK_MS = 5 * 60_000;

export type ErasureService = ReturnType<typeof createErasureService>;

/** Removes what names the people of deleted connections from everything that is kept (design.md 7.56). */
export function createErasureService(options: ErasureServiceOptions) {
  const { database, clock, logger, scheduler, log, agentSessions, connectSessions, authorization } = options;
  const erasures = new ErasuresStore();
  const store = new PersonTextsStore();
  const operations = new OperationsStore();
  const messages = new MessagesStore();
  const texts = createErasableTexts(options);

  /** Queues the jobs that are missing: the removal of everything sealed removes all jobs as well. */
  async function start(): Promise<void> {
    await database.transaction(async (tx) => {
      for (const erasureId of await erasures.listWithoutJob(tx))
        await scheduler.enqueue(tx, { kind: ERASE_PERSON, payload: { erasureId, look: 0, isScanned: false } });
    });
  }

  /**
   * Removes the person, and others of the same environment who wait. While work of before the deletion is in progress,
   * such as the delivery that announces it, another job looks again.
   */
  async function run(job: ErasureJob, signal: AbortSignal): Promise<void> {
    const { reader } = database;
    const own = await erasures.find(reader, job.erasureId);
    if (!own) return;
    if (own.isCleared) return overwriteCleared(own.environmentId, signal);
    // The first look removes what it can; later ones wait for the rest, because a scan reads everything.
    const hadWork = await isInProgress(own);
    if (job.look > 0 && hadWork) return lookAgain(job);
    if (job.isScanned && (await removeSessions(await sought(own)))) return lookAgain(job);
    const waiting = await erasures.list(reader, own.environmentId, AT_ONCE);
    const batch = [own, ...waiting.filter(({ id }) => id !== own.id)];
    const open = new Set<string>();
    for (const one of batch) if (await isInProgress(one)) open.add(one.id);
    await log.flush();
    const all = await Promise.all(batch.map((one) => sought(one)));
    for (const one of all) if (await removeSessions(one)) open.add(one.erasure.id);
    const isStopped = (): boolean => signal.aborted;
    await removeInSlices({ database, sliceSize: SLICE, isStopped }, (tx) => store.clearErrorsOfGoneSyncs(tx, SLICE));
    for (const table of PERSON_TABLES) await scan(table, own.environmentId, all, signal);
    const ended = batch.filter(({ id }) => !open.has(id)).map(({ id }) => id);
    await database.transaction((tx) => erasures.clear(tx, ended));
    await overwriteCleared(own.environmentId, signal);
    if (open.has(own.id)) await lookAgain({ ...job, isScanned: !hadWork });
  }

  /**
   * A row stays, without the person, until the files are rewritten: so a stop before it is followed by another try, and
   * the rewritten files do not hold the row's own copy of the name. Of many people the last batch does it for all.
   */
  async function overwriteCleared(environmentId: number, signal: AbortSignal): Promise<void> {
    const cleared = await erasures.listCleared(database.reader);
    if (cleared.length === 0) return;
    if ((await erasures.list(database.reader, environmentId, AT_ONCE)).length === AT_ONCE) return;
    if (!(await overwriteRemoved(database, () => signal.aborted))) signal.throwIfAborted();
    await database.transaction((tx) => erasures.remove(tx, cleared));
  }

  async function lookAgain(job: ErasureJob): Promise<void> {
    const payload: ErasureJob = { ...job, look: job.look + 1 };
    const runAt = clock.now() + Math.min(FIRST_LOOK_MS * 2 ** job.look, MAX_LOOK_MS);
    await database.transaction((tx) => scheduler.enqueue(tx, { kind: ERASE_PERSON, payload, runAt }));
  }

  async function isInProgress({ connectionRowId, deletedAt, environmentId }: ErasureRow): Promise<boolean> {
    const { reader } = database;
    return (
      (await store.isInProgress(reader, environmentId, deletedAt)) || (await erasures.hasJob(reader, connectionRowId))
    );
  }

  async function sought(erasure: ErasureRow): Promise<Sought> {
    const { reader } = database;
    const person = new Person(erasure);
    const { environmentId } = erasure;
    const isAlive = await erasures.isAlive(reader, { environmentId, id: person.id, email: person.email });
    const before = (await erasures.findSuccessor(reader, erasure)) ?? Number.POSITIVE_INFINITY;
    return { erasure, person, isAlive, before };
  }

  /** Resolves to whether the person is about to connect again. */
  async function removeSessions({ erasure, isAlive, person }: Sought): Promise<boolean> {
    const { connectionId, environmentId, integrationKey } = erasure;
    const of = {
      environmentId,
      integrationKey,
      connectionId,
      isOfPerson: (content: unknown) => !isAlive && isIn(person, JSON.stringify(content)),
      listUnfinished: (ids: readonly string[]) => store.listUnfinished(database.reader, ids),
    };
    await agentSessions.removeOfPerson(of);
    const hasSession = await connectSessions.removeOfPerson(of);
    return (await authorization.removeOfPerson(of)) || hasSession;
  }

  async function scan(
    table: PersonTableName,
    environmentId: number,
    all: readonly Sought[],
    signal: AbortSignal,
  ): Promise<void> {
    let after: PersonRow['key'] | undefined;
    for (;;) {
      signal.throwIfAborted();
      const from = { environmentId, after };
      const { rows, isLast } = await store.list(database.reader, table, from);
      if (rows.some((row) => erased(table, row, all))) {
        await database.transaction(async (tx) => {
          // Read again: other writers may have changed them.
          const current = await store.list(tx, table, from);
          await update(tx, table, current.rows, all);
        });
      }
      after = rows.at(-1)?.key;
      if (isLast) return;
    }
  }

  async function update(
    tx: Transaction,
    table: PersonTableName,
    rows: readonly PersonRow[],
    all: readonly Sought[],
  ): Promise<void> {
    const changed: PersonRow[] = [];
    for (const row of rows) {
      const values = erased(table, row, all);
      if (!values) continue;
      changed.push(row);
      await store.update(tx, table, { key: row.key, values });
    }
    if (table === 'log_operations')
      await operations.updateSearch(
        tx,
        changed.map(({ id }) => id),
      );
    if (table === 'log_messages')
      await messages.updateSearch(
        tx,
        changed.map(({ key: [id] }) => Number(id)),
      );
  }

  /** The values of the row without the people; undefined when it names none. */
  function erased(table: PersonTableName, row: PersonRow, all: readonly Sought[]): PersonValue[] | undefined {
    const relevant = all.filter((one) => !one.isAlive || isOwn(row, one));
    if (relevant.length === 0) return undefined;
    const isPersons = relevant.some((one) => isOwn(row, one));
    const erase = (text: string): string =>
      relevant.reduce((rest, one) => one.person.erase(rest, isOwn(row, one)), text);
    try {
      return texts.erased(table, row, { erase, isPersons });
    } catch (error) {
      if (!(error instanceof UnsealError)) throw error;
      logger.warn({ err: error, table, id: row.id }, 'A row that cannot be opened was left as it is.');
      return undefined;
    }
  }

  return { start, run };
}

/** Whether the row belongs to the deleted connection, or to a person without another one. */
function isOwn(row: PersonRow, { before, erasure, isAlive, person }: Sought): boolean {
  const isOfConnection =
    row.connectionIds.includes(erasure.connectionId) &&
    row.integrationKey === erasure.integrationKey &&
    row.at < before;
  return isOfConnection || (!isAlive && row.endUserId !== null && row.endUserId === person.id);
}

function isIn(person: Person, text: string): boolean {
  return person.erase(text, true) !== text;
}
