/**
 * Finds a secret in every percent-encoded spelling: programs that write addresses encode different characters, and a
 * caller's spelling may be encoded again. Letters and digits stand for themselves. For a secret with only one spelling,
 * the result is the secret itself.
 */
export function secretPattern(secret: string): string | RegExp {
  if (/^[\w.-]*$/.test(secret)) return secret;
  return new RegExp(Array.from(secret.toWellFormed(), spellingsOf).join(''), 'giu');
}

function spellingsOf(character: string): string {
  if (/^[a-z0-9]$/i.test(character)) return character;
  const own = `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
  const encoded = Array.from(Buffer.from(character), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
  return `(?:${own}|${encoded}${character === ' ' ? '|\\+' : ''})`;
}
