import type { CompileDiagnostic } from '../compile-diagnostic.ts';

/** What TypeScript says about one function and the files that it imports. Paths are workspace-relative, with `/`. */
export interface TypeCheckResult {
  path: string;
  diagnostics: CompileDiagnostic[];
  /** Files of the workspace that the answer depends on, the function's own first; some may not exist (yet). */
  dependencies: string[];
}

/** What a checking process is started with. */
export interface TypeCheckPaths {
  /** Real path of the workspace. */
  workspace: string;
  /** `functions/sdk` of the installation: what `'homeport'` stands for. */
  sdkFolder: string;
}

export type ToTypeCheck = { kind: 'open'; folders: TypeCheckPaths } | { kind: 'check'; id: number; paths: string[] };
export type FromTypeCheck = { kind: 'checked'; id: number; results: TypeCheckResult[] };
