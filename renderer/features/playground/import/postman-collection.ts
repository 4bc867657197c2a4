import {
  filePart,
  type ImportedField,
  type ImportedRequest,
  type ImportedRequests,
  ImportProblem,
  importedRequest,
  MAX_REQUESTS,
  type RawRequest,
  SIGN_IN,
} from './imported-request.ts';

type Json = Record<string, unknown>;

const MAX_DEPTH = 50;

/** The requests of a Postman collection, version 2.0 or 2.1, with the names of their folders. */
export function readPostmanCollection(text: string, baseUrl: string | null): ImportedRequests {
  const collection = collectionOf(text);
  const notes = new Set<string>();
  if (collection['auth']) notes.add(SIGN_IN);
  const variables = valuesOf(listOf(collection['variable']), 'key');
  const requests: ImportedRequest[] = [];
  // With a list of its own in place of recursion, nesting costs no stack.
  const open = [...listOf(collection['item'])].reverse().map((item) => ({ item, folders: [] as string[] }));
  for (let next = open.pop(); next; next = open.pop()) {
    const { item, folders } = next;
    if (!isObject(item)) throw new ImportProblem('The collection has an item that is neither a request nor a folder.');
    const name = textOf(item['name']);
    if (item['event']) notes.add('Scripts of the collection are left out.');
    if (item['auth']) notes.add(SIGN_IN);
    if (Array.isArray(item['item'])) {
      if (folders.length >= MAX_DEPTH)
        throw new ImportProblem(`The folders of the collection are nested more than ${MAX_DEPTH} deep.`);
      const inside = [...folders, name];
      for (let at = item['item'].length - 1; at >= 0; at -= 1) open.push({ item: item['item'][at], folders: inside });
    } else if (item['request'] !== undefined) {
      if (requests.length >= MAX_REQUESTS)
        throw new ImportProblem(`The collection has more than ${MAX_REQUESTS} requests. Export single folders of it.`);
      const raw = rawRequest([...folders, name].filter((part) => part !== '').join(' / '), item['request'], {
        notes,
        variables,
      });
      requests.push(importedRequest(raw, { baseUrl, notes }));
    } else throw new ImportProblem(`“${name.slice(0, 60)}” is neither a request nor a folder.`);
  }
  if (requests.length === 0) throw new ImportProblem('The collection has no requests.');
  return { requests, notes: [...notes] };
}

function collectionOf(text: string): Json {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new ImportProblem(`The file is not valid JSON: ${error.message.slice(0, 200)}`);
  }
  // Postman's API wraps the collection.
  const found = isObject(value) && isObject(value['collection']) ? value['collection'] : value;
  if (!isObject(found)) throw new ImportProblem(NOT_A_COLLECTION);
  if (found['_postman_variable_scope'] !== undefined)
    throw new ImportProblem('This is a Postman environment. Add its values to the variables of the environment.');
  const schema = isObject(found['info']) ? textOf(found['info']['schema']) : '';
  if (Array.isArray(found['requests']) && schema === '')
    throw new ImportProblem('This is a collection of version 1. Export it from Postman as “Collection v2.1”.');
  if (!/\/collection\/v2\.[01]\./.test(schema) || !Array.isArray(found['item']))
    throw new ImportProblem(NOT_A_COLLECTION);
  return found;
}

const NOT_A_COLLECTION = 'This is not a Postman collection. Export it from Postman as “Collection v2.1”.';

interface Context {
  notes: Set<string>;
  variables: Map<string, string>;
}

function rawRequest(name: string, given: unknown, { notes, variables }: Context): RawRequest {
  if (typeof given === 'string') return { name, method: 'GET', url: withHost(given, variables), headers: [] };
  if (!isObject(given)) throw new ImportProblem(`“${name.slice(0, 60)}” has no request that can be read.`);
  if (given['auth']) notes.add(SIGN_IN);
  const body = rawBody(given['body'], notes);
  const headers = listOf(given['header'])
    .filter(isEnabled)
    .map((one) => [textOf(one['key']), textOf(one['value'])] as const);
  return {
    name,
    method: textOf(given['method']) || 'GET',
    url: withHost(addressOf(given['url']), variables),
    headers:
      body?.type && !headers.some(([key]) => key.toLowerCase() === 'content-type')
        ? [...headers, ...body.type]
        : headers,
    ...(body ? { body: body.body } : {}),
  };
}

