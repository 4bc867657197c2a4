const MOST_TERMS = 8;
/** A shorter beginning matches too much to be worth its time; it has to be the whole word. */
const SHORTEST_PREFIX = 3;

/**
 * Turns what a person typed into terms of the full-text index: "exact words" in quotes stay together, every other
 * word may go on. Quoting each term keeps the index's own operators out of reach.
 */
export function searchTerms(text: string | undefined): string[] | undefined {
  if (!text?.trim()) return undefined;
  const terms = [...text.matchAll(/"([^"]*)"?|[^\s"]+/g)].flatMap(([whole, phrase]) => {
    const words = phrase ?? whole;
    if (!/[\p{L}\p{N}]/u.test(words)) return [];
    const isPrefix = phrase === undefined && words.length >= SHORTEST_PREFIX;
    return [`"${words}"${isPrefix ? '*' : ''}`];
  });
  return terms.length > 0 ? terms.slice(0, MOST_TERMS) : undefined;
}
