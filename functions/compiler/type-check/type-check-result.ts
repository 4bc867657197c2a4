import type { CompileDiagnostic } from '../compile-diagnostic.ts';

/** Type errors of one function and its imports. Paths are relative to the workspace, with `/`. */
export interface TypeCheckResult {
  path: string;
  diagnostics: CompileDiagnostic[];
  /** Workspace files on which the result depends, the function's own file first. Some may not exist yet. */
  dependencies: string[];
}

/** Start parameters of a type-checking process. */
export interface TypeCheckPaths {
  /** Real path of the workspace. */
  workspace: string;
  /** `functions/sdk` of the installation, which `'homeport'` resolves to. */
  sdkFolder: string;
}

export type ToTypeCheck = { kind: 'open'; folders: TypeCheckPaths } | { kind: 'check'; id: number; paths: string[] };
export type FromTypeCheck = { kind: 'checked'; id: number; results: TypeCheckResult[] };
