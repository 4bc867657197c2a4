import { stringify } from 'yaml';
import { type AuthChoice, listAuthChoices } from './auth-choices.ts';
import { absolute, type Discover, type EntryField, type OpenPoint, titleFrom } from './entry-parts.ts';
import { type DescribedOperation, listOf, listOperations, objectOf, textOf } from './operations.ts';
import { proposePaging } from './propose-paging.ts';
import type { Description } from './read-description.ts';

export interface ProposedEntry {
  /** Key of the provider. */
  provider: string;
  /** The entry with its key, as YAML. */
  text: string;
  open: OpenPoint[];
  /** Every way to authorize that the description names; the first one that can be used is taken. */
  choices: Array<{ name: string; label: string; isChosen: boolean }>;
  operationCount: number;
}

export interface ProposalOptions {
  /** Where the description came from, if it is an address: relative addresses are relative to it. */
  address?: string | undefined;
  /** Key of the provider; by default made from the title. */
  provider?: string | undefined;
  /** Name of the way to authorize; by default the one that most operations take, without an own app where possible. */
  auth?: string | undefined;
  discover?: Discover | undefined;
  /** The day on which the entry is written: `2026-11-28`. */
  today?: string | undefined;
}

/** Headers that the transport or the caller sets for each request. */
const OWN_HEADERS = new Set([
  'authorization',
  'accept',
  'content-type',
  'content-length',
  'host',
  'user-agent',
  'cookie',
]);

/** Proposes an entry of the catalogue from what a description says. It invents nothing: the rest is `open`. */
export async function proposeEntry(description: Description, options: ProposalOptions = {}): Promise<ProposedEntry> {
  const { document } = description;
  const info = objectOf(document['info']);
  const operations = listOperations(description);
  const open: OpenPoint[] = [];
  const server = proposeServer(description, options.address, open);
  const choices = await listAuthChoices(description, operations, {
    baseUrl: server.baseUrl ?? options.address,
    discover: options.discover,
  });
  const chosen = choose(choices, options.auth, open);
  const title = textOf(info['title']);
  const provider = options.provider ?? keyFrom(title, server.baseUrl);
  const docs = docsOf(document);
  if (!docs) open.push({ keyPath: 'docs', reason: 'The description names no page of documentation.' });
  const signedHeaders = new Set(Object.keys(chosen?.headers ?? {}));
  const headers = { ...proposeHeaders(operations, signedHeaders, open), ...chosen?.headers };
  const paging = proposePaging(description, operations);
  if (!paging) open.push({ keyPath: 'proxy.paginate', reason: 'No way of paging is the same in several lists.' });
  const verification = proposeVerification(description, operations, chosen);
  if (!verification)
    open.push({ keyPath: 'proxy.verification', reason: 'No operation answers to GET without parameters.' });
  const fields = { ...server.fields, ...chosen?.fields };
  const entry = {
    display_name: nameFrom(title) || provider,
    auth_mode: chosen?.mode ?? 'NONE',
    ...(docs ? { docs } : {}),
    ...confirmedByDescription(options.today),
    ...(options.address === undefined ? {} : { api_description_url: options.address }),
    ...chosen?.keys,
    proxy: {
      ...(server.baseUrl ? { base_url: server.baseUrl } : {}),
      ...(Object.keys(headers).length > 0 ? { headers } : {}),
      ...(chosen?.query ? { query: chosen.query } : {}),
      ...proposeRetry(description, operations),
      ...(paging ? { paginate: paging } : {}),
      ...(verification ? { verification } : {}),
    },
    ...(Object.keys(fields).length > 0 ? { connection_config: fields } : {}),
    ...(chosen?.credentials ? { credentials: chosen.credentials } : {}),
  };
  open.push(...(chosen?.open ?? []));
  return {
    provider,
    text: entryText(provider, entry, sourceOf(title, textOf(info['version']), options.address), open),
    open,
    choices: choices.map(({ name, label }) => ({ name, label, isChosen: name === chosen?.name })),
    operationCount: operations.length,
  };
}

export const confirmedByDescription = (today: string | undefined): Record<string, string> =>
  today === undefined ? {} : { confirmed_on: today, confirmed_by: 'description' };

function choose(choices: AuthChoice[], wanted: string | undefined, open: OpenPoint[]): AuthChoice | undefined {
  const usable = choices.filter(({ problem }) => problem === undefined);
  for (const { label, name, problem } of choices)
    if (problem !== undefined) open.push({ keyPath: 'auth_mode', reason: `${label} (${name}): ${problem}` });
  const chosen = wanted === undefined ? usable[0] : usable.find(({ name }) => name === wanted);
  if (!chosen && choices.length === 0)
    open.push({
      keyPath: 'auth_mode',
      reason: 'The description names no way to authorize. NONE is right only when none is needed.',
    });
  return chosen;
}

