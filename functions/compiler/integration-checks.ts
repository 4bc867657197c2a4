import { type CompileDiagnostic, fileError } from './compile-diagnostic.ts';
import type { CompiledFunction } from './compiled-function.ts';
import { endpointKey } from './definition/endpoint-key.ts';
import type { ParsedDefinition } from './parsed-definition.ts';

/**
 * Something that only one function of an integration may have: an endpoint of a sync or action, or a model of a sync.
 */
export interface Claim {
  code: 'duplicate_endpoint' | 'duplicate_model';
  value: string;
}

export function claimsOf(definition: ParsedDefinition): Claim[] {
  const endpoint = (value: string): Claim => ({ code: 'duplicate_endpoint', value });
  const model = (value: string): Claim => ({ code: 'duplicate_model', value });
  if (definition.type === 'sync')
    return [...definition.endpoints.map(endpointKey).map(endpoint), ...definition.usedModels.map(model)];
  return definition.type === 'action' && definition.endpoint ? [endpoint(endpointKey(definition.endpoint))] : [];
}

export function clashError(path: string, { code, value }: Claim, owner: string): CompileDiagnostic {
  const message =
    code === 'duplicate_endpoint'
      ? `The endpoint "${value}" is already used by ${owner}.`
      : `The model "${value}" is already declared by ${owner}. Rename one of them.`;
  return fileError(path, code, message);
}

/**
 * Returns the conflicts of one integration (functions.md 2.4). The conflict is reported for the function whose path
 * sorts later.
 */
export function checkIntegration(
  functions: ReadonlyArray<Pick<CompiledFunction, 'path' | 'definition'>>,
): CompileDiagnostic[] {
  const owners = new Map<string, string>();
  const found = functions
    .toSorted((a, b) => (a.path < b.path ? -1 : 1))
    .flatMap(({ path, definition }) =>
      claimsOf(definition).flatMap((claim) => {
        const key = claimKey(claim);
        const owner = owners.get(key);
        if (owner === undefined) owners.set(key, path);
        return owner === undefined || owner === path ? [] : [clashError(path, claim, owner)];
      }),
    );
  return found.sort((a, b) => (a.code < b.code ? -1 : a.code > b.code ? 1 : 0));
}

export function claimKey({ code, value }: Claim): string {
  return `${code} ${value}`;
}
