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

/** Deletions of the dashboard that can be undone until they happen (ui.md 5.11). */
export class DeletionsService {
  readonly #options: DeletionsOptions;
  readonly #store = new HeldDeletionsStore();
  #timer: Timer | undefined;
  #isStopped = false;
  #working: Promise<void> = Promise.resolve();

  constructor(options: DeletionsOptions) {
    this.#options = options;
  }

  /** What waited when the program ended happens at its time, or now. */
  async start(): Promise<void> {
    this.#isStopped = false;
    this.#work();
    await this.#working;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.cancel();
    await this.#working;
  }

  /** The objects are deleted in a few seconds. Throws `not_found` when none of them exists. */
  async hold(environment: Environment, objects: readonly DeletedObject[]): Promise<HeldDeletion> {
    const { clock, database, ids } = this.#options;
    const deletionId = ids.uuid();
    const rows: Array<Omit<HeldDeletionRow, 'id'>> = [];
    for (const { kind, ...names } of objects) {
      const objectId = await findObject(this.#options, environment, { kind, ...names } as DeletedObject);
      if (objectId === undefined) continue;
      rows.push({ deletionId, environmentId: environment.id, kind, objectId, names: JSON.stringify(names) });
    }
    if (rows.length === 0) throw new HomeportError('not_found', 'This was deleted already.');
    const until = clock.now() + HELD_MS;
    // Durable: the person is told that it will be deleted.
    await database.transaction((tx) => this.#store.insertMany(tx, rows, until), { durable: true });
    await this.#armNext();
    return { id: deletionId, until };
  }

  /** The deletion waits longer. Throws `conflict` when it has happened. */
  async keep(environmentId: number, deletionId: string): Promise<HeldDeletion> {
    const { clock, database } = this.#options;
    const until = clock.now() + HELD_MS;
    const left = await database.transaction((tx) => this.#store.postpone(tx, { deletionId, environmentId }, until));
    if (left === 0) throw new HomeportError('conflict', TOO_LATE);
    return { id: deletionId, until };
  }

  /** Nothing is deleted. Throws `conflict` when it has happened. */
  async undo(environmentId: number, deletionId: string): Promise<void> {
    const left = await this.#options.database.transaction((tx) =>
      this.#store.removeWaiting(tx, { deletionId, environmentId }),
    );
    if (left === 0) throw new HomeportError('conflict', TOO_LATE);
  }

  /** The deletion happens now; resolves when it has. */
  async end(environmentId: number, deletionId: string): Promise<void> {
    const { clock, database } = this.#options;
    await database.transaction((tx) => this.#store.postpone(tx, { deletionId, environmentId }, clock.now()));
    this.#work();
    await this.#working;
  }

  /** Ids of the objects of a kind that wait for their deletion. */
  async listHeld(environmentId: number, kind: HeldKind): Promise<ReadonlySet<string>> {
    return new Set(await this.#store.listObjects(this.#options.database.reader, environmentId, kind));
  }

  #arm(delayMs: number): void {
    this.#timer?.cancel();
    if (!this.#isStopped) this.#timer = this.#options.clock.after(delayMs, () => this.#work());
  }

  async #armNext(): Promise<void> {
    const { clock, database } = this.#options;
    const next = await this.#store.findNextDue(database.reader);
    if (next !== null) this.#arm(Math.min(Math.max(next - clock.now(), 0), HELD_MS));
  }

  #work(): void {
    this.#working = this.#working.then(() => this.#deleteDue()).catch((error: unknown) => this.#failed(error));
  }

  #failed(error: unknown): void {
    this.#options.logger.error({ err: error }, 'A deletion could not be carried out; trying again in half a minute.');
    this.#arm(RETRY_MS);
  }

  async #deleteDue(): Promise<void> {
    if (this.#isStopped) return;
    const { clock, database } = this.#options;
    const due = await database.transaction((tx) => this.#store.begin(tx, { now: clock.now(), longestMs: HELD_MS }));
    await this.#armNext();
    // A failure of one does not stop the others.
    for (const row of due) await this.#delete(row).catch((error: unknown) => this.#failed(error));
  }

  async #delete(row: HeldDeletionRow): Promise<void> {
    const { audit, database, environments } = this.#options;
    const environment = environments.find(row.environmentId);
    const object = { kind: row.kind, ...JSON.parse(row.names) } as DeletedObject;
    // It may have been deleted or renamed meanwhile, or its names belong to another object now.
    if (environment && (await findObject(this.#options, environment, object)) === row.objectId) {
      await deleteObject(this.#options, environment, object);
      const act = auditOf(environment, object);
      if (act) await audit.record(act);
    }
    await database.transaction((tx) => this.#store.remove(tx, row.id));
  }
}
