import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js';
import { writtenHosts } from '../../platform/lib/address-guard.ts';
import type { Clock } from '../../platform/lib/clock.ts';
import { HomeportError } from '../../platform/lib/homeport-error.ts';
import { isJsonObject } from '../../platform/lib/json-object.ts';
import { OutboundError } from '../../platform/lib/outbound-error.ts';
import { readBody } from '../../platform/lib/outbound-exchange.ts';
import type { OutboundHttp } from '../../platform/lib/outbound-http.ts';
import type { ProviderEntry } from '../catalog/entry-schema.ts';
import { metadataChoice } from './auth-choices.ts';
import { checkEntrySources, type EntryCheck } from './check-entry-sources.ts';
import { FIRST_REQUEST, findProtectedResource, findServerMetadata, readChallenge } from './mcp-discovery.ts';
import { listOf, objectOf, textOf } from './operations.ts';
import {
  confirmedByDescription,
  entryText,
  keyFrom,
  nameFrom,
  type ProposalOptions,
  type ProposedEntry,
  proposeEntry,
} from './propose-entry.ts';
import {
  type DescribedApi,
  type Description,
  type DescriptionSource,
  isDescription,
  MAX_DESCRIPTION_BYTES,
  readDescription,
} from './read-description.ts';

type JsonObject = Record<string, unknown>;
type Wanted = Pick<ProposalOptions, 'provider' | 'auth'>;

interface Fetched {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  /** After redirects. */
  url: string;
}

const TIMEOUT_MS = 30_000;
/** For one of the many requests of a check. */
const CHECK_MS = 10_000;
/** Discovery documents are small. */
const MAX_METADATA_BYTES = 1_048_576;

export type DescriptionsService = ReturnType<typeof createDescriptionsService>;

