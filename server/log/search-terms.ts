import type { ReadHandle } from '../platform/database/database.ts';
import type { LogWordsStore } from './log-words.store.ts';

export const MAX_TERMS = 8;
/** A shorter prefix would match too much, so it must be the whole word. */
const MIN_PREFIX_LENGTH = 3;

/**
 * Turns a person's text into terms of the full-text index: "exact words" in quotes stay together; other words match as
 * prefixes. Each term is quoted, so that it cannot contain operators of the index.
 */
export function searchTerms(text: string | undefined): string[] | undefined {
  if (!text?.trim()) return undefined;
  const terms = [...text.matchAll(/"([^"]*)"?|[^\s"]+/g)].flatMap(([whole, phrase]) => {
    const words = phrase ?? whole;
    if (!/[\p{L}\p{N}]/u.test(words)) return [];
    const isPrefix = phrase === undefined && words.length >= MIN_PREFIX_LENGTH;
    return [`"${words}"${isPrefix ? '*' : ''}`];
  });
  return terms.length > 0 ? terms.slice(0, MAX_TERMS) : undefined;
}

/** A prefix of more words stays one: a search for each of them would take longer. */
const MOST_WORDS = 20;

/**
 * The same terms without prefixes, as far as possible: the index goes through the rows of a word one after the other, from
 * any place, but first lists all rows of a prefix. Letters beyond ASCII are folded by the index, so such words stay.
 */
export function withWholeWords(db: ReadHandle, words: LogWordsStore, terms: readonly string[]): Promise<string[]> {
  return Promise.all(
    terms.map(async (term) => {
      const start = /^"([a-z0-9]+)"\*$/i.exec(term)?.[1]?.toLowerCase();
      if (start === undefined) return term;
      const found = await words.list(db, start, MOST_WORDS + 1);
      if (found.length > MOST_WORDS) return term;
      return found.map((word) => `"${word}"`).join(' OR ') || `"${start}"`;
    }),
  );
}
