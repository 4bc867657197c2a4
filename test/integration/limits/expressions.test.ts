// @module-tag slow
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { runInNewContext } from 'node:vm';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { listFiles, ROOT } from '../../architecture/source-tree.ts';

const LENGTH = 30_000;
/** A linear expression needs a few ms of the processor for such a text; one of quadratic time needs seconds. */
const LIMIT_MS = 500;
/** Characters that expressions treat in special ways. */
const CHARACTERS = [
  'a',
  'A',
  '0',
  ' ',
  '\t',
  '\n',
  '\r\n',
  '/',
  '\\',
  '=',
  '-',
  '.',
  ':',
  '<',
  '"',
  "'",
  '@',
  '(',
  '[{',
  '&',
  '%',
  '_',
];

/** Expressions that read no text from outside, or of which another part limits the text. */
const ALLOWED = new Map([
  ['functions/runtime/lean-zod.ts', 'reads the published code of a package when the program is built'],
  ['server/platform/http/page-folder.ts', 'reads the own pages'],
]);

interface Expression {
  place: string;
  source: string;
  flags: string;
}

function expressionsOf(file: string): Expression[] {
  const text = readFileSync(path.join(ROOT, file), 'utf8');
  if (!text.includes('/')) return [];
  const tree = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found: Expression[] = [];
  const visit = (node: ts.Node): void => {
    if (node.kind === ts.SyntaxKind.RegularExpressionLiteral) {
      const [, source = '', flags = ''] = /^\/(.*)\/([a-z]*)$/s.exec(node.getText()) ?? [];
      const { line } = tree.getLineAndCharacterOfPosition(node.getStart());
      found.push({ place: `${file}:${line + 1}`, source, flags });
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

/** Long texts made of the words of the expression and of single characters, which end so that the search fails. */
function textsFor(source: string): string[] {
  const words = [...new Set(source.replaceAll(/\\([^a-zA-Z0-9])/g, '$1').match(/[\w<"'=:;,@#&%!~`/ -]{2,}/g) ?? [])];
  const units = [...CHARACTERS, ...words.slice(0, 6), ...words.slice(0, 3).flatMap((word) => [`${word} `, `${word}a`])];
  const starts = ['', ...words.slice(0, 2)];
  return units.flatMap((unit) => starts.map((start) => `${start}${unit.repeat(Math.ceil(LENGTH / unit.length))}\0`));
}

/** Processor time of this thread, so that other programs do not count. */
function usedMs(): number {
  const { system, user } = process.threadCpuUsage();
  return (system + user) / 1_000;
}

/** Whether the expression needs too long for one of the texts, or for all together. */
function isSlow({ source, flags }: Expression, texts: string[]): boolean {
  const expression = new RegExp(source, flags);
  const readAll = (): void => {
    for (const text of texts) text.replace(expression, '');
  };
  // The interruption counts the time of the day: on a busy computer it may come before the limit was used.
  for (let timeout = 10 * LIMIT_MS; ; timeout *= 4) {
    const startedAt = usedMs();
    try {
      // Only code that was started this way can be interrupted.
      runInNewContext('readAll()', { readAll }, { timeout });
      return usedMs() - startedAt > LIMIT_MS;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
      if (usedMs() - startedAt > LIMIT_MS) return true;
    }
  }
}

/** The first text that needs too long. Most expressions are quick for all their texts together. */
function slowText(expression: Expression): string | undefined {
  const texts = textsFor(expression.source);
  return isSlow(expression, texts) ? texts.find((text) => isSlow(expression, [text])) : undefined;
}

const files = listFiles().filter(
  (file) => /^(server|functions|electron|renderer)\/.*\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file),
);
const expressions = files.filter((file) => !ALLOWED.has(file)).flatMap(expressionsOf);
const unique = [...new Map(expressions.map((one) => [`${one.source}/${one.flags}`, one])).values()];

describe('Regular expressions', () => {
  it('are found in the sources', () => {
    expect(unique.length).toBeGreaterThan(300);
  });

  const folders = ['server', 'functions', 'electron', 'renderer'];
  it.each(folders)('of %s read a long text in linear time', { timeout: 600_000 }, (folder) => {
    const slow = unique
      .filter(({ place }) => place.startsWith(`${folder}/`))
      .flatMap((expression) => {
        const text = slowText(expression);
        return text === undefined
          ? []
          : [`${expression.place} ${expression.source} ${JSON.stringify(text.slice(0, 30))}`];
      });

    expect(slow).toEqual([]);
  });

  it('would be found if they were quadratic', { tags: ['nightly'] }, () => {
    const quadratic = { place: '', source: '[a-z][\\w+.-]*:\\/\\/', flags: 'gi' };
    expect(isSlow(quadratic, [`${'a'.repeat(LENGTH * 4)}\0`])).toBe(true);
  });
});
