import type { CompileDiagnostic } from './compile-diagnostic.ts';
import type { CompiledFunction } from './compiled-function.ts';
import type { FunctionLocation } from './function-path.ts';
import type { FunctionFeature, ParsedDefinition } from './parsed-definition.ts';
import type { FileFacts } from './source-facts.ts';

const CHECKPOINT_METHODS = new Set(['getCheckpoint', 'saveCheckpoint', 'clearCheckpoint']);

export interface CompiledParts {
  location: FunctionLocation;
  source: string;
  bundle: { code: string; hash: string; inputs: string[] };
  definition: ParsedDefinition;
  warnings: CompileDiagnostic[];
}

export function assembleCompiled({ location, source, bundle, definition, warnings }: CompiledParts): CompiledFunction {
  return {
    ...location,
    source,
    bundle: bundle.code,
    bundleHash: bundle.hash,
    bundleFileName: bundleFileName(location),
    inputs: bundle.inputs,
    definition,
    warnings,
  };
}

export function bundleFileName({ name, integration }: FunctionLocation): string {
  return `${name}-${integration}.cjs`;
}

/** Features of the entry file that the runtime must know before the run. */
export function featuresOf({ nangoCalls }: FileFacts): FunctionFeature[] {
  return nangoCalls.some(({ method }) => CHECKPOINT_METHODS.has(method)) ? ['checkpoints'] : [];
}
