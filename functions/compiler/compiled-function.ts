import type { CompileDiagnostic } from './compile-diagnostic.ts';
import type { FunctionKind } from './function-path.ts';
import type { ParsedDefinition } from './parsed-definition.ts';

/** A function ready to run: its bundle and everything the hub has to know about it. */
export interface CompiledFunction {
  integration: string;
  kind: FunctionKind;
  name: string;
  /** Relative to the workspace, with `/`. */
  path: string;
  /** TypeScript text of the entry file. */
  source: string;
  /** CommonJS; its default export is the definition. */
  bundle: string;
  /** SHA-256 of the bundle, hex. */
  bundleHash: string;
  /** `<name>-<integration>.cjs`, as stack traces show it. */
  bundleFileName: string;
  /** Workspace files that went in, the entry included, sorted. */
  inputs: string[];
  definition: ParsedDefinition;
  warnings: CompileDiagnostic[];
}

/** Failed without diagnostics: the file holds no function, only helpers that stand in a folder of functions. */
export type CompileResult =
  | { ok: true; compiled: CompiledFunction }
  | { ok: false; path: string; diagnostics: CompileDiagnostic[] };
