import { join } from 'node:path';
import { KIND_FOLDERS } from '../../../functions/compiler/function-path.ts';
import { namesIn } from '../../lib/read-if-exists.ts';
import { CliFailure, EXIT } from '../cli-failure.ts';

/** A folder of functions. */
export interface Project {
  root: string;
  /** Whether it has the marker folder of a project. Only then artefacts are written (functions.md 1.1). */
  hasMarker: boolean;
}

export const MARKER = '.nango';
const SIGNS = [MARKER, 'index.ts', 'providers.yaml'];

/** Resolves to the current folder if it contains functions, else to the functions folder of the user's own hub. */
export async function findProject(cwd: string, functionsFolder: string): Promise<Project> {
  for (const root of [cwd, functionsFolder]) {
    const names = await namesIn(root);
    if (names.includes('nango.yaml')) {
      throw new CliFailure(
        'This folder holds a nango.yaml. Functions are TypeScript files now: move each script to <integration>/syncs or <integration>/actions, describe it with createSync or createAction, and delete nango.yaml.',
        EXIT.compile,
      );
    }
    if (root === functionsFolder ? names.length > 0 : await holdsFunctions(root, names))
      return { root, hasMarker: names.includes(MARKER) };
  }
  throw new CliFailure(
    `There are no functions in ${cwd}. Go to a folder with <integration>/{syncs,actions,on-events}, or make one with "homeport init".`,
    EXIT.usage,
  );
}

async function holdsFunctions(root: string, names: string[]): Promise<boolean> {
  if (SIGNS.some((sign) => names.includes(sign))) return true;
  for (const name of names) {
    if (name.startsWith('.') || name === 'node_modules') continue;
    if ((await namesIn(join(root, name))).some((inner) => KIND_FOLDERS.has(inner))) return true;
  }
  return false;
}
