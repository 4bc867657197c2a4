import { describe, expect, it } from 'vitest';
import { displayWidth, tableLines, wrapText, wrapWords } from './text-table.ts';

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

describe('wrapText', () => {
  it('breaks between words, keeps short lines, and indents what follows like its text', () => {
    expect(wrapText('one two three\nfour', 9)).toBe('one two\nthree\nfour');
    expect(wrapText('  a  b\n  some more words', 12)).toBe('  a  b\n  some more\n  words');
    expect(wrapText('✓ some more words', 12)).toBe('✓ some more\n  words');
    expect(wrapText('\u001B[32m✓\u001B[39m some more words', 12)).toBe('\u001B[32m✓\u001B[39m some more\n  words');
  });

  it('keeps a command in quotes in one line, and never breaks a word', () => {
    expect(wrapText('Start it with "homeport serve" or the app.', 24)).toBe(
      'Start it with\n"homeport serve" or the\napp.',
    );
    expect(wrapText('see https://example.com/a-long-address now', 10)).toBe(
      'see\nhttps://example.com/a-long-address\nnow',
    );
    expect(wrapText('"one two three four" five', 8)).toBe('"one two\nthree\nfour"\nfive');
    expect(wrapText('日本語 の テスト', 8)).toBe('日本語\nの\nテスト');
  });
});

describe('wrapWords', () => {
  it('keeps lines and never breaks a word', () => {
    expect(wrapWords('one two\nan-unbreakable-word x', 7)).toEqual(['one two', 'an-unbreakable-word', 'x']);
  });
});
