export interface KeyValue {
  key: string;
  value: string;
}

/** The pairs as an object; rows without a name are left out. */
export const toRecord = (pairs: readonly KeyValue[]): Record<string, string> =>
  Object.fromEntries(pairs.filter(({ key }) => key.trim() !== '').map(({ key, value }) => [key.trim(), value]));

/** Pairs of pasted lines (`NAME=value`, comments left out) or of a JSON object; undefined for any other text. */
export function parsePairs(text: string): KeyValue[] | undefined {
  const trimmed = text.trim();
  if (trimmed.startsWith('{')) return parseJsonPairs(trimmed);
  const lines = trimmed.split(/\r?\n/).filter((line) => line.trim() !== '' && !line.startsWith('#'));
  const pairs = lines.map((line) => /^(?:export\s+)?([\w.\-/]+)\s*=\s*(.*)$/.exec(line.trim()));
  if (lines.length === 0 || pairs.includes(null)) return undefined;
  return pairs.map((pair) => ({ key: pair?.[1] ?? '', value: (pair?.[2] ?? '').replace(/^(["'])(.*)\1$/, '$2') }));
}

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

/** App credentials found in a JSON file of a provider, such as Google's client file. */
interface ClientFile {
  client_id: string;
  client_secret?: string;
}

/** The client that the text names at its top or one level below; undefined when it is no such JSON. */
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
