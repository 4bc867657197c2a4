/** Adds a full stop, unless the text already ends with `.`, `?` or `!`. */
export function asSentence(reason: string): string {
  return /[.?!]$/.test(reason) ? reason : `${reason}.`;
}
