import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

interface FunctionInputs {
  /** What went into the bundle, or stands in the way of one. */
  bundled: readonly string[];
  /** What its types depend on, as the last check saw it: files that are imported for types go into no bundle. */
  typed: readonly string[];
}

/** Which files each known function was made of, and which compiler made it. */
export class WorkspaceInputs {
  readonly #workspace: string;
  readonly #compilerVersion: () => Promise<string>;
  readonly #byFunction = new Map<string, FunctionInputs>();

  constructor(options: { workspace: string; compilerVersion: () => Promise<string> }) {
    this.#workspace = options.workspace;
    this.#compilerVersion = options.compilerVersion;
  }

  /** Takes over what was stored. */
  load(path: string, stored: string): void {
    this.#byFunction.set(path, { bundled: [], typed: fingerprintPaths(stored) });
  }

  /** Paths of the files that decide about a function. */
  of(path: string): string[] {
    const { bundled = [], typed = [] } = this.#byFunction.get(path) ?? {};
    return [...new Set([...bundled, ...typed])];
  }

  /** Paths of the known functions. */
  functions(): string[] {
    return [...this.#byFunction.keys()];
  }

  /** Notes what a function was compiled from; returns what to store, the files as they are now. */
  remember(path: string, bundled: readonly string[]): Promise<string> {
    this.#byFunction.set(path, { bundled, typed: this.#byFunction.get(path)?.typed ?? [] });
    return this.#fingerprint(this.of(path));
  }

  /** Notes what the types of a function depend on; returns what to store. */
  rememberTypes(path: string, typed: readonly string[]): Promise<string> {
    this.#byFunction.set(path, { bundled: this.#byFunction.get(path)?.bundled ?? [], typed });
    return this.#fingerprint(this.of(path));
  }

  /** Whether a function has to be compiled again; `touched` = only what is stored of it is to be renewed. */
  async compare(stored: string): Promise<'same' | 'touched' | 'stale'> {
    return compareFingerprint(this.#workspace, stored, await this.#compilerVersion());
  }

  /** What to store of a function as its files are now. */
  renew(path: string): Promise<string> {
    return this.#fingerprint(this.of(path));
  }

  forget(path: string): void {
    this.#byFunction.delete(path);
  }

  async #fingerprint(paths: readonly string[]): Promise<string> {
    return inputFingerprint(this.#workspace, paths, await this.#compilerVersion());
  }
}

/** A file that went into a bundle, as it was then. */
interface FileFingerprint {
  path: string;
  /** Null when the file was not there. */
  modifiedMs: number | null;
  sizeBytes: number;
  /** SHA-256 of its content; empty when the file was not there. */
  hash: string;
}

interface Fingerprint {
  compiler: string;
  files: FileFingerprint[];
}

/** What a function was compiled from and by, as text to compare later. */
export function inputFingerprint(workspace: string, paths: readonly string[], compiler: string): string {
  const files = [...paths].sort().map((path) => readFingerprint(join(workspace, path), path));
  return JSON.stringify({ compiler, files } satisfies Fingerprint);
}

/** `touched`: other times, as a checkout leaves them, and the same content. */
export function compareFingerprint(workspace: string, text: string, compiler: string): 'same' | 'touched' | 'stale' {
  const stored = parse(text);
  if (stored.compiler !== compiler) return 'stale';
  const states = stored.files.map((file) => compareFile(join(workspace, file.path), file));
  if (states.includes('stale')) return 'stale';
  return states.includes('touched') ? 'touched' : 'same';
}

/** The paths that a fingerprint was taken of. */
export function fingerprintPaths(text: string): string[] {
  return parse(text).files.map((file) => file.path);
}

function parse(text: string): Fingerprint {
  const stored = JSON.parse(text) as Fingerprint | FileFingerprint[];
  // Written before compilers were noted: a list of files.
  return Array.isArray(stored) ? { compiler: '', files: stored } : stored;
}

function compareFile(file: string, known: FileFingerprint): 'same' | 'touched' | 'stale' {
  const { modifiedMs, sizeBytes } = readTimes(file);
  if (modifiedMs === known.modifiedMs && sizeBytes === known.sizeBytes) return 'same';
  const isThere = modifiedMs !== null && known.modifiedMs !== null;
  return isThere && sizeBytes === known.sizeBytes && hashOf(file) === known.hash ? 'touched' : 'stale';
}

function readFingerprint(file: string, path: string): FileFingerprint {
  // The time first: a file that is saved in between looks changed, never unchanged.
  const times = readTimes(file);
  return { path, ...times, hash: times.modifiedMs === null ? '' : hashOf(file) };
}

/** Synchronous: a few microseconds, where a promise costs ten times that, thousands of times at a start. */
function readTimes(file: string): Pick<FileFingerprint, 'modifiedMs' | 'sizeBytes'> {
  const found = statSync(file, { throwIfNoEntry: false });
  return found ? { modifiedMs: found.mtimeMs, sizeBytes: found.size } : { modifiedMs: null, sizeBytes: 0 };
}

function hashOf(file: string): string {
  try {
    return createHash('sha256').update(readFileSync(file)).digest('base64');
  } catch {
    // Gone since its time was read, or a folder of that name: it compares as changed.
    return '';
  }
}
