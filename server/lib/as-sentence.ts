/** Ends a reason with a full stop; a question mark stays. */
export function asSentence(reason: string): string {
  return /[.?!]$/.test(reason) ? reason : `${reason}.`;
}