interface ProposedServer {
  baseUrl: string | undefined;
  fields: Record<string, EntryField>;
}

/** Servers for trials. */
const TRIAL = /sandbox|staging|\btest|\bmock|\bdev(?:elopment)?\b|localhost|127\.0\.0\.1|\[::1\]/i;

function proposeServer({ document }: Description, address: string | undefined, open: OpenPoint[]): ProposedServer {
  const servers = listOf(document['servers'])
    .map(objectOf)
    .filter((one) => textOf(one['url']) !== '');
  const isReal = (one: Record<string, unknown>): boolean => !TRIAL.test(`${one['url']} ${textOf(one['description'])}`);
  const isSafe = (one: Record<string, unknown>): boolean => !textOf(one['url']).startsWith('http:');
  const server =
    servers.find((one) => isReal(one) && isSafe(one)) ?? servers.find(isReal) ?? servers.find(isSafe) ?? servers[0];
  const fields: Record<string, EntryField> = {};
  const variables = objectOf(server?.['variables']);
  const written = textOf(server?.['url']).replaceAll(/\{([^{}]+)\}/g, (_, name: string) => {
    const variable = objectOf(variables[name]);
    const preset = textOf(variable['default']);
    const values = listOf(variable['enum']).filter((one): one is string => typeof one === 'string' && one !== '');
    // A fixed part of the address is no question to a person.
    if (/:\/\//.test(preset) || (values.length <= 1 && preset !== '' && Object.hasOwn(variable, 'enum'))) return preset;
    const field = name.replaceAll(/[^a-zA-Z0-9_]+/g, '_');
    const isInHost = isPartOfHost(textOf(server?.['url']), name);
    fields[field] = {
      type: 'string',
      title: titleFrom(name),
      description: textOf(variable['description']).split('\n')[0] || `Part of the address of the API (${name}).`,
      ...(preset !== '' ? { default_value: preset, example: preset } : {}),
      ...(values.length > 1 ? { enum: values } : isInHost ? { format: 'hostname' } : {}),
    };
    return `\${connectionConfig.${field}}`;
  });
  const baseUrl = absolute(written, address)?.replace(/(?<!\/)\/+$/, '');
  if (baseUrl === undefined)
    open.push({
      keyPath: 'proxy.base_url',
      reason: written
        ? `The description names only the relative address "${written}". Write the whole one.`
        : 'The description names no server.',
    });
  else if (baseUrl.startsWith('http:'))
    open.push({ keyPath: 'proxy.base_url', reason: 'The address is plain http. Check whether https works.' });
  const others = servers.filter((one) => one !== server).map((one) => textOf(one['url']));
  if (others.length > 0)
    open.push({ keyPath: 'proxy.base_url', reason: `Other servers: ${others.slice(0, 6).join(', ')}` });
  return { baseUrl, fields };
}

function isPartOfHost(url: string, name: string): boolean {
  const [, host = ''] = /^[^:/?#]+:\/\/([^/?#]*)/.exec(url) ?? [];
  return host.includes(`{${name}}`);
}

function docsOf(document: Record<string, unknown>): string | undefined {
  const info = objectOf(document['info']);
  const found = [objectOf(document['externalDocs'])['url'], objectOf(info['contact'])['url']].map(textOf);
  return found.find((one) => /^https?:\/\//.test(one) && URL.canParse(one));
}

/** Headers that nearly every operation requires and whose value the description fixes, such as a version. */
function proposeHeaders(
  operations: DescribedOperation[],
  signed: Set<string>,
  open: OpenPoint[],
): Record<string, string> {
  const counts = new Map<string, { count: number; value: string }>();
  for (const { parameters } of operations)
    for (const one of parameters) {
      const name = one.name.toLowerCase();
      if (one.in !== 'header' || !one.isRequired || OWN_HEADERS.has(name) || signed.has(name)) continue;
      const { const: fixed, default: preset, enum: values, example } = one.schema;
      const value = [fixed, preset, listOf(values).at(-1), example].find((value) => typeof value === 'string');
      const known = counts.get(name);
      counts.set(name, { count: (known?.count ?? 0) + 1, value: known?.value || textOf(value) });
    }
  const headers: Record<string, string> = {};
  for (const [name, { count, value }] of counts) {
    if (count < operations.length / 2) continue;
    if (value === '' || value.includes('${'))
      open.push({
        keyPath: `proxy.headers.${name}`,
        reason: 'Most operations require this header. Its value is not given.',
      });
    else headers[name] = value;
  }
  return headers;
}

/** Requests that tell who somebody is come first, then short ones. */
const LIKELY: readonly RegExp[] = [
  /\/(?:me|self|whoami|current[_-]?user|viewer)\/?$/i,
  /\/(?:users?|accounts?|members?)\/(?:me|self|current)\/?$/i,
  /\/(?:user|account|profile|userinfo|validate|auth[._-]test|tokeninfo|token)\/?$/i,
  /\/(?:workspaces?|teams?|organi[sz]ations?|projects?|accounts|users)\/?$/i,
];

/** A request that only reads, needs no values and fails with wrong credentials; undefined when there is none. */
function proposeVerification(
  description: Description,
  operations: DescribedOperation[],
  chosen: AuthChoice | undefined,
): { method: 'GET'; endpoints: string[] } | undefined {
  if (!chosen || chosen.mode === 'NONE') return undefined;
  const names = chosen.name.replace(/:clientCredentials$/, '').split('+');
  const general = Array.isArray(description.document['security']) ? description.document['security'] : [];
  const isProtected = ({ security = general }: DescribedOperation): boolean =>
    security.length > 0 && security.every((one) => Object.keys(one).length > 0);
  const isTaken = ({ security = general }: DescribedOperation): boolean =>
    security.some((one) => names.every((name) => Object.hasOwn(one, name)));
  const free = operations.filter(
    (one) =>
      one.method === 'GET' &&
      !one.isDeprecated &&
      !one.path.includes('{') &&
      one.parameters.every(({ isRequired, in: place }) => !isRequired || place === 'header'),
  );
  const saysNothing = !operations.some(isProtected);
  const usable = free.filter((one) => saysNothing || (isProtected(one) && isTaken(one)));
  const rank = ({ path }: DescribedOperation): number => {
    const at = LIKELY.findIndex((pattern) => pattern.test(path));
    return at === -1 ? LIKELY.length : at;
  };
  const [best] = usable.toSorted((a, b) => rank(a) - rank(b) || a.path.length - b.path.length);
  // Without a statement about security, only a request about the caller is sure to need credentials.
  if (!best || (saysNothing && rank(best) > 2)) return undefined;
  return { method: 'GET', endpoints: [best.path] };
}

/** Headers of the refusals for too many requests. */
function proposeRetry(description: Description, operations: DescribedOperation[]): { retry?: Record<string, string> } {
  const names = new Set<string>();
  for (const operation of operations)
    for (const [code, value] of Object.entries(objectOf(operation.raw['responses'])))
      if (code === '429')
        for (const name of Object.keys(objectOf(description.resolve(value)?.['headers'])))
          names.add(name.toLowerCase());
  const find = (pattern: RegExp): string | undefined => [...names].find((name) => pattern.test(name));
  const after = find(/^retry-after$/) ?? find(/retry-after/);
  const at = find(/rate-?limit-?reset$/);
  const remaining = find(/rate-?limit-?remaining$/);
  if (after) return { retry: { after } };
  if (at) return { retry: { at, ...(remaining ? { remaining } : {}) } };
  return {};
}

/** A key such as `acme-payments` from "Acme Payments API v2". */
export function keyFrom(title: string, baseUrl: string | undefined): string {
  const fromTitle = slug(nameFrom(title));
  if (fromTitle !== '') return fromTitle;
  const host = baseUrl && URL.canParse(baseUrl) ? new URL(baseUrl).hostname : '';
  return slug(host.replace(/^(?:www|api)\./, '').replace(/\.[a-z]+$/, '')) || 'my-provider';
}

export function nameFrom(title: string): string {
  return title
    .replace(/['’]s\b.*/, '')
    .replaceAll(
      /\b(?:official|reference)\b|\b(?:rest(?:ful)?|public|open)?[ -]?api\b|\bopenapi\b|\bswagger\b|\bspec(?:ification)?\b|\bdocumentation\b|\bv?\d+(?:\.\d+)*\b/gi,
      ' ',
    )
    .replaceAll(/[^\p{L}\p{N}&.+' -]+/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .replace(/^[\s.-]+/, '')
    .replace(/[\s.-]{1,20}$/, '')
    .trim()
    .slice(0, 60);
}

function slug(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|(?<!-)-+$/g, '')
    .slice(0, 60);
}

function sourceOf(title: string, version: string, address: string | undefined): string {
  const from = [title, version].filter((one) => one !== '').join(' ');
  return `the API description${from ? ` "${from}"` : ''}${address ? `, ${address}` : ''}`;
}

/** The entry as YAML, with what is open as comments. */
export function entryText(provider: string, entry: Record<string, unknown>, source: string, open: OpenPoint[]): string {
  const comments = [
    `Written from ${source}.`,
    ...(open.length > 0 ? ['Check before you use it:'] : []),
    ...open.map(({ keyPath, reason }) => `- ${keyPath}: ${reason}`),
  ].map((line) => `  # ${line.replaceAll(/\s+/g, ' ').slice(0, 300)}`);
  const [first = '', ...rest] = stringify({ [provider]: entry }, { lineWidth: 0, aliasDuplicateObjects: false }).split(
    '\n',
  );
  return [first, ...comments, ...rest].join('\n');
}
