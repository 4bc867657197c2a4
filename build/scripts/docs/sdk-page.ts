import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { REFERENCE, type WrittenPage } from './written-page.ts';

const SDK = join(import.meta.dirname, '../../../functions/sdk');

/** Parts of the page in their order: the exports of a file each. Types that they use follow at the end. */
const PARTS: ReadonlyArray<readonly [title: string, files: readonly string[]]> = [
  [
    'Define a function',
    [
      'sync-definition',
      'action-definition',
      'on-event-definition',
      'any-definition',
      'definition',
      'endpoint',
      'schemas',
    ],
  ],
  ['The context', ['context']],
  ['Requests', ['http-methods', 'proxy-configuration', 'pagination', 'provider-response']],
  ['Connections', ['connection-methods', 'function-connection', 'function-integration']],
  ['Records', ['record-methods']],
  ['Checkpoints and locks', ['checkpoint-methods', 'lock-methods']],
  ['Other functions', ['trigger-methods']],
  ['Log and errors', ['log-methods', 'action-error-types']],
];

/** The package `homeport` of functions, from its docstrings. */
export function sdkPage(): WrittenPage {
  const known = new Set(PARTS.flatMap(([, files]) => files));
  const missing = readdirSync(SDK)
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => name.replace('.ts', ''))
    .filter((name) => !known.has(name) && !['sdk', 'untyped'].includes(name));
  if (missing.length > 0)
    throw new Error(`Files of functions/sdk that the page of the SDK does not list: ${missing.join(', ')}`);
  const parts = PARTS.map(([title, files]) => `## ${title}\n\n${files.map(filePart).join('\n\n')}`);
  return {
    name: 'sdk',
    title: 'SDK of functions',
    about: 'what `homeport` exports: definitions, and every method of the context',
    section: REFERENCE,
    text: `# SDK of functions

Functions import from \`'homeport'\` (\`'nango'\` works too). Everything below is in its types, so that an editor shows it.

${parts.join('\n\n')}
`,
  };
}

function filePart(name: string): string {
  const source = ts.createSourceFile(name, readFileSync(join(SDK, `${name}.ts`), 'utf8'), ts.ScriptTarget.Latest, true);
  return source.statements
    .filter(isExported)
    .map((one) => declarationPart(one, source))
    .filter((part) => part !== '')
    .join('\n\n');
}

const isExported = (node: ts.Statement): boolean =>
  ts.canHaveModifiers(node) && (ts.getModifiers(node) ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);

function declarationPart(node: ts.Statement, source: ts.SourceFile): string {
  if (ts.isFunctionDeclaration(node)) return described(`${node.name?.text ?? ''}()`, signatureOf(node, source), node);
  if (ts.isInterfaceDeclaration(node)) {
    const methods = node.members.filter((one) => ts.isMethodSignature(one));
    const properties = node.members.filter((one) => !ts.isMethodSignature(one));
    const own = [
      `### ${node.name.text}`,
      docOf(node),
      properties.length > 0 ? code(propertiesOf(node, properties, source)) : '',
      ...methodParts(methods, source),
    ];
    return own.filter((part) => part !== '').join('\n\n');
  }
  if (ts.isTypeAliasDeclaration(node))
    return described(node.name.text, node.getText(source).replace(/^export /, ''), node);
  return '';
}

/** Overloads of a method are one part. */
function methodParts(methods: readonly ts.MethodSignature[], source: ts.SourceFile): string[] {
  const byName = Map.groupBy(methods, (method) => method.name.getText(source));
  return [...byName].map(([name, overloads]) => {
    const docs = overloads.map(docOf).filter((doc) => doc !== '');
    const signatures = overloads.map((one) => `nango.${one.getText(source)}`).join('\n');
    return [`#### ${name}()`, ...docs, code(signatures)].join('\n\n');
  });
}

const described = (heading: string, signature: string, node: ts.Node): string =>
  [`### ${heading}`, docOf(node), code(signature)].filter((part) => part !== '').join('\n\n');

const signatureOf = (node: ts.FunctionDeclaration, source: ts.SourceFile): string =>
  source.text
    .slice(node.getStart(source), node.body?.getStart(source) ?? node.end)
    .replace(/^export /, '')
    .trim();

function propertiesOf(
  node: ts.InterfaceDeclaration,
  properties: readonly ts.TypeElement[],
  source: ts.SourceFile,
): string {
  const lines = properties.map((one) => source.text.slice(one.getFullStart(), one.end).replaceAll(/^\n+/g, ''));
  return `interface ${node.name.text} {\n${lines.join('\n')}\n}`;
}

const code = (text: string): string => `<!-- skip: a declaration of the package -->\n\`\`\`ts\n${text.trim()}\n\`\`\``;

/** The docstring as prose; citations of the specification are for contributors. */
function docOf(node: ts.Node): string {
  const [doc] = ts.getJSDocCommentsAndTags(node).filter((one) => ts.isJSDoc(one));
  const text = doc ? (ts.getTextOfJSDocComment(doc.comment) ?? '') : '';
  return text
    .replaceAll(/\{@link (\w+)\}/g, '`$1`')
    .replaceAll(
      / ?\((?:functions|design|http-api|syncs-and-records|auth-and-connect|providers|agents)\.md [\d.]+\)/g,
      '',
    )
    .replaceAll('\n', ' ')
    .trim();
}
