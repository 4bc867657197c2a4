/** What a file of a person may be, by its name and its beginning. */
export type RecognisedKind = 'export' | 'connections' | 'providers' | 'variables' | 'unknown';

export interface RecognisedFile {
  kind: RecognisedKind;
  name: string;
  text: string;
}

/** In words, for the moment before it is dropped and after. */
export const KIND_LABELS: Record<RecognisedKind, string> = {
  export: 'An export of Homeport',
  connections: 'A list of connections',
  providers: 'Provider entries',
  variables: 'Environment variables',
  unknown: 'A file that Homeport does not know',
};

export function recogniseFile(name: string, text: string): RecognisedFile {
  return { kind: kindOf(name.toLowerCase(), text), name, text };
}

function kindOf(name: string, text: string): RecognisedKind {
  if (/(^|\/)\.env(\.|$)|\.env$/.test(name)) return 'variables';
  if (name.endsWith('.csv')) return 'connections';
  if (/\.ya?ml$/.test(name)) return 'providers';
  if (!name.endsWith('.json')) return 'unknown';
  const value = parse(text);
  if (Array.isArray(value)) return value.every(isObject) && value.length > 0 ? 'connections' : 'unknown';
  if (!isObject(value)) return 'unknown';
  if (value['format'] === 'homeport-export') return 'export';
  if (Array.isArray(value['connections'])) return 'connections';
  const members = Object.values(value);
  return members.length > 0 && members.every((one) => isObject(one) && ('auth_mode' in one || 'alias' in one))
    ? 'providers'
    : 'unknown';
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // No JSON, whatever its name says.
    return undefined;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
