import {
  type ArrowFunctionExpression,
  type Function as FunctionNode,
  type Node,
  parseSync,
  type ReturnStatement,
  type Statement,
} from 'oxc-parser';
import type { SourceFile } from '../../../functions/compiler/source-file.ts';
import { unwrapped, walk } from '../../../functions/compiler/syntax.ts';

export type AnyFunction = FunctionNode | ArrowFunctionExpression;

/** The function that a file of the old format exports. */
export interface FoundFunction {
  node: AnyFunction;
  /** The name by which the file can call it. */
  name: string | undefined;
  /** The statement that declares it, which the new definition replaces. */
  statement: Statement;
  /** The statement that exports it, when this is another one. */
  exporting?: Statement;
}

/** What the default export of a file is. */
export type DefaultExport = { kind: 'function'; found: FoundFunction } | { kind: 'definition' | 'other' | 'none' };

/** Why a file has no function to turn. */
export const NO_FUNCTION = {
  none: 'It has no default export. Export the function with createSync, createAction or createOnEvent.',
  other:
    'Its default export is no function of this file. Call that function in exec of createSync, createAction or createOnEvent.',
};

export function findDefaultExport({ program }: SourceFile): DefaultExport {
  for (const statement of program.body) {
    if (statement.type === 'ExportDefaultDeclaration') {
      const value = unwrapped(statement.declaration);
      if (isFunction(value)) return { kind: 'function', found: { node: value, name: nameOf(value), statement } };
      if (value.type === 'Identifier') return ofName(program.body, value.name, statement);
      return { kind: isDefinition(value) ? 'definition' : 'other' };
    }
    if (statement.type !== 'ExportNamedDeclaration' || statement.source) continue;
    const specifier = statement.specifiers.find(
      ({ exported }) => exported.type === 'Identifier' && exported.name === 'default',
    );
    if (!specifier) continue;
    if (statement.specifiers.length > 1 || specifier.local.type !== 'Identifier') return { kind: 'other' };
    return ofName(program.body, specifier.local.name, statement);
  }
  return { kind: 'none' };
}

function ofName(body: readonly Statement[], name: string, exporting: Statement): DefaultExport {
  const found = findNamed(body, name);
  if (found) return { kind: 'function', found: { ...found, exporting } };
  const value = body.flatMap((statement) => variablesOf(statement)).find(({ id }) => id === name)?.value;
  return { kind: value && isDefinition(value) ? 'definition' : 'other' };
}

/** The function that a file declares under a name, exported or not. */
export function findNamed(body: readonly Statement[], name: string): FoundFunction | undefined {
  for (const statement of body) {
    const declaration = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
    if (declaration?.type === 'FunctionDeclaration' && declaration.id?.name === name)
      return { node: declaration, name, statement };
    const variables = variablesOf(statement);
    const [only] = variables;
    if (variables.length === 1 && only?.id === name && isFunction(only.value))
      return { node: only.value, name, statement };
  }
  return undefined;
}

function variablesOf(statement: Statement): Array<{ id: string; value: Node }> {
  const declaration = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
  if (declaration?.type !== 'VariableDeclaration') return [];
  return declaration.declarations.flatMap(({ id, init }) =>
    id.type === 'Identifier' && init ? [{ id: id.name, value: unwrapped(init) }] : [],
  );
}

function isFunction(node: Node): node is AnyFunction {
  return ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'].includes(node.type);
}

function isDefinition(node: Node): boolean {
  return (
    node.type === 'CallExpression' &&
    node.callee.type === 'Identifier' &&
    /^create(?:Sync|Action|OnEvent)$/.test(node.callee.name)
  );
}

function nameOf(node: AnyFunction): string | undefined {
  return node.type === 'ArrowFunctionExpression' ? undefined : node.id?.name;
}

/** Whether the function can stand as a property: it does not use its own name, `this` or `arguments`. */
export function canMove(file: SourceFile, { node, name, statement, exporting }: FoundFunction): boolean {
  if (node.body?.type !== 'BlockStatement' || node.typeParameters) return false;
  if (node.type !== 'ArrowFunctionExpression' && node.generator) return false;
  let isMovable = true;
  walk(file.program, (one, ancestors) => {
    if (name !== undefined && one.type === 'Identifier' && one.name === name) {
      const isOwn =
        one === (node.type === 'ArrowFunctionExpression' ? undefined : node.id) ||
        (exporting !== undefined && one.start >= exporting.start && one.end <= exporting.end) ||
        (ancestors.at(-1)?.type === 'VariableDeclarator' && one.start < node.start && one.start >= statement.start) ||
        isMemberName(one, ancestors.at(-1));
      if (!isOwn) isMovable = false;
    }
    const isInside = one.start >= node.start && one.end <= node.end;
    if (!isInside || node.type === 'ArrowFunctionExpression') return;
    if (one.type === 'ThisExpression' || (one.type === 'Identifier' && one.name === 'arguments')) isMovable = false;
  });
  return isMovable;
}

/** The statements with which a function itself returns a value. */
export function listReturned(file: SourceFile, node: AnyFunction): ReturnStatement[] {
  const found: ReturnStatement[] = [];
  walk(file.program, (one, ancestors) => {
    if (one.type !== 'ReturnStatement' || !one.argument) return;
    if (ancestors.findLast((ancestor) => isFunction(ancestor)) === node) found.push(one);
  });
  return found;
}

/** `return { Model: [] }`, with which old syncs ended, and `return null`. */
export function returnsNothing({ argument }: ReturnStatement): boolean {
  if (argument?.type === 'Literal') return true;
  if (argument?.type === 'ArrayExpression') return argument.elements.length === 0;
  if (argument?.type !== 'ObjectExpression') return false;
  return argument.properties.every(
    (one) => one.type === 'Property' && one.value.type === 'ArrayExpression' && one.value.elements.length === 0,
  );
}

/** `a.name` and `{ name: … }` are no uses of a variable of that name. */
function isMemberName(node: Node, parent: Node | undefined): boolean {
  if (parent?.type === 'MemberExpression') return parent.property === node && !parent.computed;
  return parent?.type === 'Property' && parent.key === node && !parent.computed && !parent.shorthand;
}

/** Names that a file uses outside of its imports and of the given places, in types and in code. */
export function usedNames(
  text: string,
  file: SourceFile,
  except: ReadonlyArray<{ start: number; end: number }>,
): Set<string> {
  const imports = file.program.body.filter(({ type }) => type === 'ImportDeclaration');
  const { comments } = parseSync(file.path, text);
  // Positions count UTF-16 units.
  const units = text.split('');
  for (const { start, end } of [...imports, ...comments, ...except]) units.fill(' ', start, end);
  return new Set(units.join('').match(/[A-Za-z_$][\w$]*/g) ?? []);
}

/** Places of template texts, whose lines must stay as they are. */
export function templateTexts(file: SourceFile): Array<{ start: number; end: number }> {
  const found: Array<{ start: number; end: number }> = [];
  walk(file.program, (node) => {
    if (node.type === 'TemplateElement') found.push({ start: node.start, end: node.end });
  });
  return found;
}