/** The address with the values of its path variables. */
function addressOf(url: unknown): string {
  if (typeof url === 'string') return url;
  if (!isObject(url)) return '';
  const joined = (value: unknown, by: string): string =>
    typeof value === 'string'
      ? value
      : listOf(value)
          .map((one) => (isObject(one) ? textOf(one['value']) : textOf(one)))
          .join(by);
  const query = listOf(url['query'])
    .filter(isEnabled)
    .map((one) => `${textOf(one['key'])}=${textOf(one['value'])}`)
    .join('&');
  const built = `${joined(url['host'], '.')}/${joined(url['path'], '/').replace(/^\//, '')}${query === '' ? '' : `?${query}`}`;
  const raw = textOf(url['raw']) || built;
  const values = valuesOf(listOf(url['variable']), 'key');
  if (values.size === 0) return raw;
  const at = raw.indexOf('?');
  const [path, rest] = at < 0 ? [raw, ''] : [raw.slice(0, at), raw.slice(at)];
  return (
    path
      .split('/')
      .map((part) => (part.startsWith(':') && values.get(part.slice(1))) || part)
      .join('/') + rest
  );
}

/** An address often begins with a variable of the collection that holds the host. */
function withHost(url: string, variables: Map<string, string>): string {
  const name = /^\{\{([^{}\r\n]{1,300})\}\}/.exec(url);
  const value = name && variables.get(name[1]?.trim() ?? '');
  return name && value ? `${value.replace(/\/$/, '')}${url.slice(name[0].length)}` : url;
}

type RawBody = { body: NonNullable<RawRequest['body']>; type?: RawRequest['headers'] };

function rawBody(body: unknown, notes: Set<string>): RawBody | undefined {
  if (!isObject(body) || body['disabled'] === true) return undefined;
  switch (body['mode']) {
    case 'raw': {
      const language =
        isObject(body['options']) && isObject(body['options']['raw']) ? body['options']['raw']['language'] : '';
      const type = RAW_TYPES[textOf(language)] ?? 'text/plain';
      return { body: { type: 'raw', text: textOf(body['raw']) }, type: [['Content-Type', type]] };
    }
    case 'urlencoded':
      return { body: { type: 'form', fields: fieldsOf(body['urlencoded']) } };
    case 'formdata':
      return { body: { type: 'multipart', fields: fieldsOf(body['formdata']) } };
    case 'graphql': {
      const { query, variables } = isObject(body['graphql']) ? body['graphql'] : ({} as Json);
      const text = textOf(variables).trim();
      return {
        body: {
          type: 'raw',
          text: `{"query":${JSON.stringify(textOf(query))}${text === '' ? '' : `,"variables":${text}`}}`,
        },
        type: [['Content-Type', 'application/json']],
      };
    }
    case 'file':
      notes.add('A body that is a file is left out: choose it again in the request.');
      return undefined;
    default:
      return undefined;
  }
}

/** Types by Postman's languages of a raw body. */
const RAW_TYPES: Record<string, string> = {
  json: 'application/json',
  xml: 'application/xml',
  html: 'text/html',
  javascript: 'application/javascript',
};

function fieldsOf(list: unknown): ImportedField[] {
  return listOf(list)
    .filter(isEnabled)
    .flatMap((one) => {
      const name = textOf(one['key']).slice(0, 1000);
      if (one['type'] !== 'file') return [{ name, value: textOf(one['value']) }];
      const sources = Array.isArray(one['src']) ? one['src'] : [one['src']];
      return sources.map((path) => filePart(name, textOf(path), textOf(one['contentType']) || undefined));
    });
}

function valuesOf(list: readonly unknown[], key: string): Map<string, string> {
  const enabled = list.filter(isEnabled);
  return new Map(enabled.map((one) => [textOf(one[key]) || textOf(one['id']), textOf(one['value'])] as const));
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isEnabled = (value: unknown): value is Json => isObject(value) && value['disabled'] !== true;
const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
