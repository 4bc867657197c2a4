import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeNewFile } from '../../platform/lib/write-new-file.ts';
import { addToPackageFile, type PackageFile, readPackageFile } from './package-file.ts';
import { binFiles, PROJECT_COMMAND } from './project-bin.ts';
import { PROJECT_PACKAGE } from './scaffold.ts';

/** `node "/home/me/homeport/build/scripts/homeport.mjs"` and `"/opt/homeport/bin/homeport"`, as `init` once wrote them. */
const OWN_PATH = /(?:\bnode )?(["'])((?:\/|[A-Za-z]:[\\/])[^"'\n]{0,1000}[\\/]homeport(?:\.mjs|\.cmd)?)\1/g;

export interface PathOfOneComputer {
  path: string;
  isThere: boolean;
}

/** Where the scripts of a project start Homeport by a path of one computer; undefined when none does. */
export async function findPathOfOneComputer(root: string): Promise<PathOfOneComputer | undefined> {
  const scripts = textsOf(await readPackageFile(root));
  const [path] = scripts.flatMap(([, text]) => [...text.matchAll(OWN_PATH)].map((match) => match[2] ?? ''));
  return path === undefined ? undefined : { path, isThere: existsSync(path) };
}

/** Gives a project the command that `init` writes now. Its other scripts and packages stay. */
export async function repairProject(root: string): Promise<void> {
  const known = await readPackageFile(root);
  const scripts = textsOf(known).map(([name, text]) => [name, text.replace(OWN_PATH, PROJECT_COMMAND)]);
  for (const [path, text] of Object.entries(binFiles())) await writeNewFile(root, path, text);
  const changed = { ...known, scripts: { ...known?.scripts, ...Object.fromEntries(scripts) } };
  await writeFile(join(root, 'package.json'), `${JSON.stringify(changed, null, 2)}\n`);
  await addToPackageFile(root, PROJECT_PACKAGE);
}

function textsOf(file: PackageFile | undefined): Array<[name: string, text: string]> {
  return Object.entries(file?.scripts ?? {}).filter(([, text]) => typeof text === 'string');
}
