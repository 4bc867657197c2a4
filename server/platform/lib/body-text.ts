import { HomeportError } from './homeport-error.ts';

/** Marks at the beginning of a text that name its encoding, for texts without a charset in their content type. */
const MARKS: ReadonlyArray<[name: string, bytes: readonly number[]]> = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

/** The charset in a content type; undefined without one. */
export function charsetOf(contentType: string): string | undefined {
  return contentType
    .split(';')
    .map((parameter) => /^\s*charset\s*=\s*"?([^"\s]*)"?\s*$/i.exec(parameter)?.[1])
    .find((name) => name !== undefined && name !== '');
}

/**
 * The text of a body, by the charset of its content type, its mark, or UTF-8, with a mark at its beginning. Throws
 * `invalid_content_type` for a charset that cannot be read, and `invalid_body` for bytes that are no text in it: they
 * would be lost in silence.
 */
export function textOfBody(bytes: Buffer, contentType: string): string {
  const named = charsetOf(contentType);
  const marked = markOf(bytes);
  return decodeText(bytes, named ?? marked ?? 'utf-8');
}

function markOf(bytes: Buffer): string | undefined {
  return MARKS.find(([, mark]) => mark.every((byte, at) => bytes[at] === byte))?.[0];
}

/** Whether the bytes begin with a mark that names their encoding. */
export function hasMark(bytes: Buffer): boolean {
  return markOf(bytes) !== undefined;
}

export function decodeText(bytes: Buffer, charset: string): string {
  const decoder = decoderOf(charset);
  try {
    return decoder.decode(bytes);
  } catch {
    throw new HomeportError('invalid_body', `The body is not text in ${charset}, which its content type names.`);
  }
}

function decoderOf(charset: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(charset, { fatal: true, ignoreBOM: true });
  } catch {
    // The decoder throws only for an unknown name.
    throw new HomeportError('invalid_content_type', `The character set "${charset.slice(0, 50)}" cannot be read.`);
  }
}

/** The text without a byte order mark at its beginning. */
export function withoutMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}
