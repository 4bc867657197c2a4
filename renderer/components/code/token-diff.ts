import { Change, diff } from '@codemirror/merge';

/** What is marked whole in each language; everything else is compared character by character, spaces together. */
const TOKENS = {
  json: /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|[a-z]+|\s+|./gsu,
  code: /\d+\.\d+(?![\p{L}\p{N}_$])|[\p{L}\p{N}_$]+|\s+|./gsu,
};

/** Characters for tokens: from here on, without the surrogates, which are half a character each. */
const FIRST = 0x20;
const SURROGATES = { from: 0xd800, to: 0xdfff };
const LAST = 0xffff;
/** As the editor's own limit: beyond it, the comparison is less exact and still fast. */
const SCAN_LIMIT = 500;

/**
 * The changed parts of two texts, by tokens: a value or a word that changed in one letter is marked whole. Each different
 * token becomes one character of the texts that are compared. Texts with more different tokens than there are
 * characters are compared by their letters.
 */
export function diffTokens(before: string, after: string, language: keyof typeof TOKENS): readonly Change[] {
  const characters = new Map<string, string>();
  let next = FIRST;
  const characterOf = (token: string): string | undefined => {
    const known = characters.get(token);
    if (known !== undefined || next > LAST) return known;
    const character = String.fromCharCode(next);
    characters.set(token, character);
    next = next + 1 === SURROGATES.from ? SURROGATES.to + 1 : next + 1;
    return character;
  };
  const a = tokensOf(before, TOKENS[language], characterOf);
  const b = tokensOf(after, TOKENS[language], characterOf);
  if (!a || !b) return diff(before, after, { scanLimit: SCAN_LIMIT });
  const at = ({ starts }: Tokens, index: number): number => starts[index] ?? 0;
  return diff(a.text, b.text, { scanLimit: SCAN_LIMIT }).map(
    ({ fromA, toA, fromB, toB }) => new Change(at(a, fromA), at(a, toA), at(b, fromB), at(b, toB)),
  );
}

interface Tokens {
  /** A character for each token. */
  text: string;
  /** Where each token begins, and the end of the text. */
  starts: number[];
}

function tokensOf(
  text: string,
  pattern: RegExp,
  characterOf: (token: string) => string | undefined,
): Tokens | undefined {
  const parts: string[] = [];
  const starts: number[] = [];
  for (const { 0: token, index } of text.matchAll(pattern)) {
    const character = characterOf(token);
    if (character === undefined) return undefined;
    parts.push(character);
    starts.push(index);
  }
  return { text: parts.join(''), starts: [...starts, text.length] };
}
