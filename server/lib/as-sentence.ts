/** A reason as the end of a sentence: a question keeps its mark. */
export function asSentence(reason: string): string {
  return /[.?!]$/.test(reason) ? reason : `${reason}.`;
}
