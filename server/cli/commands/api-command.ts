import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { isJsonObject } from '../../platform/lib/json-object.ts';
import { parseJson } from '../../platform/lib/parse-json.ts';
import type { CliContext } from '../cli-context.ts';
import { CliFailure, EXIT, fileFailure } from '../cli-failure.ts';
import { environmentOption, integrationOption } from '../command-options.ts';
import { headersOfConnection, locateConnection } from '../hub/find-connection.ts';
import type { HubClient } from '../hub/hub-client.ts';
import { addToQuery, type FieldMembers, readFields } from '../hub/request-fields.ts';

interface RequestOptions {
  environment: string;
  field: string[];
  typedField: string[];
  header: string[];
  input?: string;
  include?: boolean;
  paginate?: boolean;
  slurp?: boolean;
}

interface ProxyOptions extends RequestOptions {
  integrationId?: string;
  retries: string;
  baseUrl?: string;
}

/** Requests as they are: to the hub's own API, and through a connection to its provider. */
export function addApi(program: Command, context: CliContext): void {
  requestOptions(program.command('api'))
    .description('send a request to the public API of the hub and print the answer as it came')
    .argument('<method>', 'GET, POST, PUT, PATCH or DELETE')
    .argument('<path>', 'such as /connections?limit=10')
    .action((method: string, path: string, options: RequestOptions) => callApi(context, method, path, options));
  integrationOption(requestOptions(program.command('proxy')), 'integration of the connection')
    .description('send a request to the provider with the credentials of a connection, and print the answer as it came')
    .argument('<method>', 'GET, POST, PUT, PATCH, DELETE, PROPFIND or REPORT')
    .argument('<path>', 'path at the provider, such as /user/repos?per_page=5')
    .argument('<connection_id>')
    .option('--retries <number>', 'how often to try again after a failure that may pass', '0')
    .option('--base-url <url>', 'another address of the provider')
    .action((method: string, path: string, connection: string, options: ProxyOptions) =>
      callProxy(context, { method, path, connection }, options),
    );
}

const collect = (value: string, all: string[]): string[] => [...all, value];

function requestOptions(command: Command): Command {
  return environmentOption(command)
    .option(
      '-f, --field <name=text>',
      'a member of the body, or a parameter of a GET request; may be repeated',
      collect,
      [],
    )
    .option(
      '-F, --typed-field <name=value>',
      'the same: true, false, null and numbers as such, @file as its text',
      collect,
      [],
    )
    .option('-H, --header <name:value>', 'a header; may be repeated', collect, [])
    .option('--input <file>', 'a file as the body; - is standard input')
    .option('--include', 'print status and headers too')
    .option('--paginate', 'ask for all pages, one document after the other')
    .option('--slurp', 'with --paginate: one list of all pages');
}

async function callApi(context: CliContext, method: string, path: string, options: RequestOptions): Promise<void> {
  refuseMixed(options);
  const hub = await context.hubs.open(options.environment);
  const { url, init } = await prepare(context, new URL(`${hub.baseUrl}${slashed(path)}`), method, options);
  if (!options.paginate) return writeAnswer(context, hub, await hub.raw(url, init), options);
  if (init.method !== 'GET') throw new CliFailure('--paginate is for GET requests.', EXIT.usage);
  const pages = pagePrinter(context, options);
  for (let next: URL | undefined = url; next; ) {
    const response: Response = await hub.raw(next, init);
    if (!response.ok) return writeAnswer(context, hub, response, options);
    const text = await response.text();
    pages.print(text);
    next = nextPage(next, JSON.parse(text));
  }
  pages.end();
}

function refuseMixed({ include, paginate, slurp }: RequestOptions): void {
  if (slurp && !paginate) throw new CliFailure('--slurp is for --paginate.', EXIT.usage);
  if (include && paginate) throw new CliFailure('--include shows one answer: leave --paginate out.', EXIT.usage);
}

