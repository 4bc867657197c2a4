import { ImportProblem } from './imported-request.ts';

/** Many more words than any command has that a person wrote. */
const MAX_WORDS = 20_000;

/** The next character that means something outside of quotes, or in double quotes. */
const PLAIN_END = /[\s\\'"$`;|&<>^#]/g;
const QUOTED_END = /["\\$`]/g;
const NAME = /\$(?:\{(\w{1,100})\}|([A-Za-z_]\w{0,99}))/y;

/**
 * The commands of a shell text, each as its words without quotes. Variables of the shell become references, because the
 * playground fills those in: `$TOKEN` is read as `{{TOKEN}}`.
 */
export function shellCommands(text: string): string[][] {
  const commands: string[][] = [];
  let words: string[] = [];
  let word: string | undefined;
  let count = 0;
  let at = 0;
  const endWord = (): void => {
    if (word === undefined) return;
    if (count >= MAX_WORDS) throw new ImportProblem('The text has too many words for commands. Import it in parts.');
    count += 1;
    words.push(word);
    word = undefined;
  };
  const endCommand = (): void => {
    endWord();
    if (words.length > 0) commands.push(words);
    words = [];
  };
  /** The text up to the next character that the pattern finds. */
  const upTo = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    const end = pattern.exec(text)?.index ?? text.length;
    const found = text.slice(at, end);
    at = end;
    return found;
  };
  const variable = (): string => {
    NAME.lastIndex = at;
    const found = NAME.exec(text);
    if (found) {
      at += found[0].length;
      return `{{${found[1] ?? found[2]}}}`;
    }
    if (text[at] === '`' || text.startsWith('$(', at))
      throw new ImportProblem('The command contains another command, `…` or $(…). Put its result in place of it.');
    at += 1;
    return '$';
  };
  while (at < text.length) {
    const plain = upTo(PLAIN_END);
    if (plain !== '') word = (word ?? '') + plain;
    const sign = text[at];
    if (sign === undefined) break;
    if (sign === "'") {
      const end = text.indexOf("'", at + 1);
      if (end < 0) throw unclosed();
      word = (word ?? '') + text.slice(at + 1, end);
      at = end + 1;
    } else if (sign === '$' && text[at + 1] === "'") {
      at += 2;
      word = (word ?? '') + escaped();
    } else if (sign === '"') {
      at += 1;
      word = (word ?? '') + quoted();
    } else if (sign === '$' || sign === '`') word = (word ?? '') + variable();
    else if ((sign === '\\' || sign === '^') && lineEnd(at + 1) > 0) {
      // The command goes on in the next line.
      at += 1 + lineEnd(at + 1);
    } else if (sign === '\\') {
      word = (word ?? '') + (text[at + 1] ?? '');
      at += 2;
    } else if (sign === '\n' || sign === ';' || sign === '|') {
      endCommand();
      at += 1;
    } else if (sign === '&' && /^(&|\s|$)/.test(text.slice(at + 1, at + 2))) {
      endCommand();
      at += 1;
    } else if (sign === '<' || sign === '>') {
      // What follows is a file; `2>` names a stream.
      if (word !== undefined && /^\d$/.test(word)) word = undefined;
      endCommand();
      at += 1;
    } else if (sign === '#' && word === undefined) {
      upTo(/\n/g);
    } else if (/\s/.test(sign)) {
      endWord();
      at += 1;
    } else {
      // An ampersand in an address without quotes, a caret, a number sign.
      word = (word ?? '') + sign;
      at += 1;
    }
  }
  endCommand();
  return commands;

  function lineEnd(from: number): number {
    return text[from] === '\n' ? 1 : text.startsWith('\r\n', from) ? 2 : 0;
  }

  function quoted(): string {
    const parts: string[] = [];
    for (;;) {
      parts.push(upTo(QUOTED_END));
      const sign = text[at];
      if (sign === undefined) throw unclosed();
      if (sign === '"') {
        at += 1;
        return parts.join('');
      }
      if (sign !== '\\') parts.push(variable());
      else if (lineEnd(at + 1) > 0) at += 1 + lineEnd(at + 1);
      else {
        const next = text[at + 1] ?? '';
        parts.push('"\\$`'.includes(next) ? next : `\\${next}`);
        at += 2;
      }
    }
  }

  /** The rest of `$'…'`, where a backslash begins a code. */
  function escaped(): string {
    const parts: string[] = [];
    for (;;) {
      parts.push(upTo(/['\\]/g));
      if (at >= text.length) throw unclosed();
      if (text[at] === "'") {
        at += 1;
        return parts.join('');
      }
      const code = /\\(?:x([\da-fA-F]{1,2})|u([\da-fA-F]{1,4})|U([\da-fA-F]{1,8})|([0-7]{1,3})|([\s\S]))/y;
      code.lastIndex = at;
      const found = code.exec(text);
      if (!found) throw unclosed();
      at += found[0].length;
      const [, hex, short, long, octal, letter = ''] = found;
      const number = hex ?? short ?? long;
      const value = number === undefined ? Number.parseInt(octal ?? '', 8) : Number.parseInt(number, 16);
      if (Number.isNaN(value)) parts.push(CODES[letter] ?? letter);
      else if (value <= 0x10_ff_ff) parts.push(String.fromCodePoint(value));
    }
  }
}

const CODES: Record<string, string> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f', v: '\v', a: '\x07', e: '\x1b' };

const unclosed = (): ImportProblem => new ImportProblem('A quotation mark of the command is not closed.');
