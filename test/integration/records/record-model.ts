/** The simplest model of the record cache: one stream of records in memory. */

export type Action = 'ADDED' | 'UPDATED' | 'DELETED';
export type Fields = Record<string, unknown>;

export interface ModelRow {
  /** JSON text of the content; undefined: it was never saved. */
  text: string | undefined;
  isDeleted: boolean;
  isPruned: boolean;
  seen: number;
  /** Positions of its first and its last change in the stream. */
  first: number;
  changed: number;
}

export interface ModelVersion {
  action: Action;
  hasContent: boolean;
  isPruned: boolean;
}

export interface Counts {
  added: number;
  updated: number;
  deleted: number;
}
export type Result = Counts & { unchanged: number };

/** A run of the model: its generation, the mark of its merging strategy, its counters. */
export class ModelRun {
  readonly job: number;
  guard = Number.POSITIVE_INFINITY;
  hasStrategy = false;
  counts: Counts = { added: 0, updated: 0, deleted: 0 };

  constructor(job: number) {
    this.job = job;
  }

  count(result: Result): Result {
    this.counts = {
      added: this.counts.added + result.added,
      updated: this.counts.updated + result.updated,
      deleted: this.counts.deleted + result.deleted,
    };
    return result;
  }
}

export class RecordModel {
  rows = new Map<string, ModelRow>();
  /** Versions of each record that changed since the history began, oldest first; undefined: no history is kept. */
  versions: Map<string, ModelVersion[]> | undefined;
  #window: number | undefined;
  #changes = 0;

  get stream(): Array<[string, ModelRow]> {
    return [...this.rows].sort((a, b) => a[1].changed - b[1].changed);
  }

  get liveCount(): number {
    return [...this.rows.values()].filter((row) => !row.isDeleted).length;
  }

  setStrategy(run: ModelRun, isGuarded: boolean): void {
    if (run.hasStrategy) return;
    run.hasStrategy = true;
    if (isGuarded) run.guard = Math.max(0, ...[...this.rows.values()].map((row) => row.changed));
  }

  save(run: ModelRun, entries: Array<[string, string]>): Result {
    const result = nothing();
    let last = 0;
    for (const [id, text] of firstOfEach(entries)) {
      const row = this.rows.get(id);
      if (row && (isStored(row, text) || row.changed > run.guard || isRestorable(row, text))) {
        if (isRestorable(row, text) && row.changed <= run.guard) this.#restore(id, row);
        this.#see(row, run);
        result.unchanged += 1;
        continue;
      }
      if (!row || row.isDeleted) result.added += 1;
      else result.updated += 1;
      last = this.#write(run, id, text);
    }
    return this.#done(run, result, last);
  }

  update(run: ModelRun, entries: Array<[string, Fields]>): Result {
    const result = nothing();
    let last = 0;
    for (const [id, patch] of firstOfEach(entries)) {
      const row = this.rows.get(id);
      if (!row || row.isDeleted) continue;
      const stored = row.isPruned || row.text === undefined ? {} : (JSON.parse(row.text) as Fields);
      const text = JSON.stringify(merge(stored, { id, ...patch }));
      if (row.changed > run.guard || text === row.text) {
        this.#see(row, run);
        result.unchanged += 1;
      } else {
        result.updated += 1;
        last = this.#write(run, id, text);
      }
    }
    return this.#done(run, result, last);
  }

  remove(run: ModelRun, ids: string[]): Result {
    const result = nothing();
    let last = 0;
    for (const id of new Set(ids)) {
      const row = this.rows.get(id);
      if (row && (row.isDeleted || row.changed > run.guard)) {
        this.#see(row, run);
        result.unchanged += 1;
      } else {
        if (row) result.deleted += 1;
        last = this.#delete(id, run.job);
      }
    }
    return this.#done(run, result, last);
  }

  removeUnseen(run: ModelRun, generation = run.job): string[] {
    const unseen = this.stream.filter(([, row]) => !row.isDeleted && row.seen < generation).map(([id]) => id);
    for (const id of unseen) this.#delete(id, 0);
    run.count({ ...nothing(), deleted: unseen.length });
    return unseen;
  }

  openWindow(run: ModelRun): void {
    this.#window ??= run.job;
  }

  /** Undefined: no window is open. */
  closeWindow(run: ModelRun): string[] | undefined {
    if (this.#window === undefined) return undefined;
    const generation = this.#window;
    this.#window = undefined;
    return this.removeUnseen(run, generation);
  }

  prune(until: number, limit: number): { count: number; hasMore: boolean } {
    const due = this.stream.filter(([, row]) => !row.isPruned && row.changed <= until).slice(0, limit);
    for (const [id, row] of due) {
      row.isPruned = true;
      for (const version of this.versions?.get(id) ?? []) version.isPruned = version.hasContent;
    }
    return { count: due.length, hasMore: due.length > 0 && due.at(-1)?.[1].changed !== until };
  }

  empty(): void {
    this.rows = new Map();
    if (this.versions) this.versions = new Map();
  }

  #done(run: ModelRun, result: Result, last: number): Result {
    if (last > 0 && run.guard !== Number.POSITIVE_INFINITY) run.guard = last;
    return run.count(result);
  }

  #restore(id: string, row: ModelRow): void {
    row.isPruned = false;
    const newest = this.versions?.get(id)?.at(-1);
    if (newest) newest.isPruned = false;
  }

  #see(row: ModelRow, run: ModelRun): void {
    row.seen = Math.max(row.seen, run.job);
  }

  #write(run: ModelRun, id: string, text: string): number {
    const row = this.rows.get(id);
    const changed = ++this.#changes;
    const first = !row || row.isDeleted ? changed : row.first;
    return this.#set(id, {
      text,
      first,
      changed,
      isDeleted: false,
      isPruned: false,
      seen: Math.max(row?.seen ?? 0, run.job),
    });
  }

  #delete(id: string, job: number): number {
    const row = this.rows.get(id);
    const changed = ++this.#changes;
    const known = row ?? { text: undefined, isPruned: false, seen: 0, first: changed };
    return this.#set(id, { ...known, isDeleted: true, changed, seen: Math.max(known.seen, job) });
  }

  #set(id: string, row: ModelRow): number {
    const replaced = this.rows.get(id);
    const versions = this.versions?.get(id) ?? (replaced ? [versionOf(replaced)] : []);
    this.versions?.set(id, [...versions, versionOf(row)]);
    this.rows.set(id, row);
    return row.changed;
  }
}

export function actionOf(row: ModelRow): Action {
  if (row.isDeleted) return 'DELETED';
  return row.first === row.changed ? 'ADDED' : 'UPDATED';
}

function versionOf(row: ModelRow): ModelVersion {
  const hasContent = row.text !== undefined;
  return { action: actionOf(row), hasContent, isPruned: row.isPruned && hasContent };
}

const nothing = (): Result => ({ added: 0, updated: 0, deleted: 0, unchanged: 0 });
const isStored = (row: ModelRow, text: string): boolean => !row.isDeleted && !row.isPruned && row.text === text;
const isRestorable = (row: ModelRow, text: string): boolean => !row.isDeleted && row.isPruned && row.text === text;

function firstOfEach<T>(entries: Array<[string, T]>): Map<string, T> {
  const first = new Map<string, T>();
  for (const [id, value] of entries) if (!first.has(id)) first.set(id, value);
  return first;
}

function merge(target: Fields, patch: Fields): Fields {
  const merged = { ...target };
  for (const [key, value] of Object.entries(patch)) {
    const current = merged[key];
    merged[key] = isObject(current) && isObject(value) ? merge(current, value) : value;
  }
  return merged;
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
