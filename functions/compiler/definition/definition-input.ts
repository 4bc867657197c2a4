import type { RawDefinition } from '../../runtime/bridge.ts';
import type { CompileDiagnostic } from '../compile-diagnostic.ts';
import type { FunctionLocation } from '../function-path.ts';
import type { FunctionFeature, ParsedDefinition } from '../parsed-definition.ts';
import type { DefinitionSource } from './definition-source.ts';
import type { ParseFrequency } from './describe.ts';

/** Input of the checks of a definition (functions.md 2.4). */
export interface DefinitionInput {
  location: FunctionLocation;
  raw: RawDefinition;
  source: DefinitionSource;
  features: FunctionFeature[];
  parseFrequency: ParseFrequency;
}

/** Errors and warnings together. A definition is valid if no diagnostic is an error. */
export interface ReadDefinition {
  definition?: ParsedDefinition;
  diagnostics: CompileDiagnostic[];
}
