import path from 'node:path';
import ts from 'typescript';

// Taken out once: each access through the module is a getter, and the walk visits millions of nodes.
const {
  canHaveModifiers,
  createSourceFile,
  forEachChild,
  getModifiers,
  isArrayLiteralExpression,
  isCallExpression,
  isClassDeclaration,
  isExportDeclaration,
  isFunctionDeclaration,
  isIdentifier,
  isImportDeclaration,
  isImportTypeNode,
  isInterfaceDeclaration,
  isLiteralTypeNode,
  isNewExpression,
  isPropertyAccessExpression,
  isPropertyAssignment,
  isStringLiteralLike,
  isTemplateHead,
  isTypeAliasDeclaration,
  isVariableStatement,
  SyntaxKind,
} = ts;

export interface ImportFact {
  /** A path relative to the repository for relative imports, otherwise the name of a package. */
  to: string;
  isRelative: boolean;
  isTypeOnly: boolean;
  line: number;
}

export interface TextFact {
  text: string;
  line: number;
}

export interface FileFacts {
  imports: ImportFact[];
  /** String literals and the fixed parts of templates. */
  strings: TextFact[];
  /** Dotted names that the code reads or calls (`Date.now`, `process.env`), and `new Date()`. */
  ambient: TextFact[];
  /** Keys of the query cache that are written as array literals where they are used. */
  queryKeys: TextFact[];
  /** Names that the file declares and exports. */
  exports: TextFact[];
}

function resolveSpecifier(file: string, specifier: string): Pick<ImportFact, 'to' | 'isRelative'> {
  if (!specifier.startsWith('.')) {
    const [scope = '', name = ''] = specifier.split('/');
    return { to: scope.startsWith('@') ? `${scope}/${name}` : scope, isRelative: false };
  }
  const [bare = ''] = specifier.split('?');
  return { to: path.posix.normalize(path.posix.join(path.posix.dirname(file), bare)), isRelative: true };
}

/**
 * `import { type A }` counts as a value import: under verbatim module syntax the module is still loaded.
 */
function importOf(node: ts.Node): { specifier: ts.Node; isTypeOnly: boolean } | undefined {
  if (isImportDeclaration(node)) {
    return { specifier: node.moduleSpecifier, isTypeOnly: node.importClause?.isTypeOnly ?? false };
  }
  if (isExportDeclaration(node) && node.moduleSpecifier) {
    return { specifier: node.moduleSpecifier, isTypeOnly: node.isTypeOnly };
  }
  if (isImportTypeNode(node) && isLiteralTypeNode(node.argument)) {
    return { specifier: node.argument.literal, isTypeOnly: true };
  }
  if (isCallExpression(node) && node.arguments[0] && isLoader(node.expression)) {
    return { specifier: node.arguments[0], isTypeOnly: false };
  }
  return undefined;
}

/** `import(…)`, `require(…)` and `createRequire(…)(…)`. */
function isLoader(callee: ts.Expression): boolean {
  if (isIdentifier(callee)) return callee.text === 'require';
  if (isCallExpression(callee)) return isIdentifier(callee.expression) && callee.expression.text === 'createRequire';
  return callee.kind === SyntaxKind.ImportKeyword;
}

function ambientOf(node: ts.Node): string | undefined {
  if (isPropertyAccessExpression(node) && isIdentifier(node.expression)) {
    return `${node.expression.text}.${node.name.text}`;
  }
  const isBareDate =
    isNewExpression(node) &&
    isIdentifier(node.expression) &&
    node.expression.text === 'Date' &&
    !node.arguments?.length;
  return isBareDate ? 'new Date()' : undefined;
}

const CACHE_CALLS = ['setQueryData', 'getQueryData', 'setQueriesData'];

/** The array of `queryKey: […]`, or the first argument of a call whose only argument is a key. */
function writtenKeyOf(node: ts.Node): ts.Node | undefined {
  if (isPropertyAssignment(node) && isIdentifier(node.name) && node.name.text === 'queryKey') {
    return isArrayLiteralExpression(node.initializer) ? node.initializer : undefined;
  }
  if (!isCallExpression(node) || !isPropertyAccessExpression(node.expression)) return undefined;
  const [key] = node.arguments;
  return CACHE_CALLS.includes(node.expression.name.text) && key && isArrayLiteralExpression(key) ? key : undefined;
}

/** Declarations with `export`; a re-export counts in the file that declares it. */
function exportedNamesOf(statement: ts.Statement): ts.Node[] {
  const isExported =
    canHaveModifiers(statement) && getModifiers(statement)?.some(({ kind }) => kind === SyntaxKind.ExportKeyword);
  if (!isExported) return [];
  if (isVariableStatement(statement)) return statement.declarationList.declarations.map(({ name }) => name);
  const isNamed =
    isFunctionDeclaration(statement) ||
    isClassDeclaration(statement) ||
    isInterfaceDeclaration(statement) ||
    isTypeAliasDeclaration(statement);
  return isNamed && statement.name ? [statement.name] : [];
}

export function readFacts(file: string, text: string): FileFacts {
  // Comments decide nothing here.
  const options = { languageVersion: ts.ScriptTarget.Latest, jsDocParsingMode: ts.JSDocParsingMode.ParseNone };
  const source = createSourceFile(file, text, options, false);
  const facts: FileFacts = { imports: [], strings: [], ambient: [], queryKeys: [], exports: [] };
  const lineOf = (node: ts.Node): number => source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;

  const visit = (node: ts.Node): void => {
    const found = importOf(node);
    if (found && isStringLiteralLike(found.specifier)) {
      const target = resolveSpecifier(file, found.specifier.text);
      facts.imports.push({ ...target, isTypeOnly: found.isTypeOnly, line: lineOf(node) });
    } else if (isStringLiteralLike(node) || isTemplateHead(node)) {
      facts.strings.push({ text: node.text, line: lineOf(node) });
    }
    const name = ambientOf(node);
    if (name) facts.ambient.push({ text: name, line: lineOf(node) });
    const key = writtenKeyOf(node);
    if (key) facts.queryKeys.push({ text: key.getText(source), line: lineOf(key) });
    forEachChild(node, visit);
  };
  visit(source);
  for (const name of source.statements.flatMap(exportedNamesOf)) {
    facts.exports.push({ text: name.getText(source), line: lineOf(name) });
  }
  return facts;
}
