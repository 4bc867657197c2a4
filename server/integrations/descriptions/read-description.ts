import { createHash } from 'node:crypto';
import { HomeportError } from '../../platform/lib/homeport-error.ts';
import { isJsonObject } from '../../platform/lib/json-object.ts';

type JsonObject = Record<string, unknown>;

/** An OpenAPI description, in the form of version 3.1. */
export interface Description {
  /** Untrusted: nothing about its shape is known. */
  document: JsonObject;
  /** SHA-256 of the text, hex. */
  hash: string;
  /** Follows `$ref`, also several. Undefined for what is no object or leads nowhere. */
  resolve: (value: unknown) => JsonObject | undefined;
}

export interface DescriptionSource {
  /** Path or address; references to other files are relative to it. */
  location: string;
  text: string;
  /** Text of another file that the description refers to. Without it such references are refused. */
  readPart?: ((location: string) => Promise<string>) | undefined;
}

/** A file with its text, or an address of a description or of an MCP server. */
export type DescribedApi =
  | { address: string }
  | { file: string; text: string; readPart?: ((location: string) => Promise<string>) | undefined };

/** What a person entered. Throws `invalid_body` for both and for neither of an address and a text. */
export function describedApi({ address, file = 'description', text }: GivenDescription): DescribedApi {
  if (address !== undefined && text === undefined) return { address };
  if (address === undefined && text !== undefined) return { file, text };
  throw new HomeportError('invalid_body', 'Send either an address or the text of a description.');
}

export interface GivenDescription {
  address?: string | undefined;
  file?: string | undefined;
  text?: string | undefined;
}

/** The largest public descriptions have about 14 MB. */
export const MAX_DESCRIPTION_BYTES = 24 * 1_048_576;
/** Objects, lists and values; aliases of YAML count each time they are used. */
const MAX_VALUES = 4_000_000;
const MAX_DEPTH = 400;
const MAX_PARTS = 200;
/** References that lead to references. */
const MAX_HOPS = 50;

/**
 * Reads an OpenAPI description (2.0, 3.0, 3.1, 3.2; JSON or YAML). Throws `invalid_body` with the reason when it cannot
 * be used.
 */
export async function readDescription(source: DescriptionSource): Promise<Description> {
  const { location, readPart, text } = source;
  requireSize(Buffer.byteLength(text));
  let parts = 0;
  let bytes = 0;
  // Few people bring a description, and a start need not load the libraries for it.
  const { default: $RefParser } = await import('@apidevtools/json-schema-ref-parser');
  const { upgrade } = await import('@scalar/openapi-upgrader');
  const parser = new $RefParser();
  const own = new URL(location, 'file:///').href;
  const options = {
    resolve: {
      file: false as const,
      http: false as const,
      given: {
        order: 1,
        canRead: true,
        read: async ({ url }: { url: string }) => {
          if (url === own) return text;
          if (!readPart) throw refuse(`It refers to another file (${url}). Import it by its address, or as one file.`);
          parts += 1;
          if (parts > MAX_PARTS) throw refuse(`It refers to more than ${MAX_PARTS} other files.`);
          const part = await readPart(url);
          bytes += Buffer.byteLength(part);
          requireSize(bytes);
          return part;
        },
      },
    },
  };
  const parsed: unknown = await attempt(() => parser.parse(own, options));
  if (!isJsonObject(parsed)) throw refuse('It is neither JSON nor YAML with an object.');
  requireVersion(parsed);
  const whole = hasForeignReferences(parsed)
    ? await attempt(() => new $RefParser().bundle(own, parsed, options))
    : parsed;
  if (whole !== parsed) hasForeignReferences(whole);
  const document = (await attempt(async () => upgrade(whole as JsonObject, '3.1'))) as unknown as JsonObject;
  return {
    document,
    hash: createHash('sha256').update(text).digest('hex'),
    resolve: (value) => followReferences(document, value),
  };
}

/** Whether a text is meant as an API description, and not as a file of provider entries. */
export function isDescription(text: string): boolean {
  return (
    /^["']?(?:openapi|swagger)["']?\s*:/m.test(text) || /^\s*\{[\s\S]{0,20000}?"(?:openapi|swagger)"\s*:\s*"/.test(text)
  );
}

function requireSize(bytes: number): void {
  if (bytes > MAX_DESCRIPTION_BYTES)
    throw refuse(`It is larger than ${MAX_DESCRIPTION_BYTES / 1_048_576} MB. Import a part of it.`);
}

function requireVersion({ openapi, swagger }: JsonObject): void {
  const version = openapi ?? swagger;
  if (version === undefined) throw refuse('It is no OpenAPI description: the member "openapi" is missing.');
  if (!/^(?:2\.0|3\.[0-2])(?:\.|$)/.test(String(version)))
    throw refuse(`Version ${JSON.stringify(version)} of OpenAPI is not known; 2.0 to 3.2 are.`);
}

/** Counts as it goes, so that a small text cannot stand for a huge value. */
function hasForeignReferences(root: unknown): boolean {
  let count = 0;
  let isForeign = false;
  const open: Array<[value: unknown, depth: number]> = [[root, 0]];
  for (let next = open.pop(); next; next = open.pop()) {
    const [value, depth] = next;
    count += 1;
    if (count > MAX_VALUES) throw refuse(`It has more than ${MAX_VALUES} values.`);
    if (depth > MAX_DEPTH) throw refuse(`It is nested more than ${MAX_DEPTH} levels deep.`);
    if (typeof value !== 'object' || value === null) continue;
    if ('$ref' in value && typeof value.$ref === 'string' && !value.$ref.startsWith('#')) isForeign = true;
    for (const member of Object.values(value)) open.push([member, depth + 1]);
  }
  return isForeign;
}

function followReferences(document: JsonObject, value: unknown): JsonObject | undefined {
  let found = value;
  for (let hop = 0; hop < MAX_HOPS; hop += 1) {
    if (!isJsonObject(found)) return undefined;
    const { $ref: reference } = found;
    if (typeof reference !== 'string') return found;
    found = at(document, reference);
  }
  return undefined;
}

/** The value at a JSON pointer in a fragment (RFC 6901, 6). */
function at(document: JsonObject, reference: string): unknown {
  let value: unknown = document;
  for (const part of reference
    .replace(/^#\/?/, '')
    .split('/')
    .filter((one, index) => one !== '' || index > 0)) {
    const name = pointerPart(part);
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as JsonObject)[name];
  }
  return value;
}

/** A part of a JSON pointer as a name. */
export function pointerPart(part: string): string {
  const plain = part.replaceAll('~1', '/').replaceAll('~0', '~');
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain;
  }
}

async function attempt<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof HomeportError) throw error;
    const reason = error instanceof RangeError ? 'It is nested too deeply.' : reasonOf(error);
    throw refuse(reason, error);
  }
}

/** The library puts the path before the reason. */
function reasonOf(error: unknown): string {
  const [first = ''] = (error instanceof Error ? error.message : '').split('\n');
  const reason = first.replace(/^Error (?:parsing|opening|reading)(?: file)? \S+\s*:?\s*/, '');
  return reason.endsWith('is not a valid JSON Schema')
    ? 'It is neither JSON nor YAML with an object.'
    : `It cannot be read: ${reason.slice(0, 300)}.`;
}

function refuse(reason: string, cause?: unknown): HomeportError {
  return new HomeportError(
    'invalid_body',
    `The API description cannot be used. ${reason}`,
    cause === undefined ? {} : { cause },
  );
}
