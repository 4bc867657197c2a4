import { type CompileDiagnostic, fileError } from './compile-diagnostic.ts';
import type { CompiledFunction } from './compiled-function.ts';
import { endpointKey } from './definition/endpoint-key.ts';
import type { ParsedDefinition } from './parsed-definition.ts';

/**
 * What must be unique over the functions of one integration: endpoints of syncs and actions, and models of syncs
 * (functions.md 2.4). Of two functions the one whose path sorts later is reported.
 */
export function checkIntegration(
  functions: ReadonlyArray<Pick<CompiledFunction, 'path' | 'definition'>>,
): CompileDiagnostic[] {
  const sorted = functions.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  return [
    ...duplicates(sorted, endpointsOf).map(({ path, first, value }) =>
      fileError(path, 'duplicate_endpoint', `The endpoint "${value}" is already used by ${first}.`),
    ),
    ...duplicates(sorted, modelsOf).map(({ path, first, value }) =>
      fileError(path, 'duplicate_model', `The model "${value}" is already declared by ${first}. Rename one of them.`),
    ),
  ];
}

interface Duplicate {
  path: string;
  first: string;
  value: string;
}

function duplicates(
  sorted: Array<Pick<CompiledFunction, 'path' | 'definition'>>,
  valuesOf: (definition: ParsedDefinition) => string[],
): Duplicate[] {
  const owners = new Map<string, string>();
  const found: Duplicate[] = [];
  for (const { path, definition } of sorted) {
    for (const value of valuesOf(definition)) {
      const first = owners.get(value);
      if (first === undefined) owners.set(value, path);
      else if (first !== path) found.push({ path, first, value });
    }
  }
  return found;
}

function endpointsOf(definition: ParsedDefinition): string[] {
  if (definition.type === 'sync') return definition.endpoints.map(endpointKey);
  return definition.type === 'action' && definition.endpoint ? [endpointKey(definition.endpoint)] : [];
}

function modelsOf(definition: ParsedDefinition): string[] {
  return definition.type === 'sync' ? definition.usedModels : [];
}
