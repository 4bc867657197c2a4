/**
 * Finds a secret in every percent-encoded spelling: programs that write addresses encode different characters, and a
 * caller's spelling may be encoded again. Letters and digits stand for themselves. For a secret with only one spelling,
 * the result is the secret itself.
 */
export function secretPattern(secret: string): string | RegExp {
  return isPlain(secret) ? secret : new RegExp(spellingsSource(secret), 'giu');
}

/** Whether the secret has only one spelling. */
export function isPlain(secret: string): boolean {
  return /^[\w.-]*$/.test(secret);
}

/** The source of an expression that matches every spelling of the text. */
export function spellingsSource(text: string): string {
  return Array.from(text.toWellFormed(), spellingsOf).join('');
}

function spellingsOf(character: string): string {
  if (/^[a-z0-9]$/i.test(character)) return character;
  const own = `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
  const encoded = Array.from(Buffer.from(character), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
  return `(?:${own}|${encoded}${character === ' ' ? '|\\+' : ''})`;
}
