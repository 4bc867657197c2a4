/** What follows `-----BEGIN `. The text is divided there first, so that it is read once however many blocks have no end. */
const BLOCK = /^([A-Z0-9 ]+)-----([\s\S]*?)-----END \1-----/;

/**
 * Normalises a pasted key or certificate: one line, literal `\n`, spaces instead of line breaks, or bare base64 without
 * header and footer (which then get `label`). Every block of a chain is kept.
 */
export function toPem(text: string, label: string): string {
  const clean = text.replaceAll('\\n', '\n').trim();
  const blocks = blocksOf(clean);
  if (blocks.length === 0) return frame(label, clean);
  return blocks.map((block) => frame(block[1] ?? label, block[2] ?? '')).join('');
}

/** Whether the text contains a PEM block whose label ends with `label`, with base64 inside. */
export function isPem(text: string, label: string): boolean {
  const blocks = blocksOf(text.replaceAll('\\n', '\n'));
  return blocks.some((block) => block[1]?.endsWith(label) && /^[A-Za-z0-9+/=\s]+$/.test(block[2] ?? ''));
}

function blocksOf(text: string): RegExpExecArray[] {
  const parts = text.split('-----BEGIN ').slice(1);
  return parts.map((part) => BLOCK.exec(part)).filter((block) => block !== null);
}

function frame(label: string, body: string): string {
  const lines = body.replace(/\s+/g, '').match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}
