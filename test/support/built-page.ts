import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { fingerprint } from '../../build/scripts/setup/fingerprint.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FOLDER = join(ROOT, 'dist/cache/pages');
const CONFIGS = { dashboard: 'vite.config.ts', connect: 'connect-vite.config.ts' };
const INPUTS = ['renderer', 'server/contract', 'build/config', 'package-lock.json'];

/**
 * The folder of a page, built from the sources as they are now and as set-up builds it; inside a test run it would get
 * React's development build. The first who needs it builds it, other test files find it there.
 */
export async function builtPage(name: keyof typeof CONFIGS): Promise<string> {
  const folder = join(FOLDER, `${name}-${fingerprint(INPUTS)}`);
  if (!existsSync(folder)) await buildInto(folder, name);
  return folder;
}

async function buildInto(folder: string, name: keyof typeof CONFIGS): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  const outdated = (await readdir(FOLDER)).filter((one) => one.startsWith(`${name}-`));
  const draft = await mkdtemp(join(FOLDER, 'draft-'));
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
    return;
  }
  for (const one of outdated) await rm(join(FOLDER, one), { recursive: true, force: true });
}
