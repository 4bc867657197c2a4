import { isAbsolute, resolve, sep } from 'node:path';
import type { ShownFailure } from '../destinations/destinations.service.ts';
import type { Environment } from '../environments/environment.service.ts';
import type { Database } from '../platform/database/database.ts';
import type { Clock, Timer } from '../platform/lib/clock.ts';
import { detached } from '../platform/lib/detached.ts';
import type { EventHub } from '../platform/lib/event-hub.ts';
import { areFilesLost, HomeportError, isVaultLocked, UNEXPECTED_ERROR } from '../platform/lib/homeport-error.ts';
import type { Logger } from '../platform/lib/logger.ts';
import { PeriodicSweep } from '../platform/lib/periodic-sweep.ts';
import { portablePaths } from '../platform/lib/portable-file-name.ts';
import { viewsOfRecords } from '../queries/queries.contract.ts';
import type { MarkedView, QueriesService } from '../queries/queries.service.ts';
import { sqlView } from '../queries/sql-text.contract.ts';
import { isInPlace, removeFile, replaceFile } from './snapshot-files.ts';
import { type SnapshotEvery, type SnapshotFile, type SnapshotRow, SnapshotsStore } from './snapshots.store.ts';

export type { SnapshotRow } from './snapshots.store.ts';

export interface SnapshotEvents {
  /** A run ended, or the settings were changed. */
  snapshot: { environmentId: number; problem: string | null };
}

export interface SnapshotSettings {
  folder: string;
  every: SnapshotEvery;
  hasHistory: boolean;
}

const INTERVAL_MS = { hour: 3_600_000, day: 86_400_000, week: 604_800_000 } as const;
const LOOK_MS = 60_000;
/** Runs of syncs that end close together lead to one run. */
const COLLECT_MS = 5000;
const RETRY_MS = 10 * 60_000;

/** Stands for the folder where others have the id of a destination. */
const SNAPSHOTS = 'snapshots';

export type SnapshotsService = ReturnType<typeof createSnapshotsService>;