/** Prints pages as they come, or with --slurp as one list. */
function pagePrinter(
  { terminal }: CliContext,
  { slurp }: RequestOptions,
): { print: (text: string) => void; end: () => void } {
  const kept: string[] = [];
  return {
    print: (text) => {
      if (slurp) kept.push(text);
      else terminal.printJsonText(text);
    },
    end: () => {
      if (slurp) terminal.printJsonText(`[${kept.join(',')}]`);
    },
  };
}

/** Where the next page is, in the three forms of paging that the hub's API has (http-api.md 3, 4, 11). */
function nextPage(url: URL, body: unknown): URL | undefined {
  if (!isJsonObject(body)) return undefined;
  const next = new URL(url);
  const { connections, next_cursor: cursor, pagination } = body;
  if (typeof cursor === 'string') {
    next.searchParams.set('cursor', cursor);
    return next;
  }
  const page = Number(url.searchParams.get('page') ?? 0);
  const limit = Number(url.searchParams.get('limit'));
  const { total } = isJsonObject(pagination) ? (pagination as { total: number }) : { total: 0 };
  const size = isJsonObject(pagination) ? Number(pagination['limit']) : limit;
  const hasMore = Array.isArray(connections) ? limit > 0 && connections.length === limit : (page + 1) * size < total;
  if (!hasMore) return undefined;
  next.searchParams.set('page', String(page + 1));
  return next;
}

interface ProxyCall {
  method: string;
  path: string;
  connection: string;
}

/** Headers of the call itself; every other one goes to the provider (http-api.md 7). */
const OWN_HEADERS = /^(?:retries|retry-on|base-url-override|decompress|forward-headers-on-redirect|nango-.*)$/i;

async function callProxy(context: CliContext, call: ProxyCall, options: ProxyOptions): Promise<void> {
  refuseMixed(options);
  const hub = await context.hubs.open(options.environment);
  const connection = await locateConnection(context, hub, call.connection, options.integrationId);
  const { url, init } = await prepare(context, proxyAddress(hub, call.path), call.method, options);
  const headers = new Headers(headersOfConnection(connection));
  for (const [name, value] of init.headers) headers.set(OWN_HEADERS.test(name) ? name : `nango-proxy-${name}`, value);
  const type = init.headers.get('content-type');
  if (type !== null) headers.set('content-type', type);
  headers.set('retries', options.retries);
  if (options.baseUrl !== undefined) headers.set('base-url-override', options.baseUrl);
  const request = { url, init: { ...init, headers } };
  if (options.paginate) await callPages(context, hub, { ...request, provider: connection.provider }, options);
  else await writeAnswer(context, hub, await hub.raw(request.url, request.init), options);
}

/** Through the hub. A path, also one that a provider names as its next page, stays below the provider's address. */
function proxyAddress({ baseUrl }: HubClient, path: string): URL {
  const url = new URL(`${baseUrl}/proxy${slashed(path)}`);
  if (url.pathname.startsWith('/proxy/')) return url;
  throw new CliFailure(`The path "${path}" leads out of the provider's address.`, EXIT.usage);
}

/** Asks for every page, as the provider's entry in the catalogue says where the next one is. */
async function callPages(
  context: CliContext,
  hub: HubClient,
  { init, provider, url }: PreparedRequest & { provider: string },
  options: ProxyOptions,
): Promise<void> {
  const { followPages, LINK_HEADER } = await import('../hub/provider-pages.ts');
  const entry = await hub.call<{ data: { proxy?: { paginate?: Record<string, unknown> } } }>(
    'GET',
    `/providers/${encodeURIComponent(provider)}`,
  );
  const pages = pagePrinter(context, options);
  const path = url.pathname.slice('/proxy'.length) + url.search;
  await followPages(
    { method: init.method, path, body: pagedBody(init) },
    entry.data.proxy?.paginate ?? LINK_HEADER,
    async (page) => {
      const target = proxyAddress(hub, page.path);
      for (const [name, value] of Object.entries(page.query)) target.searchParams.set(name, value);
      const headers = new Headers(init.headers);
      if (page.baseUrl !== undefined) headers.set('base-url-override', page.baseUrl);
      // The hub sends no credentials to another host that a provider names.
      if (page.followsLink) headers.set('homeport-follows-link', 'true');
      const body = page.body === undefined ? {} : { body: JSON.stringify(page.body) };
      const response = await hub.raw(target, { ...init, headers, ...body });
      if (!response.ok) await writeAnswer(context, hub, response, options);
      const text = await response.text();
      pages.print(text);
      return { headers: Object.fromEntries(response.headers), text };
    },
  );
  pages.end();
}

