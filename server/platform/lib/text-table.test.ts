import { describe, expect, it } from 'vitest';
import { displayWidth, tableLines, wrapWords } from './text-table.ts';

const headings = ['NAME', 'STATE', 'REASON'];
const rows = [
  ['first', 'ok', ''],
  ['the-second', 'failing', 'the provider refused the token twice'],
];

describe('tableLines', () => {
  it('aligns columns without a limit', () => {
    expect(tableLines({ headings, rows })).toEqual([
      'NAME        STATE    REASON',
      'first       ok',
      'the-second  failing  the provider refused the token twice',
    ]);
  });

  it('wraps cells between words in a narrow terminal, and keeps the columns', () => {
    const lines = tableLines({ headings, rows, width: 40 });

    expect(lines).toEqual([
      'NAME        STATE    REASON',
      'first       ok',
      'the-second  failing  the provider',
      '                     refused the token',
      '                     twice',
    ]);
  });

  it('writes a block for each row when the words do not fit beside each other', () => {
    const long = [['https://example.com/a/long/address', 'ok', 'two words']];

    expect(tableLines({ headings, rows: [...long, ...long], width: 30 })).toEqual([
      'NAME    https://example.com/a/long/address',
      'STATE   ok',
      'REASON  two words',
      '',
      'NAME    https://example.com/a/long/address',
      'STATE   ok',
      'REASON  two words',
    ]);
  });

  it('counts what a terminal shows, not characters', () => {
    expect(displayWidth('日本')).toBe(4);
    expect(displayWidth('\u001B[31mred\u001B[39m')).toBe(3);
    expect(displayWidth('e\u0301')).toBe(1);
    expect(
      tableLines({
        headings: ['A', 'B'],
        rows: [
          ['日本', 'x'],
          ['four', 'y'],
        ],
      }),
    ).toEqual(['A     B', '日本  x', 'four  y']);
  });
});

describe('wrapWords', () => {
  it('keeps lines and never breaks a word', () => {
    expect(wrapWords('one two\nan-unbreakable-word x', 7)).toEqual(['one two', 'an-unbreakable-word', 'x']);
  });
});
