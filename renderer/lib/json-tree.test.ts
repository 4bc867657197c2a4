import { describe, expect, it } from 'vitest';
import { jsonLines } from './json-tree.ts';

const print = (value: unknown, folded: string[] = []): string[] =>
  jsonLines(value, new Set(folded)).map((line) => `${'  '.repeat(line.depth)}${line.name ?? ''}:${line.text}`);

describe('jsonLines', () => {
  it('prints one line per member with its brackets', () => {
    expect(print({ a: 1, b: ['x'], c: {} })).toEqual([':{', '  a:1', '  b:[', '    :"x"', '  :]', '  c:{}', ':}']);
  });

  it('counts the lines that a fold hides', () => {
    expect(print({ b: { c: 1, d: 2 } }, ['/b'])).toEqual([':{', '  b:{ 2 }', ':}']);
  });

  it('cuts long texts and keeps the value whole', () => {
    const line = jsonLines('x'.repeat(500), new Set())[0];

    expect(line?.text).toHaveLength(203);
    expect(line?.value).toHaveLength(500);
  });

  it('keeps texts whole where nobody may be left with a part', () => {
    expect(jsonLines('x'.repeat(500), new Set(), Number.POSITIVE_INFINITY)[0]?.text).toHaveLength(502);
  });

  it('shows the characters that would turn the reading direction', () => {
    expect(print('pay \u202E001 to me')).toEqual([':"pay \\u202e001 to me"']);
  });
});