/** Providers whose lists are a POST take the page in the body. */
function pagedBody({ body }: PreparedRequest['init']): Record<string, unknown> | undefined {
  if (body === undefined) return undefined;
  const value = parseJson(typeof body === 'string' ? body : new TextDecoder().decode(body));
  if (isJsonObject(value)) return value;
  throw new CliFailure('With --paginate a body is a JSON object.', EXIT.usage);
}

/** An address that only names a path must not name a host. */
const slashed = (path: string): string => (path.startsWith('/') ? path : `/${path}`);

interface PreparedRequest {
  url: URL;
  init: { method: string; headers: Headers; body?: string | Uint8Array<ArrayBuffer> };
}

async function prepare(
  context: CliContext,
  url: URL,
  method: string,
  options: RequestOptions,
): Promise<PreparedRequest> {
  const verb = method.toUpperCase();
  if (!/^[A-Z]+$/.test(verb)) throw new CliFailure(`"${method}" is not a method such as GET or POST.`, EXIT.usage);
  const headers = new Headers();
  for (const header of options.header) {
    const [, name = '', value = ''] = /^([\w-]+):\s*(.*)$/.exec(header) ?? [];
    if (name === '') throw new CliFailure(`-H takes name:value, not "${header}".`, EXIT.usage);
    headers.append(name, value);
  }
  const members = await readFields(options.field, options.typedField, context);
  const hasMembers = Object.keys(members).length > 0;
  const isInQuery = verb === 'GET' || verb === 'HEAD' || options.input !== undefined;
  if (isInQuery) addToQuery(url, members);
  const body =
    options.input === undefined
      ? bodyOf(hasMembers && !isInQuery ? members : undefined)
      : await readBody(context, options.input);
  if (body !== undefined && !headers.has('content-type')) headers.set('content-type', 'application/json');
  return { url, init: { method: verb, headers, ...(body === undefined ? {} : { body }) } };
}

const bodyOf = (members: FieldMembers | undefined): string | undefined =>
  members === undefined ? undefined : JSON.stringify(members);

async function readBody({ cwd, terminal }: CliContext, name: string): Promise<Uint8Array<ArrayBuffer>> {
  if (name === '-') return new Uint8Array(await terminal.readInputBytes());
  try {
    return new Uint8Array(await readFile(resolve(cwd, name)));
  } catch (error) {
    throw fileFailure(error, name) ?? error;
  }
}

async function writeAnswer(
  { terminal }: CliContext,
  hub: HubClient,
  response: Response,
  { include }: RequestOptions,
): Promise<void> {
  if (include) {
    const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`);
    terminal.write(`${[`HTTP ${response.status} ${response.statusText}`.trimEnd(), ...headers].join('\n')}\n\n`);
  }
  const isJson = /\bjson\b/i.test(response.headers.get('content-type') ?? '');
  if (response.ok || response.status < 400) {
    if (isJson) terminal.printJsonText(await response.text());
    else await writeBytes(terminal, response);
    return;
  }
  const text = await response.text();
  // A filter is for results.
  terminal.jsonFilter = undefined;
  if (isJson) terminal.printJsonText(text);
  else terminal.write(text);
  const body: unknown = isJson && text !== '' ? JSON.parse(text) : undefined;
  throw hub.refusal(response.status, isJsonObject(body) && isJsonObject(body['error']) ? body : undefined);
}

async function writeBytes(terminal: CliContext['terminal'], response: Response): Promise<void> {
  if (terminal.jsonFilter) {
    const text = await response.text();
    if (text === '') return;
    throw new CliFailure(
      `The answer is not JSON but ${response.headers.get('content-type') ?? 'of no type'}: --jq has nothing to read.`,
    );
  }
  for await (const chunk of response.body ?? []) await terminal.writeBytes(chunk);
}
