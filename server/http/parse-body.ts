import qs from 'qs';
import { HomeportError } from '../lib/homeport-error.ts';
import { findJsonExcess, MAX_CONTAINERS, MAX_JSON_DEPTH, MAX_KEYS } from '../lib/json-limits.ts';

const TOO_MUCH = {
  levels: `The body nests more than ${MAX_JSON_DEPTH} levels.`,
  keys: `The body has more than ${MAX_KEYS} keys. Send it in parts.`,
  containers: `The body has more than ${MAX_CONTAINERS} lists and objects. Send it in parts.`,
};

/**
 * Parses a body by its content type (http-api.md 1.1, step 1): JSON with an object or a list at its root, or a form.
 * Returns undefined for every other type. Throws `invalid_json`, `invalid_content_type` for an unknown character set,
 * and `invalid_body` beyond the limits of JSON or of forms.
 */
export function parseBody(bytes: Buffer, contentType: string | undefined): unknown {
  const [type = '', ...parameters] = (contentType ?? '').toLowerCase().split(';');
  if (type.trim() === 'application/json') return parseJsonBody(decode(bytes, parameters));
  if (type.trim() === 'application/x-www-form-urlencoded') return parseForm(decode(bytes, parameters));
  return undefined;
}

/** An empty body counts as an empty object. */
function parseJsonBody(text: string): unknown {
  if (text === '') return {};
  if (!/^\s*[[{]/.test(text)) throw invalidJson();
  const excess = findJsonExcess(text);
  if (excess) throw new HomeportError('invalid_body', TOO_MUCH[excess]);
  try {
    return JSON.parse(text);
  } catch {
    throw invalidJson();
  }
}

function parseForm(text: string): unknown {
  return qs.parse(text, { arrayLimit: 100, depth: 32, parameterLimit: 1000, allowPrototypes: true });
}

/** Decodes the text; a byte order mark is dropped. */
function decode(bytes: Buffer, parameters: string[]): string {
  const charset = parameters
    .map((parameter) => /^\s*charset\s*=\s*(?!\s)"?([^"\s]*)"?\s*$/.exec(parameter)?.[1])
    .find((name) => name !== undefined);
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    // The decoder throws only for an unknown name.
    const shown = String(charset).slice(0, 50);
    throw new HomeportError('invalid_content_type', `The character set "${shown}" cannot be read.`);
  }
}

function invalidJson(): HomeportError {
  return new HomeportError('invalid_json', 'The body is not valid JSON.');
}
