import { readWithDigits } from './json-digits.ts';
import { shellWord } from './shell-word.ts';

/** A call of the public API, and the equivalent call of the official client. */
export interface SnippetCall {
  apiUrl: string;
  integrationKey: string;
  connectionId: string;
  /** Written into the code when given; otherwise the code reads it from the environment, so that it stays out of any history. */
  secretKey?: string | undefined;
  call:
    | { kind: 'action'; name: string; input: unknown }
    | { kind: 'sync'; name: string; variant: string; isFull: boolean }
    | {
        kind: 'proxy';
        method: string;
        endpoint: string;
        headers: Record<string, string>;
        bodyType?: 'json' | 'text' | 'form' | 'multipart';
        body: string | undefined;
        /** Of a form; the file of a part is read from the disk. */
        fields?: ReadonlyArray<{
          name: string;
          value?: string | undefined;
          file?: { name: string; type: string } | undefined;
        }>;
        baseUrl?: string | undefined;
        retries?: number;
      }
    /** With the names of the official client. */
    | { kind: 'records'; query: Record<string, string | number | string[]> };
}

export interface CallSnippet {
  language: string;
  code: string;
}

const json = (value: unknown): string => JSON.stringify(value, null, 2);
interface HttpCall {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string | undefined;
  /** Parts of a multipart body, in place of `body`. */
  parts?: CallParts | undefined;
}

type CallParts = NonNullable<Extract<SnippetCall['call'], { kind: 'proxy' }>['fields']>;

function toHttp({ integrationKey, connectionId, call }: SnippetCall): HttpCall {
  const connectionHeaders = { 'Provider-Config-Key': integrationKey, 'Connection-Id': connectionId };
  const typed = { 'Content-Type': 'application/json' };
  switch (call.kind) {
    case 'action': {
      const body = json({ action_name: call.name, ...(call.input === undefined ? {} : { input: call.input }) });
      return { method: 'POST', path: '/action/trigger', headers: { ...connectionHeaders, ...typed }, body };
    }
    case 'sync': {
      const syncs = call.variant === 'base' ? [call.name] : [{ name: call.name, variant: call.variant }];
      const mode = call.isFull ? { sync_mode: 'full_refresh' } : {};
      const body = json({ provider_config_key: integrationKey, connection_id: connectionId, syncs, ...mode });
      return { method: 'POST', path: '/sync/trigger', headers: typed, body };
    }
    case 'proxy': {
      const forwarded = Object.entries(call.headers).map(([name, value]) => [`Nango-Proxy-${name}`, value]);
      const ways = {
        ...(call.baseUrl ? { 'Base-Url-Override': call.baseUrl } : {}),
        ...(call.retries ? { Retries: String(call.retries) } : {}),
      };
      const { body, parts, type } = proxyBody(call);
      const typedHeader = type === undefined ? {} : { 'Content-Type': type };
      const headers = { ...connectionHeaders, ...ways, ...typedHeader, ...Object.fromEntries(forwarded) };
      return { method: call.method, path: `/proxy/${call.endpoint.replace(/^\//, '')}`, headers, body, parts };
    }
    case 'records': {
      const pairs = Object.entries(call.query).flatMap(([name, value]) =>
        [value].flat().map((one) => [name === 'modifiedAfter' ? 'modified_after' : name, String(one)]),
      );
      return {
        method: 'GET',
        path: `/records?${new URLSearchParams(pairs)}`,
        headers: connectionHeaders,
        body: undefined,
      };
    }
  }
}

function proxyBody({ body, bodyType = 'json', fields = [] }: Extract<SnippetCall['call'], { kind: 'proxy' }>): {
  body: string | undefined;
  parts?: CallParts;
  type?: string;
} {
  // The boundary of a multipart body is the client's to choose, and so is its type.
  if (bodyType === 'multipart') return { body: undefined, parts: fields };
  if (bodyType === 'form') return { body: formText(fields), type: 'application/x-www-form-urlencoded' };
  if (!body) return { body };
  return { body, type: bodyType === 'text' ? 'text/plain; charset=utf-8' : 'application/json' };
}

const formText = (fields: CallParts): string =>
  new URLSearchParams(fields.map(({ name, value = '' }): [string, string] => [name, value])).toString();

/** The same call for a shell, Node and Python. */
export function callSnippets(of: SnippetCall): CallSnippet[] {
  const http = toHttp(of);
  return [
    { language: 'curl', code: curl(of, http) },
    { language: 'Node', code: node(of) },
    { language: 'Python', code: python(of, http) },
  ];
}

