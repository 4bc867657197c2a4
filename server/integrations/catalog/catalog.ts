import { setImmediate } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { asSentence } from '../../platform/lib/as-sentence.ts';
import { nearestKey } from '../../platform/lib/nearest-name.ts';
import { type BuiltinCatalog, locate } from './builtin-catalog.ts';
import type { CatalogProblem } from './catalog-problem.ts';
import type { EntrySource, ProviderDefinition, ProviderEntry } from './entry-schema.ts';
import { mergeDeep } from './merge-entries.ts';
import { type MergedEntry, WorkspaceMerger } from './merge-workspace.ts';
import type { ParsedCopies } from './parsed-copies.ts';
import { type CatalogFile, type FileEntries, type ReadEntry, readEntries } from './read-entries.ts';
import { findSensitiveChanges, hashEntry, type SensitiveChange } from './sensitive-changes.ts';

/** The read methods of the catalogue for services. */
export type CatalogLookup = Pick<Catalog, 'find' | 'explainMissing'>;

/** The same for routes and presenters. */
export type CatalogReader = Pick<Catalog, 'find' | 'explainMissing' | 'list' | 'refused'>;

/** A workspace entry as it was when its connections were created, or when a person last approved it. */
export interface ApprovedEntry {
  provider: string;
  definition: ProviderDefinition;
  source: EntrySource;
  /** Whether it replaces a built-in entry together with its auth mode. */
  replaces: boolean;
  /** Hash of the workspace's part only: an update of the program may change the rest without approval. */
  writtenHash: string;
}

/** Storage of approved entries. */
export interface ApprovedEntries {
  list(): Promise<ApprovedEntry[]>;
  save(entries: ApprovedEntry[]): Promise<void>;
  remove(provider: string): Promise<void>;
  /** Whether an older version of the program approved the resolved entry with this hash. */
  wasApproved(hash: string): Promise<boolean>;
}

export interface CatalogOptions {
  builtin: BuiltinCatalog;
  /** Handlers that workspace entries may name; undefined means that names are not checked. */
  handlers?: ReadonlySet<string>;
  /** Whether a connection uses the provider. Changes of the provider then wait for approval. */
  isInUse: (provider: string) => boolean | Promise<boolean>;
  /** Whether an integration uses the provider. Its entry can then be neither replaced nor removed. */
  hasIntegrations: (provider: string) => boolean | Promise<boolean>;
  /** Without it, every entry applies at once. */
  approved?: ApprovedEntries;
  /** Parsed copies of the workspace's entries. Without them the YAML is parsed at every load. */
  copies?: ParsedCopies;
  /** Approves every workspace entry. Default false. */
  trustsWorkspace?: boolean;
}

/** A change that waits for approval. Until then the old entry stays in use. */
export interface PendingProviderChange {
  provider: string;
  kind: 'change' | 'removal';
  /** Identifies the change. When the file changes again, approval is asked for again. */
  hash: string;
  changes: SensitiveChange[];
}

/** Longest time in milliseconds for which a large file may block the event loop. */
const MAX_TURN_MS = 10;

/** The provider definitions in use: the built-in ones merged with those of the workspace. */
export class Catalog {
  readonly #options: CatalogOptions;
  #entries: Map<string, ProviderEntry>;
  #problems: CatalogProblem[] = [];
  #warnings: CatalogProblem[] = [];
  #pending: Waiting[] = [];
  #missing: string[] = [];
  #refused: RefusedEntry[] = [];
  #files: CatalogFile[] = [];
  #lastReload: Promise<void> = Promise.resolve();

