import type { AuditService } from '../environments/audit.service.ts';
import type { Environment, EnvironmentService } from '../environments/environment.service.ts';
import type { Database } from '../platform/database/database.ts';
import type { Clock, Timer } from '../platform/lib/clock.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { Ids } from '../platform/lib/ids.ts';
import type { Logger } from '../platform/lib/logger.ts';
import { auditOf, type DeletedObject, type DeletionUses, deleteObject, findObject } from './deletion-kinds.ts';
import { type HeldDeletionRow, HeldDeletionsStore, type HeldKind } from './held-deletions.store.ts';

export type { DeletedObject } from './deletion-kinds.ts';

export interface DeletionsOptions extends DeletionUses {
  database: Database;
  clock: Clock;
  ids: Ids;
  logger: Logger;
  audit: Pick<AuditService, 'record'>;
  environments: Pick<EnvironmentService, 'find'>;
}

/** A deletion that waits until then, in milliseconds since the epoch. */
export interface HeldDeletion {
  id: string;
  until: number;
}

/** A person has ten seconds; the notice may appear late, and says every few seconds that it is still there. */
const HELD_MS = 12_000;
/** After a failure, for example a full disk. */
const RETRY_MS = 30_000;

const TOO_LATE = 'It is too late to undo this: the deletion has happened.';

export type DeletionsService = ReturnType<typeof createDeletionsService>;

/** Deletions of the dashboard that can be undone until they happen (ui.md 5.11). */
export function createDeletionsService({
  database,
  clock,
  ids,
  logger,
  audit,
  environments,
  ...uses
}: DeletionsOptions) {
  const store = new HeldDeletionsStore();
  let timer: Timer | undefined;
  let isStopped = false;
  let working = Promise.resolve();

  /** What waited when the program ended happens at its time, or now. */
  async function start(): Promise<void> {
    isStopped = false;
    work();
    await working;
  }

  async function stop(): Promise<void> {
    isStopped = true;
    timer?.cancel();
    await working;
  }

  /** The objects are deleted in a few seconds. Throws `not_found` when none of them exists. */
  async function hold(environment: Environment, objects: readonly DeletedObject[]): Promise<HeldDeletion> {
    const deletionId = ids.uuid();
    const rows: Array<Omit<HeldDeletionRow, 'id'>> = [];
    for (const { kind, ...names } of objects) {
      const objectId = await findObject(uses, environment, { kind, ...names } as DeletedObject);
      if (objectId === undefined) continue;
      rows.push({ deletionId, environmentId: environment.id, kind, objectId, names: JSON.stringify(names) });
    }
    if (rows.length === 0) throw new HomeportError('not_found', 'This was deleted already.');
    const until = clock.now() + HELD_MS;
    // Durable: the person is told that it will be deleted.
    await database.transaction((tx) => store.insertMany(tx, rows, until), { durable: true });
    await armNext();
    return { id: deletionId, until };
  }

  /** The deletion waits longer. Throws `conflict` when it has happened. */
  async function keep(environmentId: number, deletionId: string): Promise<HeldDeletion> {
    const until = clock.now() + HELD_MS;
    const left = await database.transaction((tx) => store.postpone(tx, { deletionId, environmentId }, until));
    if (left === 0) throw new HomeportError('conflict', TOO_LATE);
    return { id: deletionId, until };
  }

  /** Nothing is deleted. Throws `conflict` when it has happened. */
  async function undo(environmentId: number, deletionId: string): Promise<void> {
    const left = await database.transaction((tx) => store.removeWaiting(tx, { deletionId, environmentId }));
    if (left === 0) throw new HomeportError('conflict', TOO_LATE);
  }

  /** The deletion happens now; resolves when it has. */
  async function end(environmentId: number, deletionId: string): Promise<void> {
    await database.transaction((tx) => store.postpone(tx, { deletionId, environmentId }, clock.now()));
    work();
    await working;
  }

  /** Ids of the objects of a kind that wait for their deletion. */
  async function listHeld(environmentId: number, kind: HeldKind): Promise<ReadonlySet<string>> {
    return new Set(await store.listObjects(database.reader, environmentId, kind));
  }

  function arm(delayMs: number): void {
    timer?.cancel();
    if (!isStopped) timer = clock.after(delayMs, () => work());
  }

  async function armNext(): Promise<void> {
    const next = await store.findNextDue(database.reader);
    if (next !== null) arm(Math.min(Math.max(next - clock.now(), 0), HELD_MS));
  }

  function work(): void {
    working = working.then(() => deleteDue()).catch((error: unknown) => failed(error));
  }

  function failed(error: unknown): void {
    logger.error({ err: error }, 'A deletion could not be carried out; trying again in half a minute.');
    arm(RETRY_MS);
  }

  async function deleteDue(): Promise<void> {
    if (isStopped) return;
    const due = await database.transaction((tx) => store.begin(tx, { now: clock.now(), longestMs: HELD_MS }));
    await armNext();
    // A failure of one does not stop the others.
    for (const row of due) await deleteHeld(row).catch((error: unknown) => failed(error));
  }

  async function deleteHeld(row: HeldDeletionRow): Promise<void> {
    const environment = environments.find(row.environmentId);
    const object = { kind: row.kind, ...JSON.parse(row.names) } as DeletedObject;
    // It may have been deleted or renamed meanwhile, or its names belong to another object now.
    if (environment && (await findObject(uses, environment, object)) === row.objectId) {
      await deleteObject(uses, environment, object);
      const act = auditOf(environment, object);
      if (act) await audit.record(act);
    }
    await database.transaction((tx) => store.remove(tx, row.id));
  }

  return { start, stop, hold, keep, undo, end, listHeld };
}