/** Proposes provider entries from API descriptions and from what MCP and authorization servers say of themselves. */
export function createDescriptionsService({
  clock,
  http,
}: {
  clock: Pick<Clock, 'now'>;
  http: Pick<OutboundHttp, 'request'>;
}) {
  const today = (): string => new Date(clock.now()).toISOString().slice(0, 10);

  /**
   * Proposes an entry; stores nothing. Throws `invalid_body` when the description cannot be used, and `url_param_err` when
   * nothing usable is at the address.
   */
  async function propose(source: DescribedApi, wanted: Wanted = {}, signal?: AbortSignal): Promise<ProposedEntry> {
    if (!('address' in source)) {
      const { file, readPart, text } = source;
      return fromText(
        { location: file, text, readPart },
        { ...wanted, today: today(), discover: (url) => discover(url, signal) },
      );
    }
    const url = requireAddress(source.address);
    const found = await fetchText(url.href, { signal });
    if (found.status < 300 && isDescription(found.text)) {
      const options = {
        ...wanted,
        today: today(),
        address: found.url,
        discover: (one: string) => discover(one, signal),
      };
      return fromText(fetchedSource(found, signal), options);
    }
    const metadata = found.status < 300 ? jsonOf(found.text) : undefined;
    if (metadata?.['authorization_endpoint'] && metadata['token_endpoint'])
      return fromMetadata(metadata, url, { ...wanted, today: today() });
    return fromMcpServer(url, found, wanted, signal);
  }

  /** The description itself. Throws as `propose`. */
  async function read(source: DescribedApi, signal?: AbortSignal): Promise<Description> {
    if (!('address' in source))
      return readDescription({ location: source.file, text: source.text, readPart: source.readPart });
    const found = await fetchText(requireAddress(source.address).href, { signal });
    requireText(found);
    return readDescription(fetchedSource(found, signal));
  }

  /** Compares an entry with its API description, by default the one it names, and with its authorization server. */
  function check(entry: ProviderEntry, given?: DescribedApi, signal?: AbortSignal): Promise<EntryCheck> {
    const json = async (address: string): Promise<JsonObject | undefined> => {
      const { status, text } = await fetchText(address, { signal, maxBytes: MAX_METADATA_BYTES, timeoutMs: CHECK_MS });
      return status < 300 ? jsonOf(text) : undefined;
    };
    return checkEntrySources(entry, given, {
      readDescription: (source) => read(source, signal),
      readMetadata: json,
      readMcpServer: async (address) => {
        const url = new URL(address);
        return findServerOf(
          url,
          await fetchText(url.href, { signal, body: FIRST_REQUEST.body, timeoutMs: CHECK_MS }),
          signal,
        );
      },
    });
  }

  function fetchedSource({ text, url }: Fetched, signal: AbortSignal | undefined): DescriptionSource {
    const { origin } = new URL(url);
    // Only files beside it: a description does not decide which other hosts of this network are asked.
    const readPart = async (location: string): Promise<string> => {
      if (new URL(location).origin !== origin) throw refuse(`It refers to another host (${location}).`);
      return requireText(await fetchText(location, { signal }));
    };
    return { location: url, text, readPart };
  }

  async function fromMcpServer(
    url: URL,
    found: Fetched,
    wanted: Wanted,
    signal: AbortSignal | undefined,
  ): Promise<ProposedEntry> {
    const answer = await fetchText(url.href, { signal, body: FIRST_REQUEST.body });
    const speaksMcp =
      answer.status === 401 || (answer.status < 300 && /"jsonrpc"\s*:\s*"2\.0"/.test(answer.text.slice(0, 65_536)));
    if (!speaksMcp)
      throw new HomeportError(
        'url_param_err',
        `Neither an API description nor an MCP server is at ${url.href}: it answered ${found.status}` +
          `${found.headers['content-type'] ? ` with ${String(found.headers['content-type']).split(';')[0]}` : ''}. ` +
          'Enter the address of the description itself, which often ends in openapi.json or openapi.yaml.',
      );
    const resource = await findResource(url, answer, signal);
    if (answer.status === 401 && !resource)
      throw new HomeportError(
        'url_param_err',
        `${url.href} asks for a sign-in and does not describe how (RFC 9728). Enter the address of its API description, or write the entry by hand.`,
      );
    const server = await findServer(issuerOf(resource) || url.origin, url, signal);
    const initialized = /"serverInfo"\s*:\s*\{[^{}]*"name"\s*:\s*"([^"]{1,80})"/.exec(answer.text)?.[1] ?? '';
    const title = textOf(resource?.['resource_name']) || initialized || hostName(url);
    const open = [
      ...(answer.status === 401
        ? []
        : [{ keyPath: 'auth_mode', reason: 'The server answers without a sign-in. Check that its tools do, too.' }]),
      ...(answer.status === 401 && !server?.['registration_endpoint']
        ? [
            {
              keyPath: 'auth_mode',
              reason:
                'The server registers no clients by itself. Register an app there, and enter it in the integration.',
            },
          ]
        : []),
    ];
    const docs = textOf(resource?.['resource_documentation']) || textOf(server?.['service_documentation']);
    const name = nameFrom(title).replace(/(?<![\s-])[\s-]*\(?MCP\)?(?:[\s-]*server)?$/i, '') || hostName(url);
    const provider = wanted.provider ?? `${keyFrom(name, url.href)}-mcp`;
    const entry = {
      display_name: `${name} (MCP)`,
      categories: ['mcp'],
      auth_mode: 'MCP_OAUTH2_GENERIC',
      ...(/^https?:\/\//.test(docs) ? { docs } : {}),
      ...confirmedByDescription(today()),
      mcp_server_url: url.href,
      proxy: { base_url: url.href },
    };
    return {
      provider,
      text: entryText(provider, entry, `what the MCP server ${url.href} says of itself`, open),
      open,
      choices: [{ name: 'oauth', label: 'The sign-in of the MCP server', isChosen: true }],
      operationCount: 0,
    };
  }

  /** What the server says of itself, as far as it is valid. */
  async function findResource(
    url: URL,
    { headers, status }: Fetched,
    signal: AbortSignal | undefined,
  ): Promise<JsonObject | undefined> {
    const header = [headers['www-authenticate'] ?? ''].flat().join(', ');
    const { resourceMetadataUrl: named } = await readChallenge(
      new Response(null, { status, headers: { 'www-authenticate': header } }),
    );
    return ifThere(findProtectedResource(libraryFetch(url, signal), url, named), signal);
  }

  async function findServerOf(
    url: URL,
    answer: Fetched,
    signal: AbortSignal | undefined,
  ): Promise<JsonObject | undefined> {
    return findServer(issuerOf(await findResource(url, answer, signal)) || url.origin, url, signal);
  }

  async function findServer(
    issuer: string,
    from: URL,
    signal: AbortSignal | undefined,
  ): Promise<JsonObject | undefined> {
    if (!URL.canParse(issuer)) return undefined;
    return ifThere(findServerMetadata(libraryFetch(from, signal), issuer), signal);
  }

  /** The library refuses what is missing or not valid: a proposal says what it could not tell. */
  function ifThere(
    found: Promise<object | undefined>,
    signal: AbortSignal | undefined,
  ): Promise<JsonObject | undefined> {
    return found.then(
      (value) => value && objectOf(value),
      () => {
        signal?.throwIfAborted();
        return undefined;
      },
    );
  }

  /** `fetch` for a library. An answer names only addresses of the internet, and of the host that the person wrote. */
  function libraryFetch(from: URL, signal: AbortSignal | undefined): FetchLike {
    return async (url) => {
      const allowedHosts = new URL(url).host === from.host ? writtenHosts(from) : [];
      const found = await fetchText(String(url), { signal, maxBytes: MAX_METADATA_BYTES, allowedHosts });
      return new Response(found.text || null, { status: found.status });
    };
  }

  /** A JSON object at an address that a description names; undefined for anything else. */
  async function discover(address: string, signal?: AbortSignal): Promise<JsonObject | undefined> {
    try {
      const { status, text } = await fetchText(address, { signal, maxBytes: MAX_METADATA_BYTES, allowedHosts: [] });
      return status < 300 ? jsonOf(text) : undefined;
    } catch (error) {
      if (error instanceof HomeportError) return undefined;
      throw error;
    }
  }

  async function fetchText(
    address: string,
    use: {
      signal: AbortSignal | undefined;
      body?: string;
      maxBytes?: number;
      allowedHosts?: string[];
      timeoutMs?: number;
    },
  ): Promise<Fetched> {
    const { allowedHosts, body, maxBytes = MAX_DESCRIPTION_BYTES, signal, timeoutMs = TIMEOUT_MS } = use;
    const limit = AbortSignal.timeout(timeoutMs);
    try {
      const response = await http.request({
        method: body === undefined ? 'GET' : 'POST',
        url: address,
        // The person wrote the address (design.md 7.4).
        allowedHosts: allowedHosts ?? writtenHosts(new URL(address)),
        headers: {
          accept:
            body === undefined
              ? 'application/json, application/yaml, text/yaml, */*;q=0.5'
              : 'application/json, text/event-stream',
          'user-agent': 'Homeport',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        body,
        signal: signal ? AbortSignal.any([signal, limit]) : limit,
      });
      const isStream = /event-stream/.test(String(response.headers['content-type'] ?? ''));
      const text = isStream
        ? await readEvent(response.body)
        : (await readBody(response.body, maxBytes)).toString('utf8');
      return { status: response.status, headers: response.headers, text, url: response.url.href };
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof OutboundError)) throw error;
      throw new HomeportError('url_param_err', `${address} cannot be read: ${error.message}`, { cause: error });
    }
  }

  return { propose, read, check };
}

