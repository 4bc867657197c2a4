/** Number of tints in the theme. */
const TINTS = 6;

/** One or two letters for a name: "Cobalt Cycles" → "CC", "hubspot" → "H". */
export function initials(name: string, length: 1 | 2 = 2): string {
  const words = name.split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  const letters = words.slice(0, length).map((word) => word[0] ?? '');
  return letters.join('').toUpperCase() || '?';
}

/** A number below TINTS, always the same for a name. */
export function tintOf(name: string): number {
  let sum = 0;
  for (const letter of name) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 9973;
  return sum % TINTS;
}
