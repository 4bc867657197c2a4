import { isUtf8 } from 'node:buffer';
import { charsetOf, decodeText } from '../../platform/lib/body-text.ts';
import { HomeportError } from '../../platform/lib/homeport-error.ts';
import type { ProxyBody } from '../../proxy/proxy.service.ts';
import type { PlaygroundRequest } from '../dashboard-playground.contract.ts';
import type { PlaygroundResult } from './playground.service.ts';

/** Bytes of a character that the end of the shown part can cut off. */
const CUT_BYTES = [0, 1, 2, 3];

/** Throws `invalid_body` for a file whose content was not sent: the history and saved requests do not keep it. */
export function bodyOf({
  body,
  bodyType,
  fields,
}: Extract<PlaygroundRequest, { kind: 'proxy' }>): ProxyBody | undefined {
  switch (bodyType) {
    case 'json':
      return body ? { kind: 'json', text: body } : undefined;
    case 'text':
      return body ? { kind: 'bytes', bytes: Buffer.from(body), contentType: 'text/plain; charset=utf-8' } : undefined;
    case 'form':
      return {
        kind: 'form',
        text: new URLSearchParams(fields.map(({ name, value }): [string, string] => [name, value])).toString(),
      };
    case 'multipart':
      return {
        kind: 'multipart',
        parts: fields.map(({ file, name, value }) => {
          if (!file) return { name, text: value };
          if (file.base64 === null)
            throw new HomeportError('invalid_body', `Choose the file ${file.name} again: its content is not kept.`);
          return { name, bytes: Buffer.from(file.base64, 'base64'), filename: file.name, contentType: file.type };
        }),
      };
  }
}

export function viewResponse(
  { headers, status }: { status: number; headers: Record<string, unknown> },
  bytes: Buffer,
  isCut: boolean,
): NonNullable<PlaygroundResult['response']> {
  const type = String(headers['content-type'] ?? '');
  const text = textOf(bytes, type, isCut);
  const announced = Number(headers['content-length'] ?? Number.NaN);
  const isSizeKnown = !isCut || announced > bytes.length;
  return {
    status,
    headers: Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [value].flat().map((one) => ({ name, value: String(one) })),
    ),
    body: text ?? '',
    isText: text !== undefined,
    base64: text === undefined ? bytes.toString('base64') : null,
    sizeBytes: isCut && isSizeKnown ? announced : bytes.length,
    isSizeKnown,
    isCut,
  };
}

/**
 * The text in the charset that its type names. Without one, text is what is UTF-8 without the character zero, or what
 * a text type calls so. Undefined for bytes that are no text.
 */
function textOf(bytes: Buffer, type: string, isCut: boolean): string | undefined {
  const charset = charsetOf(type);
  const cuts = isCut ? CUT_BYTES : [0];
  if (charset !== undefined)
    for (const cut of cuts) {
      try {
        return decodeText(bytes.subarray(0, bytes.length - cut), charset);
      } catch (error) {
        if (!(error instanceof HomeportError)) throw error;
        // The charset is unknown, or this is no text in it: then it is shown as bytes, unless it is UTF-8.
      }
    }
  const whole = cuts.map((cut) => bytes.subarray(0, Math.max(bytes.length - cut, 0))).find((part) => isUtf8(part));
  if (whole && !whole.includes(0)) return whole.toString('utf8');
  // What calls itself text and is not UTF-8 is in the older charset of the web.
  return /^text\//i.test(type) && charset === undefined && !bytes.includes(0)
    ? decodeText(bytes, 'windows-1252')
    : undefined;
}
