import type { CompileDiagnostic } from './compile-diagnostic.ts';
import type { FunctionKind } from './function-path.ts';
import type { ParsedDefinition } from './parsed-definition.ts';

/** A function that is ready to run: its bundle and everything that the hub must know about it. */
export interface CompiledFunction {
  integration: string;
  kind: FunctionKind;
  name: string;
  /** Relative to the workspace, with `/`. */
  path: string;
  /** TypeScript text of the entry file. */
  source: string;
  /** CommonJS code; its default export is the definition. */
  bundle: string;
  /** SHA-256 of the bundle, hex. */
  bundleHash: string;
  /** `<name>-<integration>.cjs`, the name in stack traces. */
  bundleFileName: string;
  /** Workspace files in the bundle, the entry included, sorted. */
  inputs: string[];
  definition: ParsedDefinition;
  warnings: CompileDiagnostic[];
}

/**
 * A failure without diagnostics means that the file contains no function, but only helpers in a folder of functions.
 */
export type CompileResult =
  | { ok: true; compiled: CompiledFunction }
  | { ok: false; path: string; diagnostics: CompileDiagnostic[] };
