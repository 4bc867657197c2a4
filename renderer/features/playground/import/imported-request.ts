import { METHODS_WITH_BODY, type PlaygroundRequestInput, PROXY_METHODS } from '../../../api/contract.ts';

type ProxyInput = Extract<PlaygroundRequestInput, { kind: 'proxy' }>;
export type ImportedField = NonNullable<ProxyInput['fields']>[number];

/** A request from elsewhere, without the connection that it will be sent with. */
export interface ImportedRequest {
  name: string;
  request: Pick<ProxyInput, 'method' | 'endpoint' | 'headers' | 'bodyType' | 'body' | 'fields'>;
}

export interface ImportedRequests {
  requests: ImportedRequest[];
  /** What was left out or changed, each sentence once. */
  notes: string[];
}

/** A text that cannot be imported; the message says what to do. */
export class ImportProblem extends Error {}

/** As many as an integration can have. */
export const MAX_REQUESTS = 500;
const MAX_NAME = 60;
const MAX_ENDPOINT = 8192;
const MAX_BODY = 1_000_000;
const MAX_FIELDS = 200;

/** A request as it was read, before it fits the playground. */
export interface RawRequest {
  name: string;
  method: string;
  url: string;
  headers: Array<readonly [name: string, value: string]>;
  body?: { type: 'raw'; text: string } | { type: 'form' | 'multipart'; fields: ImportedField[] };
}

interface Target {
  /** The integration's own address, as far as it is known. */
  baseUrl: string | null;
  notes: Set<string>;
}

/** Set when the request is sent. */
const OF_TRANSPORT = new Set(['host', 'content-length', 'connection', 'accept-encoding', 'transfer-encoding']);
const LEADING_REFERENCE = /^\{\{[^{}\r\n]{1,300}\}\}/;
const SCHEME = /^[a-z][a-z0-9+.-]{0,20}:\/\//i;

/** The request as the playground keeps it; throws an ImportProblem that names it. */
export function importedRequest(raw: RawRequest, target: Target): ImportedRequest {
  const name = raw.name.trim().slice(0, MAX_NAME).trim() || 'Request';
  const refuse = (reason: string): never => {
    throw new ImportProblem(`“${name}”: ${reason}`);
  };
  const method = PROXY_METHODS.find((one) => one === raw.method.toUpperCase());
  if (!method) return refuse(`requests with the method ${raw.method.slice(0, 20)} cannot be sent.`);
  const endpoint = endpointOf(raw.url.trim(), target);
  if (endpoint.length > MAX_ENDPOINT) refuse(`its path is longer than ${MAX_ENDPOINT} characters.`);
  const body = bodyOf(raw, headersOf(raw, target));
  if ((body.body?.length ?? 0) > MAX_BODY || body.fields?.some(({ value = '' }) => value.length > MAX_BODY))
    refuse('its body is longer than a million characters.');
  if ((body.fields?.length ?? 0) > MAX_FIELDS) refuse(`its body has more than ${MAX_FIELDS} fields.`);
  if (raw.body && !METHODS_WITH_BODY.has(method)) target.notes.add(`A ${method} request is sent without its body.`);
  return { name, request: { method, endpoint, ...body } };
}

/**
 * The path and query of an address. Its host is never taken over: the credentials of the connection go along with every
 * request, and an imported file does not decide who gets them.
 */
function endpointOf(url: string, { baseUrl, notes }: Target): string {
  const [address = ''] = url.split('#', 1);
  const base = baseUrl?.replace(/\/$/, '');
  if (base && address.startsWith(base) && /^([/?]|$)/.test(address.slice(base.length)))
    return withSlash(address.slice(base.length));
  const reference = LEADING_REFERENCE.exec(address);
  if (reference) return withSlash(address.slice(reference[0].length));
  if (address.startsWith('/')) return address;
  const rest = address.replace(SCHEME, '');
  const end = rest.search(/[/?]/);
  const host = end < 0 ? rest : rest.slice(0, end);
  if (base && host !== '' && host !== base.replace(SCHEME, '').split('/', 1)[0])
    notes.add(`The host ${host.slice(0, 100)} is left out: requests go to the address of the integration.`);
  return withSlash(end < 0 ? '' : rest.slice(end));
}

const withSlash = (path: string): string => (path.startsWith('/') ? path : `/${path}`);

/** Headers by name; repeated ones are joined as HTTP does it. */
function headersOf({ headers }: RawRequest, { notes }: Target): Map<string, string> {
  const kept = new Map<string, { name: string; value: string }>();
  for (const [name, value] of headers) {
    const key = name.toLowerCase();
    if (key === 'authorization') notes.add(SIGN_IN);
    if (key === '' || key === 'authorization' || OF_TRANSPORT.has(key)) continue;
    const old = kept.get(key);
    kept.set(key, { name: old?.name ?? name, value: old ? `${old.value}, ${value}` : value });
  }
  return new Map([...kept.values()].map(({ name, value }) => [name, value]));
}

export const SIGN_IN = 'The sign-in is left out: Homeport adds the credentials of the connection.';

const FORM = 'application/x-www-form-urlencoded';

function bodyOf(
  { body }: RawRequest,
  headers: Map<string, string>,
): Pick<ImportedRequest['request'], 'headers' | 'bodyType' | 'body' | 'fields'> {
  const typeName = [...headers.keys()].find((name) => name.toLowerCase() === 'content-type');
  const type =
    (typeName === undefined ? '' : (headers.get(typeName) ?? '')).toLowerCase().split(';', 1)[0]?.trim() ?? '';
  const without = (isImplied: boolean): Record<string, string> =>
    Object.fromEntries([...headers].filter(([name]) => !(isImplied && name === typeName)));
  if (body?.type === 'multipart') return { headers: without(true), bodyType: 'multipart', fields: body.fields };
  if (body?.type === 'form') return { headers: without(type === FORM), bodyType: 'form', fields: body.fields };
  if (body?.type !== 'raw' || body.text === '') return { headers: without(false) };
  if (type === FORM) {
    const fields = formFields(body.text);
    if (fields) return { headers: without(true), bodyType: 'form', fields };
  }
  const isJson = type === '' || /[/+]json$/.test(type);
  return {
    headers: without(type === (isJson ? 'application/json' : 'text/plain')),
    bodyType: isJson ? 'json' : 'text',
    body: body.text,
  };
}

/** The fields of an encoded form; undefined for a text that is none. */
function formFields(text: string): ImportedField[] | undefined {
  const pairs = text.split('&');
  if (pairs.length > MAX_FIELDS || !text.includes('=')) return undefined;
  const decode = (part: string): string => decodeURIComponent(part.replaceAll('+', ' '));
  try {
    return pairs.map((pair) => {
      const at = pair.indexOf('=');
      return at < 0
        ? { name: decode(pair), value: '' }
        : { name: decode(pair.slice(0, at)), value: decode(pair.slice(at + 1)) };
    });
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

/** A part whose file has to be chosen again, since only its name is known. */
export const filePart = (name: string, path: string, type?: string): ImportedField => ({
  name,
  file: {
    name: (path.split(/[\\/]/).at(-1) || 'file').slice(0, 255),
    type: (type ?? 'application/octet-stream').slice(0, 255),
    sizeBytes: 0,
    base64: null,
  },
});
