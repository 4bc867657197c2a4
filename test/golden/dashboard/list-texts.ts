import { readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { listFiles, ROOT } from '../../architecture/source-tree.ts';

/** Strings with words that no person reads: names of keys, style rules, code. */
const NO_TEXT =
  /^(Enter|Escape|Tab|Backspace|Home|End|Space|Bearer \S*|xMidYMin slice)$|\dpx |rgba\(|, sans-serif|, monospace|\[role=/;
/** A word with a capital letter, or two words. */
const READS_AS_TEXT = /^[“"'(]?[A-Z][a-z’']*([ .,!?:…]|$)|[a-z,’] [a-zA-Z“]/;

function isText(text: string): boolean {
  return READS_AS_TEXT.test(text) && !NO_TEXT.test(text);
}

/** `{}` stands for an inserted value. */
function templateText(node: ts.TemplateExpression): string {
  return node.head.text + node.templateSpans.map(({ literal }) => `{}${literal.text}`).join('');
}

/** The text of an element as one sentence; `<>` stands for an element inside it. */
function childrenText(children: readonly ts.JsxChild[]): string {
  const parts = children.map((child) => {
    if (ts.isJsxText(child)) return child.text.replace(/\s*\n\s*/g, ' ');
    if (!ts.isJsxExpression(child)) return '<>';
    return child.expression && ts.isStringLiteral(child.expression) ? child.expression.text : '{}';
  });
  return parts.join('').trim();
}

function textOf(node: ts.Node): string | undefined {
  if (ts.isJsxElement(node) || ts.isJsxFragment(node)) {
    const hasWords = node.children.some((child) => ts.isJsxText(child) && /[A-Za-z]{2}/.test(child.text));
    return hasWords ? childrenText(node.children) : undefined;
  }
  if (ts.isTemplateExpression(node)) return isText(templateText(node)) ? templateText(node) : undefined;
  if (!ts.isStringLiteral(node) && !ts.isNoSubstitutionTemplateLiteral(node)) return undefined;
  return isText(node.text) ? node.text : undefined;
}

/** Names of classes, and the style sheets of editors. */
const isStyle = (node: ts.Node): boolean =>
  ts.isJsxAttribute(node)
    ? /^(className|classNames|style)$/.test(node.name.getText())
    : ts.isCallExpression(node) && node.expression.getText() === 'EditorView.theme';

/** The texts of a file for people, in the order of the file, each text once. */
export function textsOf(file: string, contents: string): string[] {
  const kind = file.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const found = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isTypeNode(node) || isStyle(node)) return;
    const text = textOf(node);
    if (text !== undefined) found.add(text.replaceAll('\n', '\\n'));
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, contents, ts.ScriptTarget.Latest, true, kind));
  return [...found];
}

/** The texts of the dashboard by file. The connect page has its own, in `renderer/connect/texts`. */
export function dashboardTexts(): string {
  const files = listFiles('renderer').filter(
    (file) => /\.tsx?$/.test(file) && !/\.(test|d)\.tsx?$/.test(file) && !file.startsWith('renderer/connect/'),
  );
  const parts = files.sort().map((file) => ({ file, texts: textsOf(file, readFileSync(path.join(ROOT, file), 'utf8')) }));
  return parts
    .filter(({ texts }) => texts.length > 0)
    .map(({ file, texts }) => `${file}\n${texts.map((text) => `  ${text}\n`).join('')}`)
    .join('\n');
}
