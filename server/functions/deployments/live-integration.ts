import type { CompileDiagnostic } from '../../../functions/compiler/compile-diagnostic.ts';
import type { CompiledFunction } from '../../../functions/compiler/compiled-function.ts';
import { claimKey, claimsOf, clashError } from '../../../functions/compiler/integration-checks.ts';
import type { FunctionKey, FunctionRow } from '../functions.store.ts';
import { type DeployedFunction, type ParsedDefinition, toDeployedFunction } from './deployed-function.ts';

export interface Clash {
  /** File of the function that owns the model or endpoint. */
  path: string;
  problem: CompileDiagnostic;
}

/**
 * The functions of one integration while its files are deployed. Models and endpoints are unique within it
 * (functions.md 2.4): a live function keeps them, a new one with the same is refused.
 */
export class LiveIntegration {
  readonly #byKey = new Map<string, DeployedFunction>();
  /** File that owns each model and endpoint. */
  readonly #owners = new Map<string, string>();

  constructor(rows: readonly FunctionRow[]) {
    for (const row of rows) {
      const deployed = toDeployedFunction(row);
      this.#byKey.set(nameOf(deployed), deployed);
      if (deployed.definition && deployed.missingSince === null) this.claim(deployed.path, deployed.definition);
    }
  }

  find(key: Pick<FunctionKey, 'type' | 'name'>): DeployedFunction | undefined {
    return this.#byKey.get(nameOf(key));
  }

  /** Functions with `gone` files do not block others, so that a renamed file can replace itself. */
  clashesOf({ path, definition }: Pick<CompiledFunction, 'path' | 'definition'>, gone: ReadonlySet<string>): Clash[] {
    return claimsOf(definition).flatMap((claim) => {
      const owner = this.#owners.get(claimKey(claim));
      if (owner === undefined || owner === path || gone.has(owner)) return [];
      return [{ path: owner, problem: clashError(path, claim, owner) }];
    });
  }

  /**
   * Assigns the models and endpoints of a file's new version to the file, and releases those of its earlier version.
   */
  claim(path: string, definition: ParsedDefinition): void {
    for (const [claim, owner] of this.#owners) if (owner === path) this.#owners.delete(claim);
    for (const claim of claimsOf(definition)) this.#owners.set(claimKey(claim), path);
  }
}

function nameOf({ type, name }: Pick<FunctionKey, 'type' | 'name'>): string {
  return `${type} ${name}`;
}
