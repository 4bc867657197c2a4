import { open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ReadHandle } from '../platform/database/database.ts';
import { hasErrorCode } from '../platform/lib/error-code.ts';
import { readCacheHeader } from './engine/cache-header.ts';
import { RecordSourceStore } from './record-source.store.ts';

/**
 * The sealed copies of the engine's tables (DECISIONS 146): one file a model, in a folder for each environment. The first
 * line of a file says whose records are in it, in clear numbers, so that files can be removed while the vault is locked.
 */

const MOST_BYTES = 2_000_000_000;
const UNUSED_MS = 14 * 86_400_000;
/** As long as a file that is being written may take. */
const DRAFT_MS = 3_600_000;

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
