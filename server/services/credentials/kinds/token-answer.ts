import { XMLParser } from 'fast-xml-parser';
import { isMap } from '../../../catalog/merge-entries.ts';
import { isTooDeep } from '../../../lib/json-limits.ts';
import type { TokenAnswer } from '../token-context.ts';

/** Sent with every token request; an entry's own headers replace them. */
export const TOKEN_HEADERS = { accept: 'application/json', 'user-agent': 'Homeport' };

/** The body as a JSON object; undefined when it is none. */
export function jsonObject(answer: TokenAnswer): Record<string, unknown> | undefined {
  return isMap(answer.json) ? answer.json : undefined;
}

/** A token is a text that is not empty; some providers send a number. */
export function tokenText(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The body of an answer in XML as an object, attributes as `$name`; undefined when it is none, or too deep to be stored. */
export function readXml({ text }: TokenAnswer): unknown {
  if (!text.trimStart().startsWith('<')) return undefined;
  try {
    const value = new XMLParser({ ignoreAttributes: false, attributeNamePrefix: '$', parseTagValue: false }).parse(
      text,
    );
    return isTooDeep(value) ? undefined : value;
  } catch {
    return undefined; // A page that is no XML.
  }
}
