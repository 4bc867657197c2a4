import { execFile } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { fingerprint } from '../../build/scripts/setup/fingerprint.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FOLDER = join(ROOT, 'dist/cache/pages');
const CONFIGS = { dashboard: 'vite.config.ts', connect: 'connect-vite.config.ts' };
/** Pages of other states of the sources are kept this long: a run that began with them may not be over. */
const KEPT_MS = 3_600_000;
const INPUTS = ['renderer', 'server/contract', 'build/config', 'package-lock.json'];

/**
 * The folder of a page, built from the sources as they are now and as set-up builds it; inside a test run it would get
 * React's development build. The first who needs it builds it, other test files find it there.
 */
export async function builtPage(name: keyof typeof CONFIGS): Promise<string> {
  const state = fingerprint(INPUTS);
  const folder = join(FOLDER, state, name);
  if (!existsSync(folder)) {
    await removeOutdated(state);
    await buildInto(folder, name);
  }
  return folder;
}

async function buildInto(folder: string, name: keyof typeof CONFIGS): Promise<void> {
  await mkdir(dirname(folder), { recursive: true });
  const draft = await mkdtemp(`${folder}-`);
  const vite = ['node_modules/vite/bin/vite.js', 'build', '--config', `build/config/${CONFIGS[name]}`];
  await promisify(execFile)(process.execPath, [...vite, '--outDir', draft, '--emptyOutDir'], {
    cwd: ROOT,
    env: { ...process.env, NODE_ENV: 'production' },
  });
  try {
    await rename(draft, folder);
  } catch (error) {
    // Somebody else was quicker.
    if (!existsSync(folder)) throw error;
    await rm(draft, { recursive: true });
  }
}

async function removeOutdated(state: string): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  for (const other of (await readdir(FOLDER)).filter((name) => name !== state)) {
    const folder = join(FOLDER, other);
    const mtimeMs = statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (mtimeMs < Date.now() - KEPT_MS) await rm(folder, { recursive: true, force: true });
  }
}
