import { describe, expect, it } from 'vitest';
import { jsonLines } from './json-text.ts';

const print = (value: unknown): string[] =>
  jsonLines(value).map(({ indent, name, text, type, comma }) => `${indent}${name}|${text}|${type}${comma}`);

describe('jsonLines', () => {
  it('prints one line per member with its brackets', () => {
    expect(print({ a: 1, 'b": ': ['x, y', null], c: {}, d: true })).toEqual([
      '|{|bracket',
      '  "a": |1|number,',
      '  "b\\": ": |[|bracket',
      '    |"x, y"|string,',
      '    |null|null',
      '  |]|bracket,',
      '  "c": |{}|bracket,',
      '  "d": |true|number',
      '|}|bracket',
    ]);
  });

  it('keeps texts whole, because nobody may judge a part', () => {
    expect(jsonLines('x'.repeat(500))[0]?.text).toHaveLength(502);
  });

  it('shows the characters that would turn the reading direction', () => {
    expect(print({ 'a\u202E': 'pay \u202E001, "now' })[1]).toBe('  "a\\u202e": |"pay \\u202e001, \\"now"|string');
  });
});
