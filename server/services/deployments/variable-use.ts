import type { ReadHandle } from '../../database/database.ts';
import type { FunctionsStore, FunctionType } from '../../stores/functions-store.ts';

export interface VariableReader {
  integrationKey: string;
  type: FunctionType;
  name: string;
}

export interface VariableUses {
  /** By the name of the variable, for defined variables that are read. */
  used: Map<string, VariableReader[]>;
  /** By the name of the variable, for undefined variables that are read. */
  missing: Map<string, VariableReader[]>;
}

/** `variable.name === "API_KEY"` in both orders, as esbuild writes it. */
const COMPARED = /\.name\s*===?\s*(["'`])([A-Z][A-Z0-9_]*)\1|(["'`])([A-Z][A-Z0-9_]*)\3\s*===?\s*\w+(?:\?)?\.name\b/g;

/**
 * Finds which functions read which variables, from the names in their code. A defined variable counts when its name is
 * a word of code that reads variables. A text in capitals that is compared with `.name` counts as a variable too, even
 * an undefined one. Names that the code builds at run time are not found.
 */
export async function findVariableUses(
  { db, functions }: { db: ReadHandle; functions: FunctionsStore },
  environmentId: number,
  defined: readonly string[],
): Promise<VariableUses> {
  const uses: VariableUses = { used: new Map(), missing: new Map() };
  const words = defined.map((name) => ({ name, pattern: wordOf(name) }));
  for (const { bundle, ...reader } of await functions.listBundlesWith(db, environmentId, 'getEnvironmentVariables')) {
    for (const { name, pattern } of words) if (pattern.test(bundle)) note(uses.used, name, reader);
    for (const name of namesCompared(bundle)) if (!defined.includes(name)) note(uses.missing, name, reader);
  }
  return uses;
}

/** Texts in capitals that the code compares with a member `name`. */
export const namesCompared = (code: string): Set<string> =>
  new Set([...code.matchAll(COMPARED)].map((match) => match[2] ?? match[4] ?? ''));

const wordOf = (name: string): RegExp =>
  new RegExp(`(?<![\\w$-])${name.replace(/[^\w]/g, (character) => `\\${character}`)}(?![\\w$-])`);

function note(uses: Map<string, VariableReader[]>, name: string, reader: VariableReader): void {
  const readers = uses.get(name);
  if (readers) readers.push(reader);
  else uses.set(name, [reader]);
}