function curl({ apiUrl, secretKey }: SnippetCall, { method, path, headers, body, parts = [] }: HttpCall): string {
  return [
    `curl ${methodOption(method)}${shellWord(apiUrl + path)}`,
    `-H "Authorization: Bearer ${secretKey ?? '$HOMEPORT_SECRET_KEY'}"`,
    ...Object.entries(headers).map(([name, value]) => `-H ${shellWord(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`--data-raw ${shellWord(body)}`]),
    ...parts.map(curlPart),
  ].join(' \\\n  ');
}

/** `--form-string` takes a value as it is, while `-F` reads files and options from it. */
function curlPart({ file, name, value = '' }: CallParts[number]): string {
  if (!file) return `--form-string ${shellWord(`${name}=${value}`)}`;
  return `-F ${shellWord(`${name}=@"${file.name.replace(/["\\]/g, '\\$&')}";type=${file.type}`)}`;
}

/** With -X, curl would wait for the body of a HEAD response. */
function methodOption(method: string): string {
  if (method === 'GET') return '';
  return method === 'HEAD' ? '--head ' : `-X ${method} `;
}

function node({ apiUrl, integrationKey, connectionId, secretKey, call }: SnippetCall): string {
  const key = secretKey === undefined ? 'process.env.HOMEPORT_SECRET_KEY' : json(secretKey);
  const head = [
    "import { Nango } from '@nangohq/node';",
    '',
    `const nango = new Nango({ host: ${json(apiUrl)}, apiKey: ${key} });`,
  ];
  const connectionArguments = [json(integrationKey), json(connectionId)].join(', ');
  if (call.kind === 'action') {
    const input = call.input === undefined ? '' : `, ${json(call.input)}`;
    return [
      ...head,
      `const result = await nango.triggerAction(${connectionArguments}, ${json(call.name)}${input});`,
      'console.log(result);',
    ].join('\n');
  }
  if (call.kind === 'sync') {
    const one = call.variant === 'base' ? json(call.name) : JSON.stringify({ name: call.name, variant: call.variant });
    const mode = call.isFull ? ", 'full_refresh'" : '';
    return [...head, `await nango.triggerSync(${json(integrationKey)}, [${one}], ${json(connectionId)}${mode});`].join(
      '\n',
    );
  }
  if (call.kind === 'records') {
    const config = { providerConfigKey: integrationKey, connectionId, ...call.query };
    return [...head, `const page = await nango.listRecords(${json(config)});`, 'console.log(page);'].join('\n');
  }
  const config = {
    method: call.method,
    endpoint: call.endpoint,
    providerConfigKey: integrationKey,
    connectionId,
    ...(Object.keys(call.headers).length > 0 ? { headers: call.headers } : {}),
    ...nodeData(call),
    ...(call.baseUrl ? { baseUrlOverride: call.baseUrl } : {}),
    ...(call.retries ? { retries: call.retries } : {}),
  };
  const result = call.method === 'HEAD' ? 'headers' : 'data';
  if (call.bodyType === 'multipart')
    return [
      ...nodeForm(head, call.fields ?? []),
      `const { ${result} } = await nango.proxy({ ...${json(config)}, data: form });`,
      `console.log(${result});`,
    ].join('\n');
  return [...head, `const { ${result} } = await nango.proxy(${json(config)});`, `console.log(${result});`].join('\n');
}

/** The members of the client's request that hold the body, and its type where it is not JSON. */
function nodeData({
  body,
  bodyType = 'json',
  fields = [],
  headers,
}: Extract<SnippetCall['call'], { kind: 'proxy' }>): object {
  const typed = (type: string): object => ({ headers: { 'Content-Type': type, ...headers } });
  if (bodyType === 'form') return { ...typed('application/x-www-form-urlencoded'), data: formText(fields) };
  if (bodyType === 'multipart' || !body) return {};
  return bodyType === 'text' ? { ...typed('text/plain; charset=utf-8'), data: body } : { data: parsed(body) };
}

function nodeForm(head: string[], fields: CallParts): string[] {
  const hasFiles = fields.some(({ file }) => file);
  return [
    ...(hasFiles ? ["import { openAsBlob } from 'node:fs';"] : []),
    ...head,
    'const form = new FormData();',
    ...fields.map(({ file, name, value = '' }) =>
      file
        ? `form.append(${json(name)}, await openAsBlob(${json(file.name)}, { type: ${json(file.type)} }), ${json(file.name)});`
        : `form.append(${json(name)}, ${json(value)});`,
    ),
  ];
}

/** A body whose digits JavaScript would change stays a text. */
function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return JSON.stringify(value) === JSON.stringify(readWithDigits(text)) ? value : text;
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}

function python({ apiUrl, secretKey }: SnippetCall, { method, path, headers, body, parts }: HttpCall): string {
  const isRead = secretKey === undefined;
  return [
    ...(isRead ? ['import os'] : []),
    'import requests',
    '',
    'response = requests.request(',
    `    ${json(method)},`,
    `    ${json(apiUrl + path)},`,
    '    headers={',
    `        "Authorization": ${isRead ? '"Bearer " + os.environ["HOMEPORT_SECRET_KEY"]' : json(`Bearer ${secretKey}`)},`,
    ...Object.entries(headers).map(([name, value]) => `        ${json(name)}: ${json(value)},`),
    '    },',
    ...(parts ? pythonParts(parts) : []),
    ...(body === undefined ? [] : [`    data=${json(body)}${isLatin(body) ? '' : '.encode()'},`]),
    ')',
    `print(response.${method === 'HEAD' ? 'headers' : 'text'})`,
  ].join('\n');
}

/** `None` in place of a file name makes a part a plain value. */
function pythonParts(parts: CallParts): string[] {
  const rows = parts.map(({ file, name, value = '' }) =>
    file
      ? `        (${json(name)}, (${json(file.name)}, open(${json(file.name)}, "rb"), ${json(file.type)})),`
      : `        (${json(name)}, (None, ${json(value)})),`,
  );
  return ['    files=[', ...rows, '    ],'];
}

/** Some versions of Python's HTTP clients encode a text as Latin-1. */
const isLatin = (text: string): boolean => [...text].every((letter) => letter < '\u0080');
