import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isJsonObject } from '../../platform/lib/json-object.ts';
import { jsonErrorPosition } from '../../platform/lib/parse-json.ts';
import { readIfExists } from '../../platform/lib/read-if-exists.ts';
import { CliFailure, EXIT } from '../cli-failure.ts';

export interface PackageFile {
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
  const known = await readPackageFile(root);
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

/**
 * The `package.json` of a project; undefined without one. Throws a CliFailure for a broken one, so a command reads it
 * before it writes its first file.
 */
export async function readPackageFile(root: string): Promise<PackageFile | undefined> {
  const path = join(root, 'package.json');
  const text = await readIfExists(path);
  return text === undefined ? undefined : parsePackageFile(path, text);
}

export function parsePackageFile(path: string, text: string): PackageFile {
  let value: unknown;
  try {
    // Some editors write a byte order mark, which npm accepts.
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new CliFailure(
      `${path} is not JSON${jsonErrorPosition(error)}. Correct it, then run the command again.`,
      EXIT.usage,
    );
  }
  if (isPackageFile(value)) return value;
  throw new CliFailure(
    `${path} is no package file: it must be a JSON object, and so must its scripts and dependencies. Correct it, then run the command again.`,
    EXIT.usage,
  );
}

function isPackageFile(value: unknown): value is PackageFile {
  if (!isJsonObject(value)) return false;
  const parts = [value['scripts'], value['dependencies'], value['devDependencies']];
  return parts.every((part) => part === undefined || isJsonObject(part));
}
