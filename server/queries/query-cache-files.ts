import { type FileHandle, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ReadHandle } from '../platform/database/database.ts';
import { hasErrorCode } from '../platform/lib/error-code.ts';
import { RecordSourceStore } from './record-source.store.ts';

/**
 * The sealed copies of the engine's tables (DECISIONS 146): one file a model, in a folder for each environment. The first
 * line of a file says whose records are in it, in clear numbers, so that files can be removed while the vault is locked.
 */

/** A stream in a copy: what it held of it. Times are microseconds. */
export interface CachedStream {
  id: number;
  /** The last change in it. */
  stamp: number;
  prunedUntil: number;
}

const VERSION = 1;
const MOST_HEADER_BYTES = 8_000_000;
const MOST_BYTES = 2_000_000_000;
const UNUSED_MS = 14 * 86_400_000;
/** As long as a file that is being written may take. */
const DRAFT_MS = 3_600_000;

export function cacheHeader(fileId: string, streams: readonly CachedStream[]): string {
  return JSON.stringify([VERSION, fileId, streams.map(({ id, stamp, prunedUntil }) => [id, stamp, prunedUntil])]);
}

/** The first line of a copy. Throws when it is none of this version. */
export async function readCacheHeader(
  file: FileHandle,
): Promise<{ header: string; length: number; streams: CachedStream[] }> {
  let bytes = Buffer.alloc(0);
  while (!bytes.includes('\n') && bytes.length < MOST_HEADER_BYTES) {
    const more = Buffer.alloc(64_000);
    const { bytesRead } = await file.read(more, 0, more.length, bytes.length);
    if (bytesRead === 0) break;
    bytes = Buffer.concat([bytes, more.subarray(0, bytesRead)]);
  }
  const header = bytes.subarray(0, bytes.indexOf('\n')).toString('utf8');
  const [version, , streams] = JSON.parse(header) as [number, string, Array<[number, number, number]>];
  if (version !== VERSION) throw new Error('The copy belongs to another version.');
  return {
    header,
    length: Buffer.byteLength(header) + 1,
    streams: streams.map(([id, stamp, prunedUntil]) => ({ id, stamp, prunedUntil })),
  };
}

/**
 * Removes copies with records that were deleted or pruned meanwhile, copies that were not used for two weeks, and the
 * longest unused ones when all together are too large. Queries make new ones.
 */
export async function removeOutdatedCopies(folder: string, db: ReadHandle, now: number): Promise<void> {
  const files = (await listFiles(folder)).sort((a, b) => b.usedAt - a.usedAt);
  if (files.length === 0) return;
  const current = new Map(
    (await new RecordSourceStore().listCurrentStreams(db)).map(({ id, prunedUntil }) => [id, prunedUntil]),
  );
  let total = 0;
  for (const { path, bytes, usedAt } of files) {
    total += bytes;
    const isUnused = now - usedAt > (path.endsWith('.part') ? DRAFT_MS : UNUSED_MS);
    if (isUnused || total > MOST_BYTES || !(await isCurrent(path, current))) await rm(path, { force: true });
  }
}

async function isCurrent(path: string, current: ReadonlyMap<number, number>): Promise<boolean> {
  if (path.endsWith('.part')) return true;
  const file = await open(path, 'r');
  try {
    const { streams } = await readCacheHeader(file);
    return streams.every(({ id, prunedUntil }) => current.get(id) === prunedUntil);
  } catch {
    // It is no copy of this version.
    return false;
  } finally {
    await file.close();
  }
}

async function listFiles(folder: string): Promise<Array<{ path: string; bytes: number; usedAt: number }>> {
  const names = await readdir(folder, { recursive: true }).catch((error: unknown) => {
    if (hasErrorCode(error, 'ENOENT')) return [];
    throw error;
  });
  const found = [];
  for (const name of names.filter((one) => /\.(?:columns|part)$/.test(one))) {
    const path = join(folder, name);
    // An engine may have put it in the place of another one since.
    const entry = await stat(path).catch(() => undefined);
    if (entry) found.push({ path, bytes: entry.size, usedAt: entry.mtimeMs });
  }
  return found;
}
