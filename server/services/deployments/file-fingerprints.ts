import { statSync } from 'node:fs';
import { join } from 'node:path';

/** A file that went into a bundle, as it was then. */
interface FileFingerprint {
  path: string;
  /** Null when the file was not there. */
  modifiedMs: number | null;
  sizeBytes: number;
}

interface Fingerprint {
  compiler: string;
  files: FileFingerprint[];
}

/** What a function was compiled from and by, as text to compare: equal text means that nothing needs compiling. */
export function fingerprint(workspace: string, paths: readonly string[], compiler: string): string {
  const files = [...paths].sort().map((path) => readFingerprint(workspace, path));
  return JSON.stringify({ compiler, files } satisfies Fingerprint);
}

/** The paths that a fingerprint was taken of. */
export function fingerprintPaths(text: string): string[] {
  const stored = JSON.parse(text) as Fingerprint | FileFingerprint[];
  // Written before compilers were noted: a list of files.
  const files = Array.isArray(stored) ? stored : stored.files;
  return files.map((file) => file.path);
}

/** Synchronous: a few microseconds, where a promise costs ten times that, thousands of times at a start. */
function readFingerprint(workspace: string, path: string): FileFingerprint {
  const found = statSync(join(workspace, path), { throwIfNoEntry: false });
  return found ? { path, modifiedMs: found.mtimeMs, sizeBytes: found.size } : { path, modifiedMs: null, sizeBytes: 0 };
}
