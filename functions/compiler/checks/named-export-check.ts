import type { ExportNamedDeclaration, Statement } from 'oxc-parser';
import type { CompileDiagnostic } from '../compile-diagnostic.ts';
import type { SourceFile } from '../source-file.ts';

/**
 * Reports functions and variables that the entry file exports besides its default export. Types, interfaces, enums,
 * classes and re-exports with `from` are allowed.
 */
export function checkNamedExports(file: SourceFile): CompileDiagnostic[] {
  const locals = new Set(file.program.body.flatMap(valueNamesOf));
  return file.program.body.flatMap((statement) => {
    if (statement.type !== 'ExportNamedDeclaration' || statement.source || statement.exportKind === 'type') return [];
    return exportedValues(statement, locals).map(({ name, offset }) =>
      file.diagnostic('nango_named_export_not_allowed', message(name), offset),
    );
  });
}

function message(name: string): string {
  return `"${name}" must not be exported: a function file exports its definition only. Move shared code into a file of its own and import it.`;
}

function exportedValues(statement: ExportNamedDeclaration, locals: Set<string>): { name: string; offset: number }[] {
  if (statement.declaration) {
    return valueNamesOf(statement.declaration).map((name) => ({ name, offset: statement.start }));
  }
  return statement.specifiers.flatMap(({ local, exported, exportKind, start }) => {
    const isDefault = exported.type === 'Identifier' && exported.name === 'default';
    if (isDefault || exportKind === 'type' || local.type !== 'Identifier' || !locals.has(local.name)) return [];
    return [{ name: local.name, offset: start }];
  });
}

/** Names of the functions and variables declared by a statement. */
function valueNamesOf(statement: Statement): string[] {
  if (statement.type === 'FunctionDeclaration') return statement.id ? [statement.id.name] : [];
  if (statement.type !== 'VariableDeclaration' || statement.declare) return [];
  return statement.declarations.map(({ id }) => (id.type === 'Identifier' ? id.name : 'a destructured variable'));
}
