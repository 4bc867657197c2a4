import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CompileDiagnostic } from './compile-diagnostic.ts';
import { type FunctionLocation, isSourceFileName, KIND_FOLDERS, locateFunction } from './function-path.ts';
import { holdsFunction } from './function-text.ts';

export interface DiscoveredFunctions {
  functions: FunctionLocation[];
  /** Functions that cannot be used where they stand. */
  diagnostics: CompileDiagnostic[];
}

/** Folders of a workspace that hold no functions. */
const SKIPPED_FOLDERS = new Set(['node_modules', 'dist', 'build']);

/** Finds the functions of a workspace by their folders, sorted by path. */
export async function discoverFunctions(root: string): Promise<DiscoveredFunctions> {
  const found: DiscoveredFunctions = { functions: [], diagnostics: [] };
  for await (const path of sourceFiles(root, '')) {
    const located = locateFunction(path);
    if (!holdsFunction(await readFile(join(root, path), 'utf8'), isKindFolder(path))) continue;
    if (located.ok) found.functions.push(located.location);
    else found.diagnostics.push(located.diagnostic);
  }
  return found;
}

async function* sourceFiles(root: string, folder: string): AsyncGenerator<string> {
  const entries = await readdir(join(root, folder), { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = folder ? `${folder}/${entry.name}` : entry.name;
    if (entry.isFile() && isSourceFileName(entry.name)) yield path;
    else if (entry.isDirectory() && !isSkipped(entry.name, folder)) yield* sourceFiles(root, path);
  }
}

function isSkipped(name: string, parent: string): boolean {
  return name.startsWith('.') || name === 'node_modules' || (parent === '' && SKIPPED_FOLDERS.has(name));
}

function isKindFolder(path: string): boolean {
  return KIND_FOLDERS.has(path.split('/')[1] ?? '');
}
