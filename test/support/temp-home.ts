import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TempHome {
  path: string;
  remove(): Promise<void>;
}

const homes = new Set<string>();

/** A fresh data folder under the system's temporary folder. */
export async function createTempHome(): Promise<TempHome> {
  const path = await mkdtemp(join(tmpdir(), 'homeport-test-'));
  homes.add(path);
  return { path, remove: () => removeHome(path) };
}

/** Removes the folders that were left behind; returns their paths. */
export async function removeLeftHomes(): Promise<string[]> {
  const left = [...homes];
  await Promise.all(left.map(removeHome));
  return left;
}

async function removeHome(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 5 });
  homes.delete(path);
}
