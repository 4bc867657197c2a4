import { setImmediate } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { asSentence } from '../lib/as-sentence.ts';
import { nearestKey } from '../lib/nearest-name.ts';
import { type BuiltinCatalog, locate } from './builtin-catalog.ts';
import type { CatalogProblem } from './catalog-problem.ts';
import type { EntrySource, ProviderDefinition, ProviderEntry } from './entry-schema.ts';
import { mergeDeep } from './merge-entries.ts';
import { type MergedEntry, WorkspaceMerger } from './merge-workspace.ts';
import type { ParsedCopies } from './parsed-copies.ts';
import { type CatalogFile, type FileEntries, type ReadEntry, readEntries } from './read-entries.ts';
import { findSensitiveChanges, hashEntry, type SensitiveChange } from './sensitive-changes.ts';

/** What services see of the catalogue. */
export type CatalogLookup = Pick<Catalog, 'find' | 'explainMissing'>;

/** An entry of the workspace as the connections that use it were made, or as a person last approved it. */
export interface ApprovedEntry {
  provider: string;
  definition: ProviderDefinition;
  source: EntrySource;
  /** It stands in place of a built-in entry together with its auth mode. */
  replaces: boolean;
  /** Of what the workspace itself says: an update of the program may change the rest unasked. */
  writtenHash: string;
}

/** Where approved entries are kept. */
export interface ApprovedEntries {
  list(): Promise<ApprovedEntry[]>;
  save(entries: ApprovedEntry[]): Promise<void>;
  remove(provider: string): Promise<void>;
  /** Whether an older version of the program approved the resolved entry with this hash. */
  wasApproved(hash: string): Promise<boolean>;
}

export interface CatalogOptions {
  builtin: BuiltinCatalog;
  /** Handlers that entries of the workspace may name; undefined leaves names unchecked. */
  handlers?: ReadonlySet<string>;
  /** Whether a connection uses the provider: what changes about it then waits for approval. */
  isInUse: (provider: string) => boolean | Promise<boolean>;
  /** Whether an integration uses the provider: it then can be neither replaced whole nor taken away. */
  hasIntegrations: (provider: string) => boolean | Promise<boolean>;
  /** Default: nothing waits, every entry applies at once. */
  approved?: ApprovedEntries;
  /** Parsed copies of the workspace's entries; without them every reading reads the YAML. */
  copies?: ParsedCopies;
  /** Whatever the workspace says is approved. Default false. */
  trustsWorkspace?: boolean;
}

/** A change that waits for a person; the entry in force stays what it was. */
export interface PendingProviderChange {
  provider: string;
  kind: 'change' | 'removal';
  /** Identifies what is to be approved: a file that changes again asks again. */
  hash: string;
  changes: SensitiveChange[];
}

/** The event loop waits no longer than this for a large file. */
const LONGEST_TURN_MS = 10;

/** The provider definitions in force: built-in ones with the workspace's merged over them. */
export class Catalog {
  readonly #options: CatalogOptions;
  #entries: Map<string, ProviderEntry>;
  #problems: CatalogProblem[] = [];
  #warnings: CatalogProblem[] = [];
  #pending: Waiting[] = [];
  #missing: string[] = [];
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

  /** Entries of the workspace that could not be loaded, and why. */
  problems(): CatalogProblem[] {
    return this.#problems;
  }

  /** What is merely unusual in entries that are in force: the part in question is left out, or kept without effect. */
  warnings(): CatalogProblem[] {
    return this.#warnings;
  }

  /** Why there is no entry of this name although the workspace has one, or has a file that cannot be read. */
  findProblem(name: string): CatalogProblem | undefined {
    if (this.#entries.has(name)) return undefined;
    const own = this.#problems.find(({ provider }) => provider === name);
    return own ?? this.#problems.find(({ provider }) => provider === '');
  }

  /** The same as a sentence for callers that ask for the provider. */
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

  /** Identifies what is approved about an entry; undefined when there is none. */
  hashOf(name: string): string | undefined {
    const entry = this.#entries.get(name);
    if (!entry) return undefined;
    const { name: _name, source: _source, ...definition } = entry;
    return hashEntry(definition);
  }

  /** A catalogue of its own, as if these were the workspace's files and no connection used them. */
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

  /** Providers whose definition left the workspace while integrations use them; their last copy is served. */
  missing(): string[] {
    return this.#missing;
  }

  /**
   * Loads the workspace's files (in the order given: `providers.yaml`, then `providers.d` by name). A bad
   * entry keeps its last good version; the others load. Callers hold on to the entries they have.
   */
  reload(files: CatalogFile[]): Promise<void> {
    return this.#inTurn(() => this.#load(files));
  }

  /** Applies a change that waits. False when there is none with this hash (any more). */
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

  /** One after the other: the state of each depends on the one before. */
  #inTurn<T>(task: () => Promise<T>): Promise<T> {
    const turn = this.#lastReload.then(task);
    this.#lastReload = turn.then(
      () => {},
      () => {
        // Its caller has the rejection.
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

    let turnEndsAt = performance.now() + LONGEST_TURN_MS;
    for (const [name, read] of own) {
      await this.#stage(next, read, merger.merge(name));
      if (performance.now() < turnEndsAt) continue;
      await setImmediate();
      turnEndsAt = performance.now() + LONGEST_TURN_MS;
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
      const reason = 'an integration uses the built-in provider; it cannot be replaced whole';
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
    // An entry of the user's own that is met for the first time is what its connections, if any, were made with.
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

  /** Once replaced, an entry stays so: the integrations made since then belong to the replacement. */
  async #mayReplace({ approved }: Staged, name: string, { definition }: MergedEntry): Promise<boolean> {
    if (approved.get(name)?.replaces || !(await this.#options.hasIntegrations(name))) return true;
    return (await this.#options.approved?.wasApproved(hashEntry(definition))) ?? false;
  }

  /** What was in force; after a restart, what the connections that use it were made with. */
  async #keepLast(next: Staged, name: string, isUsed = this.#options.isInUse): Promise<void> {
    const current = this.#entries.get(name);
    const known = next.approved.get(name);
    if (current && current.source !== 'builtin') next.entries.set(name, current);
    else if (known && (await isUsed(name))) next.entries.set(name, named(name, known.definition, known.source));
  }

  /** An entry that cannot be read, or was removed while connections or integrations use it, stays as it was. */
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

interface Waiting {
  change: PendingProviderChange;
  /** Undefined when the entry is to go. */
  entry: ApprovedEntry | undefined;
}

interface Staged {
  entries: Map<string, ProviderEntry>;
  approved: Map<string, ApprovedEntry>;
  problems: CatalogProblem[];
  warnings: CatalogProblem[];
  pending: Waiting[];
  missing: string[];
  /** Entries that apply now and are to be kept as approved. */
  toKeep: ApprovedEntry[];
}

/** A key written in several files: later files are merged over earlier ones. */
function joinEntries(entries: ReadEntry[]): Map<string, ReadEntry> {
  const joined = new Map<string, ReadEntry>();
  for (const entry of entries) {
    const earlier = joined.get(entry.name);
    if (!earlier) joined.set(entry.name, entry);
    else {
      // What two files say together is in no copy.
      const { copy: _copy, ...rest } = entry;
      joined.set(entry.name, { ...rest, raw: mergeDeep(earlier.raw, entry.raw) });
    }
  }
  return joined;
}

function named(name: string, definition: ProviderDefinition, source: ProviderEntry['source']): ProviderEntry {
  return { ...definition, name, source };
}
