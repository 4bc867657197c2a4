import { nearestKey } from '../../platform/lib/nearest-name.ts';
import type { BuiltinCatalog } from './builtin-catalog.ts';
import type { EntryIssue } from './catalog-problem.ts';
import { type CheckOptions, checkEntry } from './check-entry.ts';
import type { EntrySource, ProviderDefinition } from './entry-schema.ts';
import { inheritable, mergeDeep, type RawEntry } from './merge-entries.ts';
import type { ReadEntry } from './read-entries.ts';
import { hashEntry } from './sensitive-changes.ts';

/** A workspace entry with all inherited members. */
export interface MergedEntry {
  definition: ProviderDefinition;
  source: EntrySource;
  /** Whether it replaces a built-in entry together with its auth mode (`extends: false`). */
  replaces: boolean;
  /** Hash of what the workspace says about it, including the entries from which it is derived. */
  writtenHash: string;
  /** Unusual parts that were left out or have no effect. */
  warnings: EntryIssue[];
}

export type MergeOutcome = MergedEntry | { issues: EntryIssue[] };

export interface WorkspaceMergerOptions {
  builtin: BuiltinCatalog;
  /** Workspace entries as written. */
  own: ReadonlyMap<string, Pick<ReadEntry, 'raw' | 'copy' | 'lineOf'>>;
  /** Handlers that an entry may name; undefined means that names are not checked. */
  handlers?: ReadonlySet<string> | undefined;
}

/** Merges workspace entries over the built-in ones (providers.md 12, design.md 7.12). */
export class WorkspaceMerger {
  readonly #builtin: BuiltinCatalog;
  readonly #own: ReadonlyMap<string, RawEntry>;
  readonly #read: WorkspaceMergerOptions['own'];
  readonly #checks: CheckOptions;

  constructor({ builtin, own, handlers }: WorkspaceMergerOptions) {
    this.#builtin = builtin;
    this.#read = own;
    this.#own = new Map([...own].map(([name, { raw }]) => [name, raw]));
    this.#checks = { isBuiltin: false, isLenient: true, ...(handlers ? { handlers } : {}) };
  }

  merge(name: string): MergeOutcome {
    const read = this.#read.get(name);
    const inherits = this.#builtin.has(name) || read?.raw['alias'] !== undefined;
    if (inherits || !read?.copy) return this.#merge(name);
    const { copy } = read;
    if (copy.checked) return { ...copy.checked, source: 'workspace', replaces: false };
    const outcome = this.#merge(name);
    if ('issues' in outcome) return outcome;
    const { definition, warnings, writtenHash } = outcome;
    copy.checked = { definition, warnings, writtenHash };
    const start = read.lineOf([]);
    for (const { path } of warnings) copy.lines[path.join('.')] = read.lineOf(path) - start;
    return outcome;
  }

  #merge(name: string): MergeOutcome {
    const expanded = this.#expand(name, []);
    if ('issues' in expanded) return expanded;
    const checked = checkEntry(expanded.raw, this.#checks);
    if ('issues' in checked) return checked;
    const builtin = this.#builtin.get(name);
    const replaces = builtin !== undefined && this.#own.get(name)?.['extends'] === false;
    if (builtin && !replaces && builtin.auth_mode !== checked.definition.auth_mode) {
      return fail(
        'auth_mode',
        `the built-in ${name} is ${builtin.auth_mode}; write extends: false to replace the whole entry`,
      );
    }
    return {
      definition: checked.definition,
      source: builtin ? 'override' : 'workspace',
      replaces,
      writtenHash: hashEntry(this.#writtenFor(name)),
      warnings: checked.warnings,
    };
  }

  /** The entry as written, and the workspace entries of which it is an alias. */
  #writtenFor(name: string, trail: string[] = []): RawEntry[] {
    const own = this.#own.get(name);
    if (!own || trail.includes(name)) return [];
    return [own, ...this.#writtenFor(String(own['alias'] ?? ''), [...trail, name])];
  }

  #expand(name: string, trail: string[]): { raw: RawEntry } | { issues: EntryIssue[] } {
    const { extends: extendsBase, ...own } = this.#own.get(name) ?? {};
    const builtin = this.#builtin.get(name) as RawEntry | undefined;
    if (extendsBase !== undefined && typeof extendsBase !== 'boolean') return fail('extends', 'is true or false');
    if (builtin && extendsBase !== false) {
      if (own['alias'] !== undefined && own['alias'] !== name)
        return fail('alias', `${name} is built in; choose another key for a variant of ${String(own['alias'])}`);
      const { alias: _sameKey, ...override } = own;
      return { raw: mergeDeep(inheritable(builtin), override) };
    }
    if (extendsBase === true) return fail('extends', `no built-in provider is called ${name}`);
    if (own['alias'] === undefined) return { raw: mergeDeep({}, own) };
    return this.#expandAlias(name, own, trail);
  }

  #expandAlias(name: string, own: RawEntry, trail: string[]): { raw: RawEntry } | { issues: EntryIssue[] } {
    const target = String(own['alias']);
    if (target === name || trail.includes(target))
      return fail('alias', `${name} and ${target} are aliases of each other`);
    if (!this.#own.has(target)) {
      const builtin = this.#builtin.get(target) as RawEntry | undefined;
      if (builtin) return { raw: mergeDeep(inheritable(builtin), own) };
      const meant = nearestKey(target, [...this.#builtin.keys(), ...this.#own.keys()]);
      return fail('alias', `there is no provider ${target}${meant ? `; did you mean ${meant}?` : ''}`);
    }
    const base = this.#expand(target, [...trail, name]);
    return 'issues' in base ? base : { raw: mergeDeep(inheritable(base.raw), own) };
  }
}

function fail(key: string, reason: string): { issues: EntryIssue[] } {
  return { issues: [{ path: [key], reason }] };
}
