import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TempHome {
  path: string;
  remove(): Promise<void>;
}

/** A fresh data folder under the system's temporary folder. */
export async function createTempHome(): Promise<TempHome> {
  const path = await mkdtemp(join(tmpdir(), 'homeport-test-'));
  return { path, remove: () => rm(path, { recursive: true, force: true, maxRetries: 5 }) };
}