async function fromText(source: DescriptionSource, options: ProposalOptions): Promise<ProposedEntry> {
  const metadata = isDescription(source.text) ? undefined : jsonOf(source.text);
  if (metadata?.['authorization_endpoint'] && metadata['token_endpoint'])
    return fromMetadata(metadata, undefined, options);
  return proposeEntry(await readDescription(source), options);
}

/** An entry from the metadata of an authorization server alone: the API itself is not in it. */
function fromMetadata(
  metadata: JsonObject,
  url: URL | undefined,
  { provider: wanted, today }: Pick<ProposalOptions, 'provider' | 'today'>,
): ProposedEntry {
  const issuer = textOf(metadata['issuer']);
  const host = URL.canParse(issuer) ? new URL(issuer) : url;
  const choice = metadataChoice('oauth', metadata);
  const provider = wanted ?? keyFrom('', host?.origin);
  const open = [
    { keyPath: 'proxy.base_url', reason: 'Metadata of an authorization server do not say where the API is.' },
    ...choice.open,
  ];
  const entry = {
    display_name: host ? hostName(host) : provider,
    auth_mode: choice.mode,
    ...confirmedByDescription(today),
    ...choice.keys,
    proxy: {},
  };
  return {
    provider,
    text: entryText(provider, entry, `the metadata of the authorization server ${issuer}`, open),
    open,
    choices: [{ name: choice.name, label: choice.label, isChosen: true }],
    operationCount: 0,
  };
}

function issuerOf(resource: JsonObject | undefined): string {
  return textOf(listOf(resource?.['authorization_servers'])[0]);
}

function requireAddress(text: string): URL {
  const address = text.trim();
  if (/^https?:\/\//i.test(address) && URL.canParse(address)) {
    const url = new URL(address);
    if (url.username === '' && url.password === '') return url;
  }
  throw new HomeportError(
    'url_param_err',
    'Enter an address that begins with https:// or http://, without a user name.',
  );
}

function requireText({ status, text, url }: Fetched): string {
  if (status < 300) return text;
  throw refuse(`${url} answered ${status}.`);
}

/** The first event of a stream that stays open. */
async function readEvent(body: AsyncIterable<Buffer> & { destroy(): void }): Promise<string> {
  let text = '';
  for await (const chunk of body) {
    text += chunk.toString('utf8');
    if (/\n\r?\n/.test(text) || text.length > MAX_METADATA_BYTES) break;
  }
  body.destroy();
  return text;
}

function jsonOf(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** `Acme` of `mcp.acme.com`. */
function hostName({ hostname }: URL): string {
  const labels = hostname.split('.').filter((one) => !/^(?:www|api|mcp|auth|login|accounts?)$/.test(one));
  const name = labels.length > 1 ? labels.at(-2) : labels[0];
  return name ? `${name[0]?.toUpperCase()}${name.slice(1)}` : hostname;
}

function refuse(reason: string): HomeportError {
  return new HomeportError('invalid_body', `The API description cannot be used. ${reason}`);
}
