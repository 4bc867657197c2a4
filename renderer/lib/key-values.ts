export interface KeyValue {
  key: string;
  value: string;
}

/** The pairs as an object, without rows that have no name. */
export const toRecord = (pairs: readonly KeyValue[]): Record<string, string> =>
  Object.fromEntries(pairs.filter(({ key }) => key.trim() !== '').map(({ key, value }) => [key.trim(), value]));

/** Pairs from pasted lines (`NAME=value`, without comments) or a JSON object; undefined for any other text. */
export function parsePairs(text: string): KeyValue[] | undefined {
  const trimmed = text.trim();
  if (trimmed.startsWith('{')) return parseJsonPairs(trimmed);
  const pairs: KeyValue[] = [];
  let rest = `${trimmed}\n`;
  while (rest !== '') {
    const found = LINE.exec(rest);
    if (!found) return undefined;
    const [line, key, quoted, literal, plain = ''] = found;
    rest = rest.slice(line.length);
    if (key !== undefined)
      pairs.push({ key, value: quoted === undefined ? (literal ?? plain?.trimEnd()) : unquoted(quoted) });
  }
  return pairs.length === 0 ? undefined : pairs;
}

/** One entry, over several lines when its value is quoted: `NAME="a\nb"`, `NAME='as it is'`, `NAME=bare`, a comment. */
const LINE =
  /^[ \t]*(?:#[^\n]*|(?:export\s+)?([\w.\-/]+)[ \t]*=[ \t]*(?![ \t])(?:"((?:\\[\s\S]|[^"\\])*)"[ \t]*|'([^']*)'[ \t]*|([^\n]*)))?\r?\n/;

const unquoted = (text: string): string =>
  text.replace(/\\(.)/gs, (_, character: string) => ({ n: '\n', r: '\r', t: '\t' })[character] ?? character);

/** Lines of a `.env` file; `parsePairs` reads them back unchanged. */
export const formatPairs = (pairs: readonly KeyValue[]): string =>
  pairs.map(({ key, value }) => `${key}=${/^[\w.:/@+-]*$/.test(value) ? value : quote(value)}\n`).join('');

const quote = (value: string): string =>
  `"${value.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\r', '\\r')}"`;

function parseJsonPairs(text: string): KeyValue[] | undefined {
  try {
    const entries = Object.entries(JSON.parse(text) as Record<string, unknown>);
    if (entries.some(([, value]) => typeof value === 'object')) return undefined;
    return entries.map(([key, value]) => ({ key, value: String(value) }));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** App credentials from a provider's JSON file, such as Google's client file. */
interface ClientFile {
  client_id: string;
  client_secret?: string;
}

/** The client in the text, at the top or one level below; undefined when the text is not such a file. */
export function readClientFile(text: string): ClientFile | undefined {
  if (!text.trim().startsWith('{')) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  for (const one of [value, ...Object.values(value as object)]) {
    if (typeof one !== 'object' || one === null) continue;
    const id = textOf(one, 'client_id', 'clientId');
    const secret = textOf(one, 'client_secret', 'clientSecret');
    if (id !== undefined) return { client_id: id, ...(secret === undefined ? {} : { client_secret: secret }) };
  }
  return undefined;
}

function textOf(object: object, ...names: string[]): string | undefined {
  const members = object as Record<string, unknown>;
  return names.map((name) => members[name]).find((value): value is string => typeof value === 'string' && value !== '');
}
