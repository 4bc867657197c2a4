import type { FileHandle } from 'node:fs/promises';

/** The first line of a sealed copy: whose records are in it, in clear. */

/** A stream in a copy: what it held of it. Times are microseconds. */
export interface CachedStream {
  id: number;
  /** The last change in it. */
  stamp: number;
  prunedUntil: number;
}

const VERSION = 1;
const MOST_HEADER_BYTES = 8_000_000;

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
