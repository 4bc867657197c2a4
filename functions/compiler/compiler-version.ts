import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** Packages that influence the result of a compile, in addition to our own code. */
const PACKAGES = ['esbuild', 'oxc-parser', 'typescript', 'zod'];
const CODE = /\.(?:ts|mjs|js)$/;

/**
 * Returns a hash of the compiler's own code. A new release, or a changed source during development, then compiles
 * everything again, without a version number to maintain. `folders` contain the code of the compiler, the isolates and
 * the SDK.
 */
export async function readCompilerVersion(folders: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const folder of folders) {
    const names = await readdir(folder, { recursive: true });
    for (const name of names.filter((one) => CODE.test(one) && !one.endsWith('.test.ts')).sort())
      hash.update(name).update(await readFile(join(folder, name)));
  }
  for (const name of PACKAGES) hash.update(`${name} ${await versionOf(name)}`);
  return hash.digest('hex').slice(0, 32);
}

async function versionOf(name: string): Promise<string> {
  const file = createRequire(import.meta.url).resolve(`${name}/package.json`);
  return (JSON.parse(await readFile(file, 'utf8')) as { version: string }).version;
}