  constructor(options: CatalogOptions) {
    this.#options = options;
    this.#entries = new Map(
      [...options.builtin].map(([name, definition]) => [name, named(name, definition, 'builtin')]),
    );
  }

  /** All entries, ordered by key. */
  list(): ProviderEntry[] {
    return [...this.#entries.values()];
  }

  find(name: string): ProviderEntry | undefined {
    return this.#entries.get(name);
  }

  /** Entries of the workspace that cannot be used: lists name them with the reason, `find` does not return them. */
  refused(): RefusedEntry[] {
    return this.#refused;
  }

  /** Workspace entries that could not be loaded, with the reasons. */
  problems(): CatalogProblem[] {
    return this.#problems;
  }

  /** Warnings about entries in use: the part in question was left out or has no effect. */
  warnings(): CatalogProblem[] {
    return this.#warnings;
  }

  /** Why an entry of this name is missing although the workspace has one, or has a file that cannot be read. */
  findProblem(name: string): CatalogProblem | undefined {
    if (this.#entries.has(name)) return undefined;
    const own = this.#problems.find(({ provider }) => provider === name);
    return own ?? this.#problems.find(({ provider }) => provider === '');
  }

  /** The same as a sentence for callers that name the provider. */
  explainMissing(name: string): string {
    const problem = this.findProblem(name);
    const nearest = nearestKey(name, this.#entries.keys());
    const meant = nearest === undefined ? '' : ` Did you mean "${nearest}"?`;
    if (!problem) return `The provider "${name}" is not in the catalogue.${meant}`;
    const { file, line, keyPath, provider, reason } = problem;
    const where = `${file}, line ${line}${keyPath === '' ? '' : `, ${keyPath}`}`;
    return provider === ''
      ? `The provider "${name}" is not in the catalogue, and a file of the workspace cannot be read. ${where}: ${asSentence(reason)}`
      : `The workspace's entry of the provider "${name}" is faulty. ${where}: ${asSentence(reason)} Correct it and save the file.`;
  }

  /** Identifies the approvable content of an entry; undefined when there is no entry. */
  hashOf(name: string): string | undefined {
    const entry = this.#entries.get(name);
    if (!entry) return undefined;
    const { name: _name, source: _source, ...definition } = entry;
    return hashEntry(definition);
  }

  /** Returns a separate catalogue, as if these were the workspace's files and no connection used them. */
  async tryOut(files: CatalogFile[]): Promise<Catalog> {
    const { builtin, handlers } = this.#options;
    const trial = new Catalog({
      builtin,
      ...(handlers ? { handlers } : {}),
      isInUse: () => false,
      hasIntegrations: () => false,
    });
    await trial.reload(files);
    return trial;
  }

  pending(): PendingProviderChange[] {
    return this.#pending.map(({ change }) => change);
  }

  /** Providers that were removed from the workspace while integrations use them. Their last copy stays in use. */
  missing(): string[] {
    return this.#missing;
  }

  /**
   * Loads the workspace's files (in the given order: `providers.yaml`, then `providers.d` by name). An invalid entry keeps
   * its last valid version; the others load. Entry objects that callers already have do not change.
   */
  reload(files: CatalogFile[]): Promise<void> {
    return this.#inTurn(() => this.#load(files));
  }

  /** Applies a waiting change. Resolves to false when no change with this hash is waiting. */
  approve(provider: string, hash: string): Promise<boolean> {
    return this.#inTurn(async () => {
      const waiting = this.#pending.find(({ change }) => change.provider === provider && change.hash === hash);
      if (!waiting) return false;
      if (waiting.entry) await this.#options.approved?.save([waiting.entry]);
      else {
        await this.#options.approved?.remove(provider);
        this.#entries.delete(provider);
      }
      await this.#load(this.#files);
      return true;
    });
  }

  /** Runs tasks one after the other, because each depends on the result of the one before. */
  #inTurn<T>(task: () => Promise<T>): Promise<T> {
    const turn = this.#lastReload.then(task);
    this.#lastReload = turn.then(
      () => {},
      () => {
        // The rejection goes to the caller of the task.
      },
    );
    return turn;
  }

  async #load(files: CatalogFile[]): Promise<void> {
    const reads = await this.#read(files);
    const problems = reads.flatMap((read) => read.problems);
    const own = joinEntries(reads.flatMap((read) => read.entries));
    const unreadable = new Set(problems.map((problem) => problem.provider));
    const merger = new WorkspaceMerger({
      builtin: this.#options.builtin,
      own,
      handlers: this.#options.handlers,
    });
    const approved = new Map((await this.#options.approved?.list())?.map((entry) => [entry.provider, entry]));
    const next: Staged = {
      entries: this.#builtinEntries(),
      approved,
      problems,
      warnings: [],
      pending: [],
      missing: [],
      toKeep: [],
    };

    let turnEndsAt = performance.now() + MAX_TURN_MS;
    for (const [name, read] of own) {
      await this.#stage(next, read, merger.merge(name));
      if (performance.now() < turnEndsAt) continue;
      await setImmediate();
      turnEndsAt = performance.now() + MAX_TURN_MS;
    }
    for (const name of new Set([...this.#entries.keys(), ...approved.keys()])) {
      if (!own.has(name)) await this.#stageUnwritten(next, name, unreadable.has(name) || unreadable.has(''));
    }
    if (next.toKeep.length > 0) await this.#options.approved?.save(next.toKeep);
    await this.#options.copies?.save();

    this.#files = files;
    this.#entries = new Map([...next.entries].sort(([a], [b]) => (a < b ? -1 : 1)));
    this.#problems = next.problems;
    this.#warnings = next.warnings;
    this.#pending = next.pending;
    this.#missing = next.missing;
    this.#refused = [...own.values()].filter(({ name }) => !next.entries.has(name)).map((read) => refusedEntry(read));
  }

  async #read(files: CatalogFile[]): Promise<FileEntries[]> {
    const { copies } = this.#options;
    const reads: FileEntries[] = [];
    for (const file of files) reads.push(await readEntries(file, copies));
    return reads;
  }

  async #stage(next: Staged, read: ReadEntry, outcome: ReturnType<WorkspaceMerger['merge']>): Promise<void> {
    if ('issues' in outcome) {
      next.problems.push(...outcome.issues.map((issue) => locate(read, issue.path, issue.reason)));
      await this.#keepLast(next, read.name);
    } else if (outcome.replaces && !(await this.#mayReplace(next, read.name, outcome))) {
      const reason = 'an integration uses the built-in provider; it cannot be replaced as a whole';
      next.problems.push(locate(read, ['extends'], reason));
      await this.#keepLast(next, read.name);
    } else {
      next.warnings.push(...outcome.warnings.map((issue) => locate(read, issue.path, issue.reason)));
      await this.#applyOrWait(next, read.name, outcome);
    }
  }

  async #applyOrWait(next: Staged, name: string, { definition, source, replaces, writtenHash }: MergedEntry) {
    const entry: ApprovedEntry = { provider: name, definition, source, replaces, writtenHash };
    const known = next.approved.get(name);
    if (known?.writtenHash === writtenHash && isDeepStrictEqual(known.definition, definition)) {
      next.entries.set(name, named(name, definition, source));
      return;
    }
    // When an entry is loaded for the first time, its connections, if any, were created with it.
    const before = known?.definition ?? this.#options.builtin.get(name) ?? definition;
    const changes = known?.writtenHash === writtenHash ? [] : findSensitiveChanges(before, definition);
    const hash = hashEntry(definition);
    if (changes.length > 0 && (await this.#mustWait(name, known ? undefined : hash))) {
      next.pending.push({ change: { provider: name, kind: 'change', hash, changes }, entry });
      await this.#keepLast(next, name);
      return;
    }
    next.entries.set(name, named(name, definition, source));
    if (!known || known.writtenHash !== writtenHash || hashEntry(known.definition) !== hash) next.toKeep.push(entry);
  }

  async #mustWait(name: string, formerHash: string | undefined): Promise<boolean> {
    const { approved, isInUse, trustsWorkspace = false } = this.#options;
    if (!approved || trustsWorkspace || !(await isInUse(name))) return false;
    return formerHash === undefined || !(await approved.wasApproved(formerHash));
  }

  /** A replaced entry stays replaced, because the integrations created since then belong to the replacement. */
  async #mayReplace({ approved }: Staged, name: string, { definition }: MergedEntry): Promise<boolean> {
    if (approved.get(name)?.replaces || !(await this.#options.hasIntegrations(name))) return true;
    return (await this.#options.approved?.wasApproved(hashEntry(definition))) ?? false;
  }

  /** Keeps the version in use; after a restart, the version with which its connections were created. */
  async #keepLast(next: Staged, name: string, isUsed = this.#options.isInUse): Promise<void> {
    const current = this.#entries.get(name);
    const known = next.approved.get(name);
    if (current && current.source !== 'builtin') next.entries.set(name, current);
    else if (known && (await isUsed(name))) next.entries.set(name, named(name, known.definition, known.source));
  }

  /** Keeps an entry that cannot be read, or that was removed while connections or integrations use it. */
  async #stageUnwritten(next: Staged, name: string, isUnreadable: boolean): Promise<void> {
    const known = next.approved.get(name);
    const builtin = this.#options.builtin.get(name);
    if (isUnreadable) return this.#keepLast(next, name);
    if (!builtin && (await this.#options.hasIntegrations(name))) next.missing.push(name);
    if (known) {
      const gone = builtin ?? ({ display_name: '', auth_mode: 'NONE' } satisfies ProviderDefinition);
      const changes = findSensitiveChanges(known.definition, gone);
      if (changes.length > 0 && (await this.#mustWait(name, undefined))) {
        const hash = hashEntry({ removed: known.definition });
        next.pending.push({ change: { provider: name, kind: 'removal', hash, changes }, entry: undefined });
        return this.#keepLast(next, name);
      }
    }
    if (next.missing.includes(name)) return this.#keepLast(next, name, this.#options.hasIntegrations);
    if (known) await this.#options.approved?.remove(name);
  }

  #builtinEntries(): Map<string, ProviderEntry> {
    return new Map([...this.#options.builtin].map(([name, definition]) => [name, named(name, definition, 'builtin')]));
  }
}

/** An entry of the workspace that cannot be used, as far as its text can be read. */
export interface RefusedEntry {
  name: string;
  display_name: string;
  auth_mode: string;
}

function refusedEntry({ name, raw }: ReadEntry): RefusedEntry {
  const textOf = (key: string, otherwise: string): string => {
    const value = raw[key];
    return typeof value === 'string' && value !== '' ? value : otherwise;
  };
  return { name, display_name: textOf('display_name', name), auth_mode: textOf('auth_mode', 'NONE') };
}

interface Waiting {
  change: PendingProviderChange;
  /** Undefined removes the entry. */
  entry: ApprovedEntry | undefined;
}

interface Staged {
  entries: Map<string, ProviderEntry>;
  approved: Map<string, ApprovedEntry>;
  problems: CatalogProblem[];
  warnings: CatalogProblem[];
  pending: Waiting[];
  missing: string[];
  /** Entries to apply now and to store as approved. */
  toKeep: ApprovedEntry[];
}

/** Merges a key that is written in several files; later files are merged over earlier ones. */
function joinEntries(entries: ReadEntry[]): Map<string, ReadEntry> {
  const joined = new Map<string, ReadEntry>();
  for (const entry of entries) {
    const earlier = joined.get(entry.name);
    if (!earlier) joined.set(entry.name, entry);
    else {
      // A merged entry has no parsed copy.
      const { copy: _copy, ...rest } = entry;
      joined.set(entry.name, { ...rest, raw: mergeDeep(earlier.raw, entry.raw) });
    }
  }
  return joined;
}

function named(name: string, definition: ProviderDefinition, source: ProviderEntry['source']): ProviderEntry {
  return { ...definition, name, source };
}
