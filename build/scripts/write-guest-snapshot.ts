import { mkdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { writeGuestSnapshot } from '../../server/platform/sandbox/guest-snapshot.ts';
import { makeSnapshot } from '../../server/platform/sandbox/worker/make-snapshot.ts';

/** Runs with the same flag as the workers, `--no-node-snapshot`, which isolated-vm needs. */
const dist = new URL('../../dist/', import.meta.url);
const guestCode = await readFile(new URL('guest/guest.js', dist), 'utf8');
mkdirSync(new URL('snapshot/', dist), { recursive: true });
const bytes = makeSnapshot(guestCode).copy();
await writeGuestSnapshot(fileURLToPath(new URL('snapshot/guest.snapshot', dist)), guestCode, new Uint8Array(bytes));
