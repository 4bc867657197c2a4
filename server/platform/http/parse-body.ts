import { charsetOf, textOfBody, withoutMark } from '../lib/body-text.ts';
import { formToJson } from '../lib/form-json.ts';
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
 * `invalid_body` beyond the limits of JSON and for bytes that are no text, and `request_too_large` beyond those of forms.
 */
export function parseBody(bytes: Buffer, contentType: string | undefined): unknown {
  const given = contentType ?? '';
  const type = given.toLowerCase().split(';')[0]?.trim();
  if (type === 'application/json') return parseJsonBody(withoutMark(textOfBody(bytes, given)));
  if (type === 'application/x-www-form-urlencoded') return JSON.parse(formToJson(bytes, charsetOf(given)));
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

function invalidJson(): HomeportError {
  return new HomeportError('invalid_json', 'The body is not valid JSON.');
}
