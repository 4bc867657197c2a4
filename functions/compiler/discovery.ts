import { statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type CompileDiagnostic, NO_CREATE_FUNCTION } from './compile-diagnostic.ts';
import {
  type FunctionLocation,
  INTEGRATION_NAME,
  isSourceFileName,
  KIND_FOLDERS,
  locateFunction,
} from './function-path.ts';
import { holdsFunction } from './function-text.ts';
import { readText } from './source-files.ts';

export interface DiscoveredFunctions {
  functions: FunctionLocation[];
  /** Functions that cannot be used in their current folder. */
  diagnostics: CompileDiagnostic[];
}

/** Result for a file of the workspace; undefined when it contains no function or does not exist. */
export type ExaminedFile = { location: FunctionLocation } | { diagnostic: CompileDiagnostic } | undefined;

/** Folders of a workspace in which no functions are searched. */
const SKIPPED_FOLDERS = new Set(['node_modules', 'dist', 'build']);

/** Finds the functions of a workspace by their folders, sorted by path. */
export async function discoverFunctions(root: string): Promise<DiscoveredFunctions> {
  const found: DiscoveredFunctions = { functions: [], diagnostics: [] };
  for await (const path of listSourceFiles(root)) {
    const examined = examineFile(root, path);
    if (!examined) continue;
    if ('location' in examined) found.functions.push(examined.location);
    else found.diagnostics.push(examined.diagnostic);
  }
  return found;
}

/** Yields every file that can contain a function, as a path relative to the workspace, sorted. */
export async function* listSourceFiles(root: string, folder = ''): AsyncGenerator<string> {
  const entries = await readdir(join(root, folder), { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = folder ? `${folder}/${entry.name}` : entry.name;
    if (entry.isFile() && isSourceFileName(entry.name)) yield path;
    else if (entry.isDirectory() && !isSkipped(entry.name, folder)) yield* listSourceFiles(root, path);
  }
}

/**
 * `isKnown`: a function of this path is live. The file then counts as its file, whatever the file now contains, also
 * when it cannot be read, as with too many open files.
 */
export function examineFile(root: string, path: string, isKnown = false): ExaminedFile {
  const file = join(root, path);
  const text = readText(file);
  const isFunction = isKnown
    ? text !== undefined || isFile(file)
    : text !== undefined && holdsFunction(text, isKindFolder(path));
  if (!isFunction) return undefined;
  const located = locateFunction(path);
  return located.ok ? { location: located.location } : { diagnostic: explainPlace(located.diagnostic, text) };
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** A file that defines an unsupported kind of function is not helped by another folder. */
export function explainPlace(diagnostic: CompileDiagnostic, text = ''): CompileDiagnostic {
  if (!/\bcreateFunction\s*[<(]/.test(text)) return diagnostic;
  return { ...diagnostic, code: 'create_function_unsupported', message: NO_CREATE_FUNCTION };
}

/** Whether functions are searched in a workspace folder of this name. */
export function isFunctionFolder(name: string): boolean {
  return INTEGRATION_NAME.test(name) && !isSkipped(name, '');
}

function isSkipped(name: string, parent: string): boolean {
  return name.startsWith('.') || name === 'node_modules' || (parent === '' && SKIPPED_FOLDERS.has(name));
}

function isKindFolder(path: string): boolean {
  return KIND_FOLDERS.has(path.split('/')[1] ?? '');
}