/** Writes the records of an environment into a folder of Parquet files, one for each model. */
export function createSnapshotsService({
  clock,
  database,
  events,
  home,
  logger,
  queries,
}: {
  clock: Clock;
  database: Database;
  events: Pick<EventHub<SnapshotEvents & { records: { environmentId: number } }>, 'emit' | 'on'>;
  /** The hub's data folder. */
  home: string;
  logger: Logger;
  queries: Pick<QueriesService, 'query' | 'listMarkedViews'>;
}) {
  const store = new SnapshotsStore();
  const running = new Map<number, Promise<SnapshotRow>>();
  const stopping = new AbortController();
  let soon: Timer | undefined;
  let unsubscribe = (): void => {};
  const sweeps = new PeriodicSweep({
    clock,
    logger,
    intervalMs: LOOK_MS,
    sweep: runDue,
    failureMessage: 'The snapshots that are due could not be found; trying again in a minute.',
  });

  async function runDue(): Promise<void> {
    for (const row of await store.list(database.reader))
      if (!stopping.signal.aborted && isDue(row, clock.now())) await runOnce(row.environmentId);
  }

  /** At most one run of an environment at a time. */
  function runOnce(environmentId: number): Promise<SnapshotRow> {
    const known = running.get(environmentId);
    if (known) return known;
    const run = runNow(environmentId).finally(() => running.delete(environmentId));
    running.set(environmentId, run);
    return run;
  }

  async function runNow(environmentId: number): Promise<SnapshotRow> {
    const row = await get(environmentId);
    const startedAt = clock.now();
    const { files, problem } = await write(row);
    const ended = await database.transaction(async (tx) => {
      const now = await store.find(tx, environmentId);
      // Switched off meanwhile, or to another folder, for which a run of its own follows.
      if (!now || now.folder !== row.folder) return now ?? row;
      // A sync that ended meanwhile is not in the files.
      const isMissed = now.every === 'sync' && now.nextAt !== row.nextAt;
      const next = {
        ...now,
        files,
        problem,
        lastAt: clock.now(),
        nextAt: isMissed ? now.nextAt : nextOf(now, problem, clock.now()),
      };
      await store.upsert(tx, next);
      return next;
    });
    if (problem !== null) logger.warn({ environment: environmentId }, `A snapshot is not complete. ${problem}`);
    else
      logger.info({ environment: environmentId, files: files.length, ms: clock.now() - startedAt }, 'wrote a snapshot');
    events.emit('snapshot', { environmentId, problem });
    return ended;
  }

  /** Files of models that could not be written stay as they were. */
  async function write({ environmentId, files: before, folder, hasHistory }: SnapshotRow) {
    const scope = { environmentId, allowed: null };
    const files: SnapshotFile[] = [];
    const problems: string[] = [];
    const attempt = async (of: SnapshotFile | undefined, work: () => Promise<unknown>): Promise<void> => {
      try {
        await work();
      } catch (error) {
        if (stopping.signal.aborted || isVaultLocked(error) || areFilesLost(error)) throw error;
        if (!(error instanceof HomeportError)) logger.error({ err: error }, 'a file of a snapshot failed');
        problems.push(error instanceof HomeportError ? error.message : UNEXPECTED_ERROR);
        if (of) files.push(of);
      }
    };
    let views: MarkedView[] | undefined;
    await attempt(undefined, async () => {
      views = viewsOfRecords(await queries.listMarkedViews(scope, stopping.signal), hasHistory);
    });
    if (!views) return { files: before, problem: problems[0] ?? UNEXPECTED_ERROR };
    const paths = portablePaths(views, '.parquet');
    const names = new Map(views.map((view, index) => [sqlView(view), { file: paths[index] ?? '', mark: view.mark }]));
    for (const [view, { file, mark }] of names) {
      const old = before.find((one) => one.file === file);
      if (old && mark !== undefined && old.mark === mark && (await isInPlace(folder, old))) {
        files.push(old);
        continue;
      }
      await attempt(old, async () => {
        const { pieces, rowCount } = await queries.query({
          ...scope,
          sql: `FROM ${view}`,
          params: [],
          format: 'parquet',
          mostRows: Number.MAX_SAFE_INTEGER,
          isStreamed: true,
          signal: stopping.signal,
        });
        files.push({ view, file, mark, rows: rowCount, bytes: await replaceFile(folder, file, pieces) });
      });
    }
    const present = new Set([...names.values()].map(({ file }) => file));
    for (const one of before) if (!present.has(one.file)) await attempt(one, () => removeFile(folder, one.file));
    const more = problems.length - 1;
    const problem = problems.length === 0 ? null : `${problems[0]}${more > 0 ? ` And ${more} more.` : ''}`;
    return { files, problem };
  }

  async function get(environmentId: number): Promise<SnapshotRow> {
    const row = await store.find(database.reader, environmentId);
    if (row) return row;
    throw new HomeportError('not_found', 'Snapshots are off in this environment. Switch them on with a folder first.');
  }

  function requireFolder(folder: string): string {
    if (!isAbsolute(folder))
      throw new HomeportError('invalid_body', 'Write the whole path of the folder, from the root.');
    const path = resolve(folder);
    const own = resolve(home);
    if (path === own || path.startsWith(own + sep))
      throw new HomeportError('invalid_body', 'Choose a folder of its own, not the data folder of the hub.');
    return path;
  }

  return {
    start(): void {
      unsubscribe = events.on('records', ({ environmentId }) =>
        detached(async () => {
          if (!(await store.find(database.reader, environmentId))) return;
          await database.transaction((tx) => store.setDue(tx, environmentId, clock.now() + COLLECT_MS));
          soon?.cancel();
          soon = clock.after(COLLECT_MS, () => void runDue().catch(logFailure));
        }).catch(logFailure),
      );
      sweeps.start();
    },
    async stop(): Promise<void> {
      unsubscribe();
      stopping.abort();
      soon?.cancel();
      await sweeps.stop();
      await Promise.allSettled(running.values());
    },
    find: (environmentId: number): Promise<SnapshotRow | undefined> => store.find(database.reader, environmentId),
    /** As a destination that fails, for the overview; empty when every file is up to date. */
    async listFailing(environmentId: number): Promise<ShownFailure[]> {
      const row = await store.find(database.reader, environmentId);
      if (!row || row.problem === null) return [];
      const at = row.lastAt ?? clock.now();
      return [
        { id: SNAPSHOTS, name: 'the Parquet files', code: 'snapshot_failed', message: row.problem, failures: 1, at },
      ];
    },
    isRunning: (environmentId: number): boolean => running.has(environmentId),
    /** Switches snapshots on, or changes them; the first run begins soon. Throws `invalid_body`. */
    async set({ id: environmentId }: Environment, settings: SnapshotSettings): Promise<SnapshotRow> {
      const folder = requireFolder(settings.folder);
      const row = await database.transaction(async (tx) => {
        const before = await store.find(tx, environmentId);
        // The files of another folder stay there.
        const files = before?.folder === folder ? before.files : [];
        const next = {
          environmentId,
          lastAt: null,
          problem: null,
          ...before,
          ...settings,
          folder,
          files,
          nextAt: clock.now(),
        };
        await store.upsert(tx, next);
        return next;
      });
      events.emit('snapshot', { environmentId, problem: null });
      soon?.cancel();
      soon = clock.after(0, () => void runDue().catch(logFailure));
      return row;
    },
    /** Switches them off; the files stay. Throws `not_found`. */
    async remove({ id: environmentId }: Environment): Promise<void> {
      await get(environmentId);
      await database.transaction((tx) => store.remove(tx, environmentId));
      events.emit('snapshot', { environmentId, problem: null });
    },
    /** Writes the files now. Throws `not_found`, and `vault_locked`. */
    async run({ id }: Environment): Promise<SnapshotRow> {
      // One that began before may have other settings, and older records.
      await running.get(id)?.catch(() => {});
      return runOnce(id);
    },
  };

  function logFailure(error: unknown): void {
    // It stays due: the next look runs it.
    if (!stopping.signal.aborted && !isVaultLocked(error)) logger.error({ err: error }, 'a snapshot failed');
  }
}

/** Also after a clock that was set back (design.md 7.55). */
function isDue({ every, nextAt }: SnapshotRow, now: number): boolean {
  if (nextAt === null) return false;
  const longest = every === 'sync' ? RETRY_MS : INTERVAL_MS[every];
  return nextAt <= now || nextAt > now + longest;
}

function nextOf({ every }: SnapshotRow, problem: string | null, now: number): number | null {
  if (problem !== null) return now + RETRY_MS;
  return every === 'sync' ? null : now + INTERVAL_MS[every];
}
