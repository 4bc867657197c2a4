import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { hasErrorCode } from '../../platform/lib/error-code.ts';
import type { EntryIssue } from './catalog-problem.ts';
import type { ProviderDefinition } from './entry-schema.ts';
import type { RawEntry } from './merge-entries.ts';

/** Increase this number when the form of the copies changes; old files are then ignored. */
const FORM = 1;
/** Smaller files are parsed faster than their copies are read. */
const MIN_BYTES = 32_768;

/** Result of checking an entry. */
export interface CheckedCopy {
  definition: ProviderDefinition;
  /** Hash of an inheriting entry with what it inherits: these may change while its own text stays. */
  basis?: string;
  writtenHash: string;
  warnings: EntryIssue[];
}

/** An entry as parsed and checked by the running program. */
export interface ParsedCopy {
  name: string;
  raw: RawEntry;
  /** Lines of the members that warnings name, by dotted path, relative to the first line of the entry. */
  lines: Record<string, number>;
  checked?: CheckedCopy;
}

interface StoredCopy extends Omit<ParsedCopy, 'checked'> {
  checked?: Omit<CheckedCopy, 'definition'> & {
    /** Missing when the entry equals its definition, as for most entries. */
    definition?: ProviderDefinition;
  };
}

/**
 * Cache of parsed workspace entries, by the hash of their text, in one file of the data folder. Parsing YAML and
 * checking take much longer than the rest of a load.
 */
export class ParsedCopies {
  readonly #path: string;
  readonly #program: string;
  #known = new Map<string, ParsedCopy>();
  /** Copies that were read or added since the last save. The others belong to texts that no longer exist. */
  #used = new Map<string, ParsedCopy>();
  #usedBytes = 0;
  #hasNew = false;

  private constructor(path: string, program: string) {
    this.#path = path;
    this.#program = program;
  }

  /** A file that is missing, damaged or written by another `program` counts as empty. */
  static async open(path: string, program: string): Promise<ParsedCopies> {
    const copies = new ParsedCopies(path, program);
    try {
      const stored = JSON.parse(await readFile(path, 'utf8')) as {
        form?: number;
        program?: string;
        entries?: Record<string, StoredCopy>;
      };
      if (stored.form === FORM && stored.program === program)
        copies.#known = new Map(Object.entries(stored.entries ?? {}).map(([hash, copy]) => [hash, fromStored(copy)]));
    } catch (error) {
      if (!hasErrorCode(error, 'ENOENT') && !(error instanceof SyntaxError)) throw error;
    }
    return copies;
  }

  find(text: string): ParsedCopy | undefined {
    const hash = hashOf(text);
    const copy = this.#known.get(hash) ?? this.#used.get(hash);
    if (copy) this.#use(hash, text, copy);
    return copy;
  }

  add(text: string, name: string, raw: RawEntry): ParsedCopy {
    const copy = { name, raw, lines: {} };
    this.#use(hashOf(text), text, copy);
    this.#hasNew = true;
    return copy;
  }

  /** Writes the copies used since the last save, if any of them is new. */
  async save(): Promise<void> {
    const [used, bytes, hasNew] = [this.#used, this.#usedBytes, this.#hasNew];
    this.#known = used;
    this.#used = new Map();
    this.#usedBytes = 0;
    this.#hasNew = false;
    if (!hasNew || bytes < MIN_BYTES) return;
    await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 });
    // The file is replaced in one step, so a reader never sees a part of it.
    const temporary = `${this.#path}.new`;
    const entries = Object.fromEntries([...used].map(([hash, copy]) => [hash, toStored(copy)]));
    await writeFile(temporary, JSON.stringify({ form: FORM, program: this.#program, entries }), { mode: 0o600 });
    await rename(temporary, this.#path);
  }

  #use(hash: string, text: string, copy: ParsedCopy): void {
    if (!this.#used.has(hash)) this.#usedBytes += text.length;
    this.#used.set(hash, copy);
  }
}

function toStored({ checked, ...copy }: ParsedCopy): StoredCopy {
  if (!checked) return copy;
  const { definition, ...rest } = checked;
  return { ...copy, checked: isDeepStrictEqual(definition, copy.raw) ? rest : { ...rest, definition } };
}

function fromStored({ checked, ...copy }: StoredCopy): ParsedCopy {
  if (!checked) return copy;
  return { ...copy, checked: { ...checked, definition: checked.definition ?? (copy.raw as ProviderDefinition) } };
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
