import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { type CompileDiagnostic, fileError } from './compile-diagnostic.ts';
import type { DiscoveredFunctions } from './discovery.ts';
import { locateFunction } from './function-path.ts';
import { COMMENTS } from './function-text.ts';
import { readText } from './source-files.ts';

const INDEX = 'index.ts';

/**
 * What a project consists of when it has an `index.ts` (design.md 7.51): the functions that it imports. `found` is what
 * its folders hold; what `index.ts` leaves out of it is a warning. Without an `index.ts`, returns `found`.
 */
export function selectByIndex(root: string, found: DiscoveredFunctions): DiscoveredFunctions {
  const listed = listIndexedPaths(root);
  if (!listed) return found;
  const selected: DiscoveredFunctions = { functions: [], diagnostics: [] };
  for (const path of [...listed].sort()) {
    const located = locateFunction(path);
    if (!existsSync(join(root, path))) selected.diagnostics.push(fileError(INDEX, 'no_file', missing(path)));
    else if (located.ok) selected.functions.push(located.location);
    else selected.diagnostics.push(found.diagnostics.find(({ file }) => file === path) ?? located.diagnostic);
  }
  if (listed.size === 0 && found.functions.length > 0)
    selected.diagnostics.push(fileError(INDEX, 'no_file', EMPTY_INDEX));
  const others = [...found.functions.map(({ path }) => path), ...found.diagnostics.map(({ file }) => file)];
  const leftOut = others.filter((path) => !listed.has(path)).map(leftOutByIndex);
  return { functions: selected.functions, diagnostics: [...selected.diagnostics, ...leftOut] };
}

/** `import './a/syncs/b.js'` with any ending, with names or without, and `export … from`. */
const IMPORTED = /^[ \t]*(?:import|export)\b(?!\s+type\b)[^'";]{0,1000}['"](\.\.?\/[^'"\n]+)['"]/gm;

/** Paths that the `index.ts` of a folder imports; undefined without one. */
export function listIndexedPaths(root: string): Set<string> | undefined {
  const text = readText(join(root, INDEX))?.replace(COMMENTS, '');
  if (text === undefined) return undefined;
  const specifiers = [...text.matchAll(IMPORTED)].map((match) => match[1] ?? '');
  return new Set(specifiers.map((one) => `${posix.normalize(one).replace(/\.[cm]?[jt]s$/, '')}.ts`));
}

/** Adds a function to the folder's `index.ts`, if there is one. Resolves to whether the file was changed. */
export async function addToIndex(root: string, path: string): Promise<boolean> {
  const index = join(root, INDEX);
  const text = readText(index);
  const line = `import './${path.replace(/\.ts$/, '.js')}';\n`;
  if (text === undefined || text.includes(line)) return false;
  await writeFile(index, `${text}${text.endsWith('\n') || text === '' ? '' : '\n'}${line}`);
  return true;
}

const EMPTY_INDEX =
  "index.ts imports no function. Add a line for each, for example import './github/syncs/fetch-issues.js', or delete index.ts: then all functions in the folders count.";

function missing(path: string): string {
  return `There is no ${path}, which index.ts imports. Create it, or remove the import.`;
}

function leftOutByIndex(path: string): CompileDiagnostic {
  const message = 'index.ts does not import this function, so it is left out.';
  return { ...fileError(path, 'no_file', message), code: 'left_out_by_index', severity: 'warning' };
}
