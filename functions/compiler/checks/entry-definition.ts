import type { CallExpression, Node, ObjectExpression } from 'oxc-parser';
import {
  type CompileDiagnostic,
  type CompileErrorCode,
  NO_CREATE_FUNCTION,
  NO_DEFAULT_EXPORT,
  OLD_FORMAT,
} from '../compile-diagnostic.ts';
import type { SourceFile } from '../source-file.ts';
import { asObject, unwrapped } from '../syntax.ts';

/** The object literal in the entry file that defines the function. */
export interface EntryDefinition {
  call: CallExpression;
  options: ObjectExpression;
}

export type FoundDefinition = { ok: true; definition: EntryDefinition } | { ok: false; diagnostic: CompileDiagnostic };

const DEFINERS = new Set(['createSync', 'createAction', 'createOnEvent']);

/** Finds `export default createX({…})`, directly or through a variable of the file. */
export function findDefinition(file: SourceFile): FoundDefinition {
  const refuse = (code: CompileErrorCode, message: string, at: number): FoundDefinition => ({
    ok: false,
    diagnostic: file.diagnostic(code, message, at),
  });
  const exported = defaultExportOf(file);
  if (!exported) {
    return forwardsDefault(file)
      ? refuse('nango_unsupported_export', UNSUPPORTED_EXPORT, 0)
      : refuse('no_default_export', NO_DEFAULT_EXPORT, 0);
  }

  const isVariable = exported.type === 'Identifier';
  const call = isVariable ? initialiserOf(file, exported.name) : exported;
  if (isFunction(call) || (isVariable && declaresFunction(file, exported.name)))
    return refuse('nango_unsupported_export', OLD_FORMAT, exported.start);
  if (call && callsCreateFunction(call)) return refuse('create_function_unsupported', NO_CREATE_FUNCTION, call.start);
  if (!call || !isDefinerCall(call)) {
    return isVariable
      ? refuse('nango_invalid_default_export', INVALID_DEFAULT_EXPORT, exported.start)
      : refuse('nango_unsupported_export', UNSUPPORTED_EXPORT, exported.start);
  }
  const options = asObject(call.arguments[0]);
  if (!options || isSpreadOnly(options)) {
    return refuse('nango_invalid_function_param', INVALID_PARAM, (call.arguments[0] ?? call).start);
  }
  return { ok: true, definition: { call, options } };
}

const UNSUPPORTED_EXPORT =
  'The default export must be a call of createSync, createAction or createOnEvent, or a variable that holds one.';
const INVALID_DEFAULT_EXPORT =
  'The exported variable must be initialised in this file by a call of createSync, createAction or createOnEvent.';
const INVALID_PARAM =
  'The argument must be an object literal that names the options: createSync({ description: …, … }).';

/** The exported expression: that of `export default x`, or the local `x` of `export { x as default }`. */
function defaultExportOf(file: SourceFile): Node | undefined {
  for (const statement of file.program.body) {
    if (statement.type === 'ExportDefaultDeclaration') return unwrapped(statement.declaration);
    if (statement.type !== 'ExportNamedDeclaration' || statement.source) continue;
    const specifier = statement.specifiers.find(
      ({ exported }) => exported.type === 'Identifier' && exported.name === 'default',
    );
    if (specifier) return specifier.local;
  }
  return undefined;
}

/** `export { default } from …`: the default export exists, but in another file. */
function forwardsDefault(file: SourceFile): boolean {
  return file.program.body.some(
    (statement) =>
      statement.type === 'ExportNamedDeclaration' &&
      statement.specifiers.some(({ exported }) => exported.type === 'Identifier' && exported.name === 'default'),
  );
}

function initialiserOf(file: SourceFile, name: string): Node | undefined {
  for (const statement of file.program.body) {
    const declaration = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
    if (declaration?.type !== 'VariableDeclaration') continue;
    const variable = declaration.declarations.find(({ id }) => id.type === 'Identifier' && id.name === name);
    if (variable) return variable.init ? unwrapped(variable.init) : undefined;
  }
  return undefined;
}

/** `export default async function fetchData(nango) {…}`: a function of the old format. */
function isFunction(node: Node | undefined): boolean {
  return ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'].includes(node?.type ?? '');
}

function declaresFunction(file: SourceFile, name: string): boolean {
  return file.program.body.some((statement) => statement.type === 'FunctionDeclaration' && statement.id?.name === name);
}

function callsCreateFunction(node: Node): boolean {
  return node.type === 'CallExpression' && node.callee.type === 'Identifier' && node.callee.name === 'createFunction';
}

function isDefinerCall(node: Node): node is CallExpression {
  return node.type === 'CallExpression' && node.callee.type === 'Identifier' && DEFINERS.has(node.callee.name);
}

function isSpreadOnly(options: ObjectExpression): boolean {
  return options.properties.length > 0 && options.properties.every(({ type }) => type === 'SpreadElement');
}
