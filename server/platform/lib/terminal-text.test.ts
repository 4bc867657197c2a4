import { describe, expect, it } from 'vitest';
import { createLogger } from './logger.ts';
import { terminalJson, terminalText } from './terminal-text.ts';

const ESC = '\u001B';

describe('terminalText', () => {
  it.each([
    ['a cleared screen', `a${ESC}[2J${ESC}[Hb`],
    ['a title', `a${ESC}]0;title\u0007b`],
    ['the clipboard', `a${ESC}]52;c;AAAA${ESC}\\b`],
    ['a rewritten line', 'a\r\bb'],
    ['invisible text', `a${ESC}[8mb`],
    ['a C1 command', 'a\u009B2Jb'],
  ])('takes %s out', (_, text) => {
    for (const keepsColors of [true, false]) {
      const clean = terminalText(text, { keepsColors });

      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
      expect(clean).not.toMatch(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/);
      expect(clean).toMatch(/^a.*b$/);
    }
  });

  it('keeps lines, tabs and our own colours', () => {
    expect(terminalText('a\r\n\tb ü 漢')).toBe('a\n\tb ü 漢');
    expect(terminalText(`${ESC}[31merror${ESC}[39m`, { keepsColors: true })).toBe(`${ESC}[31merror${ESC}[39m`);
    expect(terminalText(`${ESC}[31merror${ESC}[39m`)).toBe('error');
  });

  it('leaves JSON the same document', () => {
    const value = { text: `a${ESC}[2J\u009B2J` };
    const json = terminalJson(JSON.stringify(value));

    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    expect(json).not.toMatch(/[\u0000-\u001F\u007F-\u009F]/);
    expect(JSON.parse(json)).toEqual(value);
  });

  it('holds for the log of the program', () => {
    const lines: string[] = [];
    createLogger({ level: 'warn', write: (line) => lines.push(line) }).warn({ text: `${ESC}[2J\u009B2J` }, '\u009Bx');

    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    expect(lines[0]?.trimEnd()).not.toMatch(/[\u0000-\u001F\u007F-\u009F]/);
  });
});
