/**
 * Finds a secret however an address spells it: every writer of addresses percent-encodes other characters, and a
 * caller's spelling may be encoded further on its way. Letters and digits stand for themselves. A secret that has
 * one spelling only is its own pattern.
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
