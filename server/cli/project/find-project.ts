import { existsSync, realpathSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { OLD_CONFIG, OLD_FORMAT } from '../../../functions/compiler/compile-diagnostic.ts';
import { KIND_FOLDERS } from '../../../functions/compiler/function-path.ts';
import { namesIn } from '../../platform/lib/read-if-exists.ts';
import { CliFailure, EXIT } from '../cli-failure.ts';

/** A folder of functions. */
export interface Project {
  root: string;
  /** Whether it has the marker folder of a project. Only then artefacts are written (functions.md 1.1). */
  hasMarker: boolean;
}

export const MARKER = '.nango';
const SIGNS = [MARKER, 'index.ts', 'providers.yaml'];
/** The sources of Homeport have a folder `server/syncs`, and people type their first commands there. */
const CHECKOUT = ['server', 'renderer', 'electron', 'functions'];

/**
 * Resolves to the project that the current folder is, or is in. The functions folder of the hub is one only for a user who
 * stands in it: what is written there goes live at once (design.md 7.60).
 */
export async function findProject(cwd: string, functionsFolder: string): Promise<Project> {
  const names = await namesIn(cwd);
  requirePresentFormat(names);
  if (isSameFolder(cwd, functionsFolder) || (await holdsFunctions(cwd, names)))
    return { root: cwd, hasMarker: names.includes(MARKER) };
  for (let folder = dirname(cwd); folder !== dirname(folder); folder = dirname(folder))
    if (await hasMarkerFolder(folder)) return { root: folder, hasMarker: true };
  throw new CliFailure(noProject(cwd, functionsFolder), EXIT.usage, { code: 'no_project' });
}

async function hasMarkerFolder(folder: string): Promise<boolean> {
  const names = await namesIn(folder);
  // Projects of the old format have the marker folder too.
  requirePresentFormat(names);
  return names.includes(MARKER);
}

function requirePresentFormat(names: readonly string[]): void {
  if (names.includes(OLD_CONFIG)) throw new CliFailure(OLD_FORMAT, EXIT.compile, { code: 'old_format' });
}

/** Whether `folder` is the functions folder of the hub or is in it. */
export function isInFunctionsFolder(folder: string, functionsFolder: string): boolean {
  return isSameFolder(folder, functionsFolder) || realPath(folder).startsWith(realPath(functionsFolder) + sep);
}

function noProject(cwd: string, functionsFolder: string): string {
  const live = existsSync(functionsFolder)
    ? ` The files that the hub itself runs are in ${functionsFolder}: to work on them, go there.`
    : '';
  return `${cwd} is no project, and nothing was changed. "homeport init my-integrations" makes one; in an existing one, go to the folder that has <integration>/{syncs,actions,on-events}.${live}`;
}

function isSameFolder(a: string, b: string): boolean {
  return realPath(a) === realPath(b);
}

/** The path itself when nothing exists there. */
function realPath(path: string): string {
  return existsSync(path) ? realpathSync(path) : resolve(path);
}

async function holdsFunctions(root: string, names: string[]): Promise<boolean> {
  if (SIGNS.some((sign) => names.includes(sign))) return true;
  if (CHECKOUT.every((folder) => names.includes(folder))) return false;
  for (const name of names) {
    if (name.startsWith('.') || name === 'node_modules') continue;
    if ((await namesIn(join(root, name))).some((inner) => KIND_FOLDERS.has(inner))) return true;
  }
  return false;
}
