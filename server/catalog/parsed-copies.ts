import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { EntryIssue } from './catalog-problem.ts';
import type { ProviderDefinition } from './entry-schema.ts';
import type { RawEntry } from './merge-entries.ts';

/** Another form of the copies gets another number: what is there is then read again. */
const FORM = 1;
/** Small files are read faster than their copies. */
const LEAST_BYTES = 32_768;

/** What checking an entry that inherits nothing found. */
export interface CheckedCopy {
  definition: ProviderDefinition;
  writtenHash: string;
  warnings: EntryIssue[];
}

/** An entry as it was read, and checked by the program that is running. */
export interface ParsedCopy {
  name: string;
  raw: RawEntry;
  /** Lines of the members that warnings name, by dotted path, counted from the entry's own. */
  lines: Record<string, number>;
  checked?: CheckedCopy;
}

interface StoredCopy extends Omit<ParsedCopy, 'checked'> {
  checked?: Omit<CheckedCopy, 'definition'> & {
    /** Absent when the entry is its own definition, as most are. */
    definition?: ProviderDefinition;
  };
}

/**
 * Entries of the workspace from the last reading, by the hash of the text they were read from, in one file of the data
 * folder: reading YAML and checking take much longer than all that follows.
 */
export class ParsedCopies {
  readonly #path: string;
  readonly #program: string;
  #known = new Map<string, ParsedCopy>();
  /** Asked for or added since the last saving: the others are of texts that are gone. */
  #used = new Map<string, ParsedCopy>();
  #usedBytes = 0;
  #hasNew = false;

  private constructor(path: string, program: string) {
    this.#path = path;
    this.#program = program;
  }

  /** A file that is missing, broken or of another `program` holds nothing: everything is read again. */
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
      const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
      if (!isMissing && !(error instanceof SyntaxError)) throw error;
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

  /** Writes what was used since the last time, when there is something new in it. */
  async save(): Promise<void> {
    const [used, bytes, hasNew] = [this.#used, this.#usedBytes, this.#hasNew];
    this.#known = used;
    this.#used = new Map();
    this.#usedBytes = 0;
    this.#hasNew = false;
    if (!hasNew || bytes < LEAST_BYTES) return;
    await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 });
    // In one step: a reader never sees half of it.
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
