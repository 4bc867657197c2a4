/** Why a function does not compile, or compiles with a warning. Codes are stable: people and tests search for them. */
export const COMPILE_ERROR_CODES = [
  // Workspace
  'invalid_function_name',
  'invalid_integration_name',
  'function_in_wrong_folder',
  'no_file',
  'no_default_export',
  // Source (functions.md 2.3)
  'disallowed_import',
  'unsupported_module',
  'nango_unsupported_export',
  'nango_invalid_default_export',
  'nango_invalid_function_param',
  'nango_named_export_not_allowed',
  'method_need_await',
  'retryon_need_retries',
  'set_merging_strategy_order',
  'delete_records_order',
  'track_deletes_order',
  'failed_to_build_unknown',
  // Definition (functions.md 2.4)
  'definition_unreadable',
  'invalid_definition_type',
  'invalid_definition',
  'sync_interval_invalid',
  'sync_interval_too_short',
  'endpoint_count_mismatch',
  'track_deletes_incremental',
  'invalid_model_name',
  'duplicate_endpoint',
  'duplicate_model',
  // Types: found after the function is live, and shown; they hold nothing back (design.md 7.9)
  'type_error',
] as const;
export type CompileErrorCode = (typeof COMPILE_ERROR_CODES)[number];

export type CompileWarningCode = 'console_used' | 'track_deletes_deprecated';

export interface CompileDiagnostic {
  code: CompileErrorCode | CompileWarningCode;
  message: string;
  /** Relative to the workspace, with `/`. */
  file: string;
  /** From 1. */
  line: number;
  /** From 1, in UTF-16 units. */
  column: number;
  severity: 'error' | 'warning';
  /** Of a type error: TypeScript's own code, `TS2339`. */
  typescriptCode?: string;
}

export const NO_DEFAULT_EXPORT =
  'The file has no default export. Write the function there: export default createSync({ … }), createAction or createOnEvent.';

/** What keeps the file from going live; type errors do not. */
export function isCompileError({ severity, code }: CompileDiagnostic): boolean {
  return severity === 'error' && code !== 'type_error';
}

/** A problem of a whole file or folder, shown at its start. */
export function fileError(file: string, code: CompileErrorCode, message: string): CompileDiagnostic {
  return { code, message, file, line: 1, column: 1, severity: 'error' };
}

/** Order in which people read them: by file, then from top to bottom. */
export function byPosition(a: CompileDiagnostic, b: CompileDiagnostic): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return a.line - b.line || a.column - b.column;
}
