import { base64Of } from './base64.ts';

/** The kinds of files that a person may import, recognised by name and first bytes. */
export type RecognisedKind = 'export' | 'connections' | 'providers' | 'variables' | 'requests' | 'unknown';

export interface TextFile {
  kind: RecognisedKind;
  name: string;
  text: string;
}

/** A ZIP file; the hub reads its content. */
export interface ArchiveFile {
  kind: 'archive';
  name: string;
  /** In base64. */
  archive: string;
}

export type RecognisedFile = TextFile | ArchiveFile;

/** The labels of the kinds, before and after the drop. */
export const KIND_LABELS: Record<RecognisedFile['kind'], string> = {
  archive: 'An export of Homeport',
  export: 'An export of Homeport',
  connections: 'A list of connections',
  providers: 'Provider entries',
  variables: 'Environment variables',
  requests: 'Requests of a Postman collection',
  unknown: 'A file that Homeport does not know',
};

/** Reads a dropped or chosen file. */
export async function readRecognised(file: File): Promise<RecognisedFile> {
  const start = new Uint8Array(await file.slice(0, 4).arrayBuffer());
  if (String.fromCharCode(...start) !== 'PK\x03\x04') return recogniseFile(file.name, await file.text());
  return { kind: 'archive', name: file.name, archive: await base64Of(file) };
}

export function recogniseFile(name: string, text: string): TextFile {
  return { kind: kindOf(name.toLowerCase(), text), name, text };
}

function kindOf(name: string, text: string): RecognisedKind {
  if (/(^|\/)\.env(\.|$)|\.env$/.test(name)) return 'variables';
  if (name.endsWith('.csv')) return 'connections';
  if (/\.ya?ml$/.test(name)) return 'providers';
  if (!/\.(json|homeport)$/.test(name)) return 'unknown';
  const value = parse(text);
  // The import says which entry of a list is wrong.
  if (Array.isArray(value)) return value.some(isObject) ? 'connections' : 'unknown';
  if (!isObject(value)) return 'unknown';
  if (value['format'] === 'homeport-export') return 'export';
  if (isObject(value['info']) && /getpostman\.com\/.*collection/.test(String(value['info']['schema'])))
    return 'requests';
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
    // Not JSON, despite its name.
    return undefined;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
