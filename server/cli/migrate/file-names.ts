import type { CallExpression } from 'oxc-parser';
import type { SourceFile } from '../../../functions/compiler/source-file.ts';
import { stringLiteral, walk } from '../../../functions/compiler/syntax.ts';

/** A call such as `nango.batchSave(records, 'Model')`. */
export interface BatchCall {
  call: CallExpression;
  model: string;
  method: string;
}

const BATCHES = new Set(['batchSave', 'batchSend', 'batchUpdate', 'batchDelete']);

export function listBatchCalls(file: SourceFile): BatchCall[] {
  const found: BatchCall[] = [];
  walk(file.program, (node) => {
    if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return;
    const { property } = node.callee;
    const model = stringLiteral(node.arguments[1]);
    if (property.type === 'Identifier' && BATCHES.has(property.name) && model !== undefined)
      found.push({ call: node, model, method: property.name });
  });
  return found;
}

/** The name under which a file imports something from a module. */
export function importedAs(
  { program }: SourceFile,
  name: string,
  isModule: (specifier: string) => boolean,
): string | undefined {
  for (const statement of program.body) {
    if (statement.type !== 'ImportDeclaration' || !isModule(statement.source.value)) continue;
    for (const specifier of statement.specifiers) {
      if (specifier.type !== 'ImportSpecifier' || specifier.imported.type !== 'Identifier') continue;
      if (specifier.imported.name === name) return specifier.local.name;
    }
  }
  return undefined;
}

/** Whether a name is declared or imported at the top of a file. */
export function declaresLocally({ program }: SourceFile, name: string): boolean {
  return program.body.some((statement) => {
    if (statement.type === 'ImportDeclaration') return statement.specifiers.some(({ local }) => local.name === name);
    const declaration = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
    if (declaration?.type === 'VariableDeclaration')
      return declaration.declarations.some(({ id }) => id.type === 'Identifier' && id.name === name);
    return declaration && 'id' in declaration && declaration.id?.type === 'Identifier' && declaration.id.name === name;
  });
}

/** The name of zod in a file that imports it, else one that is free. */
export function nameOfZod(file: SourceFile): string {
  for (const statement of file.program.body) {
    if (statement.type !== 'ImportDeclaration' || statement.source.value !== 'zod' || statement.importKind === 'type')
      continue;
    for (const specifier of statement.specifiers) {
      const isZ =
        specifier.type !== 'ImportSpecifier' ||
        (specifier.imported.type === 'Identifier' &&
          specifier.imported.name === 'z' &&
          specifier.importKind !== 'type');
      if (isZ) return specifier.local.name;
    }
  }
  return declaresLocally(file, 'z') ? 'zod' : 'z';
}

export function importsZod({ program }: SourceFile, name: string): boolean {
  return program.body.some(
    (statement) =>
      statement.type === 'ImportDeclaration' &&
      statement.source.value === 'zod' &&
      statement.specifiers.some(({ local }) => local.name === name),
  );
}
