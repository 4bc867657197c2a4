import { HomeportError } from '../../platform/lib/homeport-error.ts';
import type { ProviderEntry } from '../catalog/entry-schema.ts';
import { parseTemplate } from '../catalog/template/parse-template.ts';
import { resolveTemplate } from '../catalog/template/resolve-template.ts';
import { compareWithDescription, compareWithMetadata, type EntryDifference } from './compare-entry.ts';
import { textOf } from './operations.ts';
import type { DescribedApi, Description } from './read-description.ts';

type JsonObject = Record<string, unknown>;

/** An entry beside what its provider publishes. */
export interface EntryCheck {
  provider: string;
  /** Addresses or files with which the entry was compared. */
  sources: string[];
  differences: Array<EntryDifference & { source: string }>;
  /** Why something could not be read. */
  problems: string[];
}

export interface EntrySources {
  readDescription: (source: DescribedApi) => Promise<Description>;
  /** Undefined when nothing of the kind is at the address; throws a `HomeportError` when nobody answers. */
  readMetadata: (address: string) => Promise<JsonObject | undefined>;
  /** Metadata of the authorization server of an MCP server. */
  readMcpServer: (address: string) => Promise<JsonObject | undefined>;
}

/** Parts of a path that servers add to that of their issuer. */
const OAUTH_PARTS = /^(?:oauth2?|protocol|openid-connect|connect)$/i;
/** A server that does not know an address answers so. */
const MAX_PREFIXES = 4;

/** Compares an entry with its description, if it names one or one is given, and with the metadata of its server. */
export async function checkEntrySources(
  entry: ProviderEntry,
  given: DescribedApi | undefined,
  read: EntrySources,
): Promise<EntryCheck> {
  const check: EntryCheck = { provider: entry.name, sources: [], differences: [], problems: [] };
  const add = (source: string, differences: EntryDifference[]): void => {
    check.sources.push(source);
    check.differences.push(...differences.map((one) => ({ ...one, source })));
  };
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof HomeportError)) throw error;
      check.problems.push(error.message);
    }
  };
  const { api_description_url: url } = entry;
  const source = given ?? (url === undefined ? undefined : { address: url });
  if (source)
    await attempt(async () => {
      const address = 'address' in source ? source.address : undefined;
      const differences = await compareWithDescription(entry, await read.readDescription(source), address);
      add(address ?? ('file' in source ? source.file : ''), differences);
    });
  if (given) return check;
  await attempt(async () => {
    const found = await findMetadata(entry, read);
    if (found) add(found.address, compareWithMetadata(entry, found.metadata));
  });
  return check;
}

interface FoundMetadata {
  address: string;
  metadata: JsonObject;
}

async function findMetadata(entry: ProviderEntry, read: EntrySources): Promise<FoundMetadata | undefined> {
  const server = entry.mcp_server_url ?? (entry.auth_mode === 'MCP_OAUTH2' ? entry.proxy?.base_url : undefined);
  const own = filled(entry, server);
  if (own !== undefined) {
    const metadata = await read.readMcpServer(own);
    return metadata && { address: own, metadata };
  }
  return findAtAddresses(entry, read);
}

/** That which names an address of the entry; else the first one that is there. */
async function findAtAddresses(entry: ProviderEntry, read: EntrySources): Promise<FoundMetadata | undefined> {
  const { authorization_url: authorize, token_url: token } = entry;
  const addresses = [authorize, token].flatMap((one) => filled(entry, one) ?? []);
  let first: FoundMetadata | undefined;
  let problem: HomeportError | undefined;
  const silent = new Set<string>();
  for (const address of new Set(addresses.flatMap(wellKnownAddresses))) {
    const { origin } = new URL(address);
    if (silent.has(origin)) continue;
    try {
      const metadata = await read.readMetadata(address);
      if (!metadata || !isMetadata(metadata)) continue;
      const found = { address, metadata };
      const written = { ...entry, disable_pkce: undefined };
      const isOfEntry = !compareWithMetadata(written, metadata).some(({ keyPath }) =>
        /^(?:authoriz|tok).*_url$/.test(keyPath),
      );
      if (isOfEntry) return found;
      first ??= found;
    } catch (error) {
      if (!(error instanceof HomeportError)) throw error;
      // Its other addresses would wait as long.
      silent.add(origin);
      problem ??= error;
    }
  }
  if (!first && problem) throw problem;
  return first;
}

const isMetadata = (value: JsonObject): boolean =>
  textOf(value['issuer']) !== '' && textOf(value['authorization_endpoint'] ?? value['token_endpoint']) !== '';

/** Where the metadata of the issuer of an address may be (RFC 8414 3.1, OpenID Connect Discovery 4): nearest first. */
function wellKnownAddresses(address: string): string[] {
  const { origin, pathname } = new URL(address);
  const parts = pathname.split('/').filter((part) => part !== '');
  const own = parts.slice(0, -1).filter((part) => !OAUTH_PARTS.test(part));
  const prefixes = own.slice(0, MAX_PREFIXES).map((_, at) => `/${own.slice(0, at + 1).join('/')}`);
  return [...prefixes.reverse(), ''].flatMap((prefix) => [
    `${origin}${prefix}/.well-known/openid-configuration`,
    `${origin}/.well-known/oauth-authorization-server${prefix}`,
  ]);
}

/** A template with the presets of the connection's fields; undefined when a value only a connection has is missing. */
function filled(entry: ProviderEntry, template: unknown): string | undefined {
  if (typeof template !== 'string') return undefined;
  const preset = (path: string): unknown =>
    path.startsWith('connectionConfig.')
      ? entry.connection_config?.[path.slice('connectionConfig.'.length)]?.default_value
      : undefined;
  const { missing, text } = resolveTemplate(parseTemplate(template), { lookup: preset, now: 0, random: '' });
  return missing.length === 0 && /^https?:\/\//i.test(text) && URL.canParse(text) ? text : undefined;
}
