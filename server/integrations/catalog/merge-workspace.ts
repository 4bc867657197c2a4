import { createHash } from 'node:crypto';
import { nearestKey } from '../../platform/lib/nearest-name.ts';
import type { BuiltinCatalog } from './builtin-catalog.ts';
import type { EntryIssue } from './catalog-problem.ts';
import { type CheckedEntry, type CheckOptions, checkEntry } from './check-entry.ts';
import type { EntrySource, ProviderDefinition } from './entry-schema.ts';
import { inheritable, mergeDeep, type RawEntry } from './merge-entries.ts';
import type { ParsedCopy } from './parsed-copies.ts';
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
    const { copy } = read ?? {};
    const inherits = this.#builtin.has(name) || read?.raw['alias'] !== undefined;
    if (!inherits && copy?.checked) return { ...copy.checked, source: 'workspace', replaces: false };
    const outcome = this.#merge(name, inherits ? copy : undefined);
    if (!read || !copy) return outcome;
    const found = 'issues' in outcome ? outcome.issues : outcome.warnings;
    for (const { path } of found) copy.lines[path.join('.')] ??= read.lineOf(path) - read.lineOf([]);
    if ('issues' in outcome) return outcome;
    const { basis, definition, warnings, writtenHash } = outcome;
    copy.checked = { definition, warnings, writtenHash, ...(inherits ? { basis } : {}) };
    return outcome;
  }

  /** Takes the result of `copy` if that stands for the same merged entry. */
  #merge(name: string, copy: ParsedCopy | undefined): (MergedEntry & { basis: string }) | { issues: EntryIssue[] } {
    const written = this.#writtenFor(name);
    const basis = copy === undefined ? '' : this.#basisOf(name, written);
    const known = copy?.checked?.basis === basis ? copy.checked : undefined;
    const checked = known ?? this.#check(name);
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
      writtenHash: known?.writtenHash ?? hashEntry(written),
      warnings: checked.warnings,
      basis,
    };
  }

  #check(name: string): CheckedEntry {
    const expanded = this.#expand(name, []);
    return 'issues' in expanded ? expanded : checkEntry(expanded.raw, this.#checks);
  }

  /** Identifies everything from which an inheriting entry is merged. */
  #basisOf(name: string, written: RawEntry[]): string {
    const names = [name, ...written.map(({ alias }) => String(alias ?? ''))];
    const parts = names.map((one) => this.#builtin.get(one) ?? null);
    return createHash('sha256')
      .update(JSON.stringify([written, parts]))
      .digest('base64url');
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
