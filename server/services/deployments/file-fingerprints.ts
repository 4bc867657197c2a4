import { stat } from 'node:fs/promises';
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
export async function fingerprint(workspace: string, paths: readonly string[], compiler: string): Promise<string> {
  const files = await Promise.all([...paths].sort().map((path) => readFingerprint(workspace, path)));
  return JSON.stringify({ compiler, files } satisfies Fingerprint);
}

/** The paths that a fingerprint was taken of. */
export function fingerprintPaths(text: string): string[] {
  const stored = JSON.parse(text) as Fingerprint | FileFingerprint[];
  // Written before compilers were noted: a list of files.
  const files = Array.isArray(stored) ? stored : stored.files;
  return files.map((file) => file.path);
}

async function readFingerprint(workspace: string, path: string): Promise<FileFingerprint> {
  try {
    const { mtimeMs, size } = await stat(join(workspace, path));
    return { path, modifiedMs: mtimeMs, sizeBytes: size };
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return { path, modifiedMs: null, sizeBytes: 0 };
    throw error;
  }
}
