import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { strFromU8, strToU8, unzipSync, Zip, ZipDeflate } from 'fflate';
import { isJsonObject } from '../../platform/lib/json-object.ts';
import type { ExportFile } from './export-file.ts';
import { TransferFailure } from './hub-calls.ts';

/** Contains everything except the functions. */
const CONTENTS = 'export.json';
/** `{ "algorithm": "sha256", "files": { "<path>": "<hexadecimal>" } }`, with every other file of the archive. */
const CHECKSUMS = 'checksums.json';
const FUNCTIONS = 'functions/';

const MAX_FILES = 50_000;
/** Limit of the inflated size, because a small archive may inflate to any size. */
const MAX_BYTES = 1_073_741_824;
/** Bytes to compress before other requests of the hub get their turn. */
const BYTES_PER_TURN = 1_048_576;

/** Whether these are the first bytes of a ZIP file. */
export const isArchive = (bytes: Uint8Array): boolean => strFromU8(bytes.subarray(0, 4), true) === 'PK\x03\x04';

/**
 * Packs an export as a ZIP file: `export.json`, the functions as files, and checksums of all
 * (server/data/transfer/README.md, ui.md 6.17).
 */
export async function packArchive({ functions, ...contents }: ExportFile): Promise<Uint8Array> {
  const files = new Map([[CONTENTS, strToU8(toText(contents))]]);
  for (const [path, text] of Object.entries(functions)) files.set(`${FUNCTIONS}${path}`, strToU8(text));
  const checksums = {
    algorithm: 'sha256',
    files: Object.fromEntries([...files].map(([path, data]) => [path, hash(data)])),
  };
  files.set(CHECKSUMS, strToU8(toText(checksums)));
  const chunks: Uint8Array[] = [];
  const zip = new Zip((error, chunk) => {
    if (error) throw error;
    chunks.push(chunk);
  });
  let pending = 0;
  for (const [path, data] of files) {
    const entry = new ZipDeflate(path);
    entry.mtime = contents.exported_at;
    zip.add(entry);
    entry.push(data, true);
    pending += data.length;
    if (pending < BYTES_PER_TURN) continue;
    pending = 0;
    await setImmediate();
  }
  zip.end();
  return Buffer.concat(chunks);
}

/**
 * Returns the value that was passed to `packArchive`, not yet validated. Throws TransferFailure for a file that is not
 * such an archive or was changed.
 */
export function openArchive(bytes: Uint8Array): unknown {
  const files = inflate(bytes);
  const expected = readJson(files, CHECKSUMS)['files'];
  if (!isJsonObject(expected)) throw new TransferFailure(`The archive is damaged: ${CHECKSUMS} names no files.`);
  const contents = readJson(files, CONTENTS);
  const functions: Array<[string, string]> = [];
  for (const path of Object.keys(expected))
    if (!files.has(path)) throw new TransferFailure(`The archive is damaged: ${path} is missing.`);
  for (const [path, data] of files) {
    if (path === CHECKSUMS) continue;
    if (expected[path] !== hash(data))
      throw new TransferFailure(`The archive was changed after the export: ${path} has another checksum.`);
    if (path.startsWith(FUNCTIONS)) functions.push([path.slice(FUNCTIONS.length), strFromU8(data)]);
  }
  return { ...contents, functions: Object.fromEntries(functions) };
}

function inflate(bytes: Uint8Array): Map<string, Uint8Array> {
  let count = 0;
  let size = 0;
  try {
    const files = unzipSync(bytes, {
      filter: ({ originalSize }) => {
        count += 1;
        size += originalSize;
        if (count > MAX_FILES || size > MAX_BYTES)
          throw new TransferFailure('The archive is too large: it may contain at most 50,000 files and 1 GB.');
        return true;
      },
    });
    // Some programs add entries for folders.
    return new Map(Object.entries(files).filter(([path]) => !path.endsWith('/')));
  } catch (error) {
    if (error instanceof TransferFailure) throw error;
    throw new TransferFailure('The archive cannot be opened: it is damaged or not a ZIP file.', { cause: error });
  }
}

function readJson(files: ReadonlyMap<string, Uint8Array>, path: string): Record<string, unknown> {
  const data = files.get(path);
  if (!data) throw new TransferFailure(`The archive is not an export of Homeport: it has no ${path}.`);
  try {
    const value: unknown = JSON.parse(strFromU8(data));
    if (isJsonObject(value)) return value;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new TransferFailure(`The archive is damaged: ${path} cannot be read.`);
}

const toText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
const hash = (data: Uint8Array): string => createHash('sha256').update(data).digest('hex');
