/**
 * Reasons why a function does not compile, or compiles with a warning. Codes are stable, because people and tests
 * search for them.
 */
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
  'create_function_unsupported',
  'old_format',
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
  // Types: checked after the function is live, and shown without blocking anything (design.md 7.9)
  'type_error',
] as const;
export type CompileErrorCode = (typeof COMPILE_ERROR_CODES)[number];

/** `unused_name`: TypeScript's codes for names that are declared but never read; it is a hint, no type error. */
export type CompileWarningCode = 'console_used' | 'unused_name' | 'left_out_by_index' | 'track_deletes_deprecated';

export interface CompileDiagnostic {
  code: CompileErrorCode | CompileWarningCode;
  message: string;
  /** Relative to the workspace, with `/`. */
  file: string;
  /** Counted from 1. */
  line: number;
  /** Counted from 1, in UTF-16 units. */
  column: number;
  severity: 'error' | 'warning';
  /** TypeScript's own code of a type error, for example `TS2339`. */
  typescriptCode?: string;
}

export const NO_CREATE_FUNCTION =
  'createFunction is experimental and not available. Write createAction for a function that an app calls, createSync for one that runs on a schedule, stores records or handles webhooks, and createOnEvent for one that runs when a connection is created, checked or deleted.';

/** The file that described the functions of projects in the old format. */
export const OLD_CONFIG = 'nango.yaml';

/** About an `OLD_CONFIG`, and about a function without `createSync`, `createAction` or `createOnEvent`. */
export const OLD_FORMAT =
  'This is the old format, in which a nango.yaml describes the functions. It does not run. "homeport migrate <folder of the nango.yaml>" makes a project of the present format from it, in a new folder.';

export const NO_DEFAULT_EXPORT =
  'The file has no default export. Write the function there: export default createSync({ … }), createAction or createOnEvent.';

/** Whether the diagnostic keeps the file from going live. Type errors do not. */
export function isCompileError({ severity, code }: CompileDiagnostic): boolean {
  return severity === 'error' && code !== 'type_error';
}

/** Returns a problem of a whole file or folder, with its position at the start. */
export function fileError(file: string, code: CompileErrorCode, message: string): CompileDiagnostic {
  return { code, message, file, line: 1, column: 1, severity: 'error' };
}

/** Sorts diagnostics by file, then from top to bottom. */
export function byPosition(a: CompileDiagnostic, b: CompileDiagnostic): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return a.line - b.line || a.column - b.column;
}
