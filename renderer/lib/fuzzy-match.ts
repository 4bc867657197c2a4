/** How well a text matches the typed one. */
export interface FuzzyMatch {
  /** Above 0; 1 for the same text. */
  score: number;
  /** The matching parts of the text: from, to (exclusive), in order and without overlap. */
  ranges: Array<[from: number, to: number]>;
}

const BEGINS = 0.95;
const BEGINS_WORD = 0.85;
/** The first letters of words. */
const INITIALS = 0.75;
const INSIDE = 0.65;
/** Letters with others between them. */
const SCATTERED = 0.5;

/** Normalised character by character, so that positions stay: "É" and "e" are the same letter. */
function fold(text: string): string {
  if (/^\p{ASCII}*$/u.test(text)) return text.toLowerCase();
  return Array.from(text, (letter) => {
    const plain = letter.normalize('NFD').charAt(0).toLowerCase();
    return plain.length === letter.length ? plain : letter;
  }).join('');
}

/** Letters with others between them are searched for in names only: the time grows with the square of the text. */
const MAX_TEXT = 500;
const MAX_WORD = 50;

const LETTER = /[\p{L}\p{N}]/u;

/** After a symbol or a space, and where a capital follows a small letter. */
function isWordStart(text: string, at: number): boolean {
  if (at === 0) return true;
  const before = text.charAt(at - 1);
  if (before === ' ' || before === '-' || !LETTER.test(before)) return true;
  const letter = text.charAt(at);
  return letter !== letter.toLowerCase() && before === before.toLowerCase();
}

/** Whether the letters occur in this order: a fast rejection for most of a long list. */
function hasLetters(folded: string, word: string): boolean {
  let at = 0;
  for (const letter of word) {
    at = folded.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
}

/**
 * Undefined when a typed word is not in the text, either as a whole or as letters in this order of which the first begins
 * a word. Case, accents and the order of the words are ignored.
 */
export function fuzzyMatch(text: string, query: string): FuzzyMatch | undefined {
  const folded = fold(text);
  const wanted = fold(query.trim());
  if (wanted === '') return { score: 0, ranges: [] };
  if (folded === wanted) return { score: 1, ranges: [[0, text.length]] };
  let sum = 0;
  const ranges: FuzzyMatch['ranges'] = [];
  const words = wanted.split(/\s+/);
  for (const word of words) {
    const found = matchWord(text, folded, word);
    if (!found) return undefined;
    sum += found.score;
    ranges.push(...found.ranges);
  }
  // Of two equally good matches, the shorter text ranks higher.
  const share = Math.min(wanted.length / Math.max(folded.length, 1), 1);
  return { score: (sum / words.length) * 0.9 + share * 0.1, ranges: joined(ranges) };
}

function matchWord(text: string, folded: string, word: string): FuzzyMatch | undefined {
  if (!hasLetters(folded, word)) return undefined;
  let inside: FuzzyMatch | undefined;
  for (let at = folded.indexOf(word); at >= 0; at = folded.indexOf(word, at + 1)) {
    const ranges: FuzzyMatch['ranges'] = [[at, at + word.length]];
    if (at === 0) return { score: BEGINS, ranges };
    if (isWordStart(text, at)) return { score: BEGINS_WORD, ranges };
    inside ??= { score: INSIDE, ranges };
  }
  const loose = scattered(text, folded, word);
  return loose && loose.score > (inside?.score ?? 0) ? loose : inside;
}

/** The best of the matches that begin at the start of a word: few gaps, preferably ending at a word. */
function scattered(text: string, folded: string, word: string): FuzzyMatch | undefined {
  if (word.length < 2 || word.length > MAX_WORD || text.length > MAX_TEXT) return undefined;
  let best: FuzzyMatch | undefined;
  for (let start = folded.indexOf(word.charAt(0)); start >= 0; start = folded.indexOf(word.charAt(0), start + 1)) {
    if (!isWordStart(text, start)) continue;
    const found = scatteredFrom(text, folded, word, start);
    if (found && found.score > (best?.score ?? 0)) best = found;
  }
  return best;
}

function scatteredFrom(text: string, folded: string, word: string, start: number): FuzzyMatch | undefined {
  const ranges: FuzzyMatch['ranges'] = [[start, start + 1]];
  let at = start + 1;
  let loose = 0;
  for (const letter of word.slice(1)) {
    const next = nextOf(text, folded, letter, at);
    if (next < 0) return undefined;
    if (next !== at && !isWordStart(text, next)) loose += 1;
    const last = ranges.at(-1);
    if (last && last[1] === next) last[1] = next + 1;
    else ranges.push([next, next + 1]);
    at = next + 1;
  }
  // Letters scattered over a long text are not a match.
  if (loose > word.length / 2) return undefined;
  const base = loose === 0 ? INITIALS : SCATTERED * (1 - loose / (word.length + 1));
  return { score: base - ranges.length / 100, ranges };
}

/** The letter at this position, otherwise at the start of a later word, otherwise anywhere later. */
function nextOf(text: string, folded: string, letter: string, from: number): number {
  if (folded.charAt(from) === letter) return from;
  const first = folded.indexOf(letter, from);
  for (let at = first; at >= 0; at = folded.indexOf(letter, at + 1)) if (isWordStart(text, at)) return at;
  return first;
}

function joined(ranges: FuzzyMatch['ranges']): FuzzyMatch['ranges'] {
  const result: FuzzyMatch['ranges'] = [];
  for (const [from, to] of ranges.toSorted((a, b) => a[0] - b[0])) {
    const last = result.at(-1);
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else result.push([from, to]);
  }
  return result;
}
