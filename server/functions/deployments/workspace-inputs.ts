import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

interface FunctionInputs {
  /** Files in the bundle, or files that prevent a bundle. */
  bundled: readonly string[];
  /** Files on which its types depend, according to the last check; type-only imports are not part of a bundle. */
  typed: readonly string[];
}

export type WorkspaceInputs = ReturnType<typeof createWorkspaceInputs>;

/** The files from which each known function was compiled, and the compiler. */
export function createWorkspaceInputs({
  workspace,
  compilerVersion,
}: {
  workspace: string;
  compilerVersion: () => Promise<string>;
}) {
  const byFunction = new Map<string, FunctionInputs>();

  /** Paths of the files on which a function depends. */
  function of(path: string): string[] {
    const { bundled = [], typed = [] } = byFunction.get(path) ?? {};
    return [...new Set([...bundled, ...typed])];
  }

  async function fingerprint(paths: readonly string[]): Promise<string> {
    return inputFingerprint(workspace, paths, await compilerVersion());
  }

  return {
    of,
    /** Loads the stored fingerprint of a function. */
    load(path: string, stored: string): void {
      byFunction.set(path, { bundled: [], typed: fingerprintPaths(stored) });
    },
    /** Paths of the known functions. */
    functions(): string[] {
      return [...byFunction.keys()];
    },
    /** Remembers the files of a compiled function; resolves to the fingerprint to store, with their current state. */
    remember(path: string, bundled: readonly string[]): Promise<string> {
      byFunction.set(path, { bundled, typed: byFunction.get(path)?.typed ?? [] });
      return fingerprint(of(path));
    },
    /** Remembers the files on which the types of a function depend; resolves to the fingerprint to store. */
    rememberTypes(path: string, typed: readonly string[]): Promise<string> {
      byFunction.set(path, { bundled: byFunction.get(path)?.bundled ?? [], typed });
      return fingerprint(of(path));
    },
    /** Whether a function must be compiled again; `touched` means that only its fingerprint must be renewed. */
    async compare(stored: string): Promise<'same' | 'touched' | 'stale'> {
      return compareFingerprint(workspace, stored, await compilerVersion());
    },
    /** The fingerprint to store for the current state of a function's files. */
    renew(path: string): Promise<string> {
      return fingerprint(of(path));
    },
    forget(path: string): void {
      byFunction.delete(path);
    },
  };
}

/** A file of a bundle, at the time of compilation. */
interface FileFingerprint {
  path: string;
  /** Null when the file did not exist. */
  modifiedMs: number | null;
  sizeBytes: number;
  /** SHA-256 of its content; empty when the file did not exist. */
  hash: string;
}

interface Fingerprint {
  compiler: string;
  files: FileFingerprint[];
}

/** The files and the compiler of a function, as text to compare later. */
export function inputFingerprint(workspace: string, paths: readonly string[], compiler: string): string {
  const files = [...paths].sort().map((path) => readFingerprint(join(workspace, path), path));
  return JSON.stringify({ compiler, files } satisfies Fingerprint);
}

/** `touched`: the files have other times, as after a checkout, and the same content. */
export function compareFingerprint(workspace: string, text: string, compiler: string): 'same' | 'touched' | 'stale' {
  const stored = parse(text);
  if (stored.compiler !== compiler) return 'stale';
  const states = stored.files.map((file) => compareFile(join(workspace, file.path), file));
  if (states.includes('stale')) return 'stale';
  return states.includes('touched') ? 'touched' : 'same';
}

/** The paths in a fingerprint. */
export function fingerprintPaths(text: string): string[] {
  return parse(text).files.map((file) => file.path);
}

function parse(text: string): Fingerprint {
  const stored = JSON.parse(text) as Fingerprint | FileFingerprint[];
  // Written by a version that did not note the compiler: a list of files.
  return Array.isArray(stored) ? { compiler: '', files: stored } : stored;
}

function compareFile(file: string, known: FileFingerprint): 'same' | 'touched' | 'stale' {
  const { modifiedMs, sizeBytes } = readTimes(file);
  if (modifiedMs === known.modifiedMs && sizeBytes === known.sizeBytes) return 'same';
  const isThere = modifiedMs !== null && known.modifiedMs !== null;
  return isThere && sizeBytes === known.sizeBytes && hashOf(file) === known.hash ? 'touched' : 'stale';
}

function readFingerprint(file: string, path: string): FileFingerprint {
  // The time is read first: a file that is saved in between then looks changed.
  const times = readTimes(file);
  return { path, ...times, hash: times.modifiedMs === null ? '' : hashOf(file) };
}

/** Synchronous: it takes a few microseconds, a promise ten times as much, and a start needs thousands. */
function readTimes(file: string): Pick<FileFingerprint, 'modifiedMs' | 'sizeBytes'> {
  const found = statSync(file, { throwIfNoEntry: false });
  return found ? { modifiedMs: found.mtimeMs, sizeBytes: found.size } : { modifiedMs: null, sizeBytes: 0 };
}

function hashOf(file: string): string {
  try {
    return createHash('sha256').update(readFileSync(file)).digest('base64');
  } catch {
    // Removed since its time was read, or a folder: it compares as changed.
    return '';
  }
}
