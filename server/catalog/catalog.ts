import { type BuiltinCatalog, locate } from './builtin-catalog.ts';
import type { CatalogProblem } from './catalog-problem.ts';
import type { ProviderDefinition, ProviderEntry } from './entry-schema.ts';
import { mergeDeep, type RawEntry } from './merge-entries.ts';
import { type MergedEntry, WorkspaceMerger } from './merge-workspace.ts';
import { type CatalogFile, type ReadEntry, readEntries } from './read-entries.ts';
import { findSensitiveChanges, hashEntry, type SensitiveChange } from './sensitive-changes.ts';

export interface CatalogOptions {
  builtin: BuiltinCatalog;
  /** Handlers that entries of the workspace may name; undefined leaves names unchecked. */
  handlers?: ReadonlySet<string>;
  /** Whether a connection uses the provider: a sensitive override then waits for approval. */
  isInUse: (provider: string) => boolean | Promise<boolean>;
  /** Whether an integration uses the provider: it then can be neither replaced whole nor taken away. */
  hasIntegrations: (provider: string) => boolean | Promise<boolean>;
  isApproved: (hash: string) => boolean | Promise<boolean>;
  /**
   * Called when a sensitive override applies because nothing used the provider yet, so that the
   * connections made with it do not turn it into a pending one at the next load.
   */
  rememberApproval: (provider: string, hash: string) => void | Promise<void>;
}

/** An override that waits for a person; the entry in force stays what it was. */
export interface PendingOverride {
  provider: string;
  /** To be stored when the person approves. */
  hash: string;
  changes: SensitiveChange[];
}

/** The provider definitions in force: built-in ones with the workspace's merged over them. */
export class Catalog {
  readonly #options: CatalogOptions;
  #entries: Map<string, ProviderEntry>;
  #problems: CatalogProblem[] = [];
  #pending: PendingOverride[] = [];
  #missing: string[] = [];
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

  pending(): PendingOverride[] {
    return this.#pending;
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
    // One after the other: the state of each depends on the one before.
    const reload = this.#lastReload.then(() => this.#load(files));
    this.#lastReload = reload.catch(() => {
      // Its caller has the rejection.
    });
    return reload;
  }

  async #load(files: CatalogFile[]): Promise<void> {
    const reads = files.map(readEntries);
    const problems = reads.flatMap((read) => read.problems);
    const own = joinEntries(reads.flatMap((read) => read.entries));
    const unreadable = new Set(problems.map((problem) => problem.provider));
    const merger = new WorkspaceMerger({
      builtin: this.#options.builtin,
      own: new Map([...own].map(([name, entry]) => [name, entry.raw])),
      handlers: this.#options.handlers,
    });
    const next: Staged = { entries: this.#builtinEntries(), problems, pending: [], missing: [] };

    for (const [name, read] of own) await this.#stage(next, read, merger.merge(name));
    for (const [name, entry] of this.#entries) {
      if (!own.has(name)) await this.#keepUnwritten(next, name, entry, unreadable.has(name) || unreadable.has(''));
    }

    this.#entries = new Map([...next.entries].sort(([a], [b]) => (a < b ? -1 : 1)));
    this.#problems = next.problems;
    this.#pending = next.pending;
    this.#missing = next.missing;
  }

  async #stage(next: Staged, read: ReadEntry, outcome: ReturnType<WorkspaceMerger['merge']>): Promise<void> {
    const current = this.#entries.get(read.name);
    const keepsCurrent = (): unknown => current && next.entries.set(read.name, current);
    if ('issues' in outcome) {
      next.problems.push(...outcome.issues.map((issue) => locate(read, issue.path, issue.reason)));
      keepsCurrent();
    } else if (outcome.replaces && !(await this.#mayReplace(read.name, outcome))) {
      const reason = 'an integration uses the built-in provider; it cannot be replaced whole';
      next.problems.push(locate(read, ['extends'], reason));
      keepsCurrent();
    } else {
      const pending = await this.#findPending(read.name, outcome);
      if (pending) {
        next.pending.push(pending);
        keepsCurrent();
      } else next.entries.set(read.name, named(read.name, outcome.definition, outcome.source));
    }
  }

  /** Once replaced, an entry stays so: the integrations made since then belong to the replacement. */
  async #mayReplace(name: string, merged: MergedEntry): Promise<boolean> {
    const hash = hashEntry(merged.definition);
    if (await this.#options.isApproved(hash)) return true;
    const isReplaced = this.#entries.get(name)?.source === 'workspace';
    return isReplaced || !(await this.#options.hasIntegrations(name));
  }

  /** New keys have no connections yet and need no approval. */
  async #findPending(name: string, merged: MergedEntry): Promise<PendingOverride | undefined> {
    const builtin = this.#options.builtin.get(name);
    const changes = builtin ? findSensitiveChanges(builtin, merged.definition) : [];
    if (changes.length === 0 && !merged.replaces) return undefined;
    const hash = hashEntry(merged.definition);
    if (await this.#options.isApproved(hash)) return undefined;
    if (changes.length > 0 && (await this.#options.isInUse(name))) return { provider: name, hash, changes };
    await this.#options.rememberApproval(name, hash);
    return undefined;
  }

  /** A workspace entry that cannot be read, or was removed while integrations use it, stays as it was. */
  async #keepUnwritten(next: Staged, name: string, entry: ProviderEntry, isUnreadable: boolean): Promise<void> {
    if (entry.source === 'builtin') return;
    if (isUnreadable) {
      next.entries.set(name, entry);
    } else if (!this.#options.builtin.has(name) && (await this.#options.hasIntegrations(name))) {
      next.entries.set(name, entry);
      next.missing.push(name);
    }
  }

  #builtinEntries(): Map<string, ProviderEntry> {
    return new Map([...this.#options.builtin].map(([name, definition]) => [name, named(name, definition, 'builtin')]));
  }
}

interface Staged {
  entries: Map<string, ProviderEntry>;
  problems: CatalogProblem[];
  pending: PendingOverride[];
  missing: string[];
}

/** A key written in several files: later files are merged over earlier ones. */
function joinEntries(entries: ReadEntry[]): Map<string, ReadEntry> {
  const joined = new Map<string, ReadEntry>();
  for (const entry of entries) {
    const earlier = joined.get(entry.name);
    const raw: RawEntry = earlier ? mergeDeep(earlier.raw, entry.raw) : entry.raw;
    joined.set(entry.name, { ...entry, raw });
  }
  return joined;
}

function named(name: string, definition: ProviderDefinition, source: ProviderEntry['source']): ProviderEntry {
  return { ...definition, name, source };
}
