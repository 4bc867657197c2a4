import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

/**
 * Reads the start-up snapshot of the guest runtime: one line of JSON that says what it was made from, then V8's bytes.
 * V8 ends the process when a snapshot was made by another version, so it is returned only when everything matches;
 * undefined otherwise.
 */
export async function readGuestSnapshot(path: string, guestCode: string): Promise<Uint8Array | undefined> {
  const file = await readFile(path).catch(() => undefined);
  if (!file) return undefined;
  const end = file.indexOf('\n');
  const bytes = file.subarray(end + 1);
  return file.toString('utf8', 0, Math.max(end, 0)) === describe(guestCode, bytes) ? bytes : undefined;
}

export async function writeGuestSnapshot(path: string, guestCode: string, bytes: Uint8Array): Promise<void> {
  await writeFile(path, Buffer.concat([Buffer.from(`${describe(guestCode, bytes)}\n`), bytes]));
}

function describe(guestCode: string, bytes: Uint8Array): string {
  const { version } = createRequire(import.meta.url)('isolated-vm/package.json') as { version: string };
  return JSON.stringify({
    node: process.version,
    v8: process.versions.v8,
    system: `${process.platform} ${process.arch}`,
    isolatedVm: version,
    guestCode: sha256(guestCode),
    snapshot: sha256(bytes),
  });
}

function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}
