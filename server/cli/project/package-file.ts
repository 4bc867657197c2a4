import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readIfExists } from '../../lib/read-if-exists.ts';

interface PackageFile {
  scripts?: Record<string, string>;
  devDependencies?: Record<string, string>;
  dependencies?: Record<string, string>;
  [further: string]: unknown;
}

/**
 * Adds missing packages and scripts to a project's package.json and leaves the rest unchanged. Resolves to true when
 * packages have to be installed.
 */
export async function addToPackageFile(
  root: string,
  wanted: { scripts?: Record<string, string>; devDependencies?: Record<string, string> },
): Promise<boolean> {
  const path = join(root, 'package.json');
  const text = await readIfExists(path);
  const known = text === undefined ? undefined : (JSON.parse(text) as PackageFile);
  const before = JSON.stringify(known);
  const installed = { ...known?.dependencies, ...known?.devDependencies };
  const missing = Object.entries(wanted.devDependencies ?? {}).filter(([name]) => !(name in installed));
  const changed: PackageFile = {
    ...(known ?? { private: true, type: 'module' }),
    scripts: { ...wanted.scripts, ...known?.scripts },
    devDependencies: { ...known?.devDependencies, ...Object.fromEntries(missing) },
  };
  if (JSON.stringify(changed) === before) return false;
  await writeFile(path, `${JSON.stringify(changed, null, 2)}\n`);
  return missing.length > 0;
}
