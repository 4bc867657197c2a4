import { type CompileDiagnostic, fileError } from './compile-diagnostic.ts';

export type FunctionKind = 'sync' | 'action' | 'on-event';

/** Path of a function in the workspace: `<integration>/<folder of its kind>/<name>.ts`. */
export interface FunctionLocation {
  integration: string;
  kind: FunctionKind;
  name: string;
  path: string;
}

export type LocatedFunction = { ok: true; location: FunctionLocation } | { ok: false; diagnostic: CompileDiagnostic };

const FOLDERS: Record<FunctionKind, string> = { sync: 'syncs', action: 'actions', 'on-event': 'on-events' };

/** The kind of the functions in a folder. */
export const KIND_FOLDERS: ReadonlyMap<string, FunctionKind> = new Map(
  (Object.keys(FOLDERS) as FunctionKind[]).map((kind) => [FOLDERS[kind], kind]),
);

const FUNCTION_NAME = /^[a-zA-Z0-9_-]{1,255}$/;
export const INTEGRATION_NAME = /^[a-zA-Z0-9~:.@ _-]{1,255}$/;

/** Path where a function belongs, relative to the workspace. */
export function functionPath(integration: string, kind: FunctionKind, name: string): string {
  return `${integration}/${FOLDERS[kind]}/${name}.ts`;
}

/** Reads integration, kind and name from a path relative to the workspace, or returns what is wrong with the path. */
export function locateFunction(path: string): LocatedFunction {
  const [integration = '', folder = '', file = '', ...deeper] = path.split('/');
  const kind = KIND_FOLDERS.get(folder);
  const name = file.replace(/\.ts$/, '');
  if (!kind || name === file || deeper.length > 0) return refuse(path, 'function_in_wrong_folder', WRONG_FOLDER);
  if (!INTEGRATION_NAME.test(integration)) return refuse(path, 'invalid_integration_name', invalidName(integration));
  if (!FUNCTION_NAME.test(name)) return refuse(path, 'invalid_function_name', invalidName(name));
  return { ok: true, location: { integration, kind, name, path } };
}

/** Whether a file can contain a function: `.ts` files except declarations and tests. */
export function isSourceFileName(name: string): boolean {
  return name.endsWith('.ts') && !name.endsWith('.d.ts') && !name.endsWith('.test.ts');
}

const WRONG_FOLDER =
  'A function must be at <integration>/syncs/<name>.ts, <integration>/actions/<name>.ts or <integration>/on-events/<name>.ts.';

function invalidName(name: string): string {
  return `"${name}" cannot be used as a name here: rename it with letters, digits, "_" and "-", at most 255 characters.`;
}

function refuse(path: string, code: Parameters<typeof fileError>[1], message: string): LocatedFunction {
  return { ok: false, diagnostic: fileError(path, code, message) };
}
