import { stat } from 'node:fs/promises';
import { join } from 'node:path';

/** A file that went into a bundle, as it was then. */
interface FileFingerprint {
  path: string;
  /** Null when the file was not there. */
  modifiedMs: number | null;
  sizeBytes: number;
}

/** What a function was compiled from, as text to compare: equal text means that nothing needs compiling. */
export async function fingerprint(workspace: string, paths: readonly string[]): Promise<string> {
  const files = await Promise.all([...paths].sort().map((path) => readFingerprint(workspace, path)));
  return JSON.stringify(files);
}

/** The paths that a fingerprint was taken of. */
export function fingerprintPaths(text: string): string[] {
  return (JSON.parse(text) as FileFingerprint[]).map((file) => file.path);
}

async function readFingerprint(workspace: string, path: string): Promise<FileFingerprint> {
  try {
    const { mtimeMs, size } = await stat(join(workspace, path));
    return { path, modifiedMs: mtimeMs, sizeBytes: size };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
      return { path, modifiedMs: null, sizeBytes: 0 };
    throw error;
  }
}
