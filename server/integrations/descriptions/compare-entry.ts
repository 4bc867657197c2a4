import type { ProviderDefinition } from '../catalog/entry-schema.ts';
import { parseTemplate } from '../catalog/template/parse-template.ts';
import { type AuthChoice, listAuthChoices } from './auth-choices.ts';
import { absolute } from './entry-parts.ts';
import { listOf, listOperations, objectOf, textOf } from './operations.ts';
import type { Description } from './read-description.ts';

type JsonObject = Record<string, unknown>;

/** One member in which an entry and the provider's own document are not the same. */
export interface EntryDifference {
  /** Of the entry. */
  keyPath: string;
  /** What the entry says. */
  entry: string;
  /** What the document says instead. */
  document: string;
}

/** Scopes of OpenID Connect. A server that lists only these does not list those of its API. */
const IDENTITY_SCOPES = new Set(['openid', 'profile', 'email', 'address', 'phone', 'offline_access']);
const MAX_NAMES = 8;

/** Compares an entry with the metadata of its authorization server (RFC 8414, OpenID Connect). */
export function compareWithMetadata(entry: ProviderDefinition, metadata: JsonObject): EntryDifference[] {
  const found: EntryDifference[] = [];
  for (const [keyPath, written, name] of [
    ['authorization_url', entry.authorization_url, 'authorization_endpoint'],
    ['token_url', entry.token_url, 'token_endpoint'],
    ['registration_url', entry.registration_url, 'registration_endpoint'],
    ['device_authorization_url', entry.device_authorization_url, 'device_authorization_endpoint'],
  ] as const) {
    const document = textOf(metadata[name]);
    if (typeof written === 'string' && document !== '' && !isSameAddress(written, document))
      found.push({ keyPath, entry: written, document });
  }
  const needed = { OAUTH2: 'authorization_code', OAUTH2_CC: 'client_credentials' }[String(entry.auth_mode)];
  const grants = textsOf(metadata['grant_types_supported']);
  if (needed !== undefined && grants.length > 0 && !grants.includes(needed))
    found.push({ keyPath: 'auth_mode', entry: `${entry.auth_mode} (${needed})`, document: grants.join(', ') });
  found.push(...compareClientAuthentication(entry, textsOf(metadata['token_endpoint_auth_methods_supported'])));
  const challenges = textsOf(metadata['code_challenge_methods_supported']);
  if (entry.auth_mode === 'OAUTH2' && challenges.length > 0 && challenges.includes('S256') === !!entry.disable_pkce)
    found.push({
      keyPath: 'disable_pkce',
      entry: entry.disable_pkce ? 'true' : 'false (S256)',
      document: challenges.join(', '),
    });
  const scopes = textsOf(metadata['scopes_supported']);
  const listsOwn = scopes.some((one) => !IDENTITY_SCOPES.has(one));
  return [...found, ...(listsOwn ? compareScopes(entry, scopes) : [])];
}

/** How the hub names itself at the token address, as the methods of RFC 7591. Any of them has to be accepted. */
function compareClientAuthentication(entry: ProviderDefinition, offered: string[]): EntryDifference[] {
  const { auth_mode: mode, authorization_method: inHeader, token_request_auth_method: method } = entry;
  if (offered.length === 0 || (mode !== 'OAUTH2' && mode !== 'OAUTH2_CC') || method === 'custom') return [];
  const used =
    method === 'private_key_jwt'
      ? ['private_key_jwt']
      : inHeader || (method === 'basic' && mode === 'OAUTH2_CC')
        ? ['client_secret_basic']
        : method === 'basic'
          ? ['client_secret_basic', 'client_secret_post']
          : ['client_secret_post'];
  if (entry.public_client) used.push('none');
  if (used.some((one) => offered.includes(one))) return [];
  const keyPath = inHeader ? 'authorization_method' : 'token_request_auth_method';
  return [{ keyPath, entry: used.join(' or '), document: offered.join(', ') }];
}

/** Scopes that the document does not have, and those that `available_scopes` lacks. */
function compareScopes(entry: ProviderDefinition, known: string[], isComplete = false): EntryDifference[] {
  const found: EntryDifference[] = [];
  for (const keyPath of ['default_scopes', 'available_scopes'] as const) {
    const unknown = (entry[keyPath] ?? []).filter((one) => !one.includes('${') && !known.includes(one));
    if (unknown.length > 0) found.push({ keyPath, entry: namesOf(unknown), document: 'not among its scopes' });
  }
  const { available_scopes: listed } = entry;
  const lacking = listed && isComplete ? known.filter((one) => !listed.includes(one)) : [];
  if (lacking.length > 0) found.push({ keyPath: 'available_scopes', entry: 'not listed', document: namesOf(lacking) });
  return found;
}

/** Compares an entry with an API description. `address`: where it is, for its relative addresses. */
export async function compareWithDescription(
  entry: ProviderDefinition,
  description: Description,
  address: string | undefined,
): Promise<EntryDifference[]> {
  const { document } = description;
  const servers = listOf(document['servers']).flatMap((one) => serverOf(objectOf(one), address) ?? []);
  const { base_url: base } = entry.proxy ?? {};
  const isThere = base === undefined || servers.some((one) => isBelow(base, one.globs));
  const baseUrl = servers[0]?.written ?? address;
  // Without the statements which operation takes which, every scheme is a choice.
  const choices = await listAuthChoices({ ...description, document: { ...document, security: [] } }, [], {
    baseUrl,
    discover: undefined,
  });
  return [
    ...(isThere || servers.length === 0
      ? []
      : [
          {
            keyPath: 'proxy.base_url',
            entry: base,
            document: namesOf([...new Set(servers.map(({ written }) => written))]),
          },
        ]),
    ...compareModes(entry, choices),
    ...compareFlows(entry, choices),
    ...(isThere ? compareVerification(entry, description, servers) : []),
  ];
}

interface DescribedServer {
  written: string;
  globs: Glob;
}

function serverOf({ url, variables }: JsonObject, address: string | undefined): DescribedServer | undefined {
  const written = absolute(textOf(url), address);
  if (written === undefined) return undefined;
  const values = objectOf(variables);
  const isFixed = (name: string): boolean => listOf(objectOf(values[name])['enum']).length === 1;
  // A variable with a single value is a part of the address.
  const filled = written.replaceAll(/\{([^{}]+)\}/g, (whole, name: string) =>
    isFixed(name) || /:\/\//.test(textOf(objectOf(values[name])['default']))
      ? textOf(objectOf(values[name])['default'])
      : whole,
  );
  return { written, globs: normalize(filled.split(/\{[^{}]+\}/)) };
}

function compareModes(entry: ProviderDefinition, choices: AuthChoice[]): EntryDifference[] {
  const { auth_mode: mode } = entry;
  const usable = choices.filter(({ problem }) => problem === undefined);
  if (usable.length === 0 || !COMPARED_MODES.has(mode)) return [];
  const document = namesOf(usable.map(({ label }) => label));
  const keys = usable.filter((one) => one.mode === 'API_KEY');
  // A token of OAuth is described as a bearer token, too; a key may stand in a Basic header.
  const takesBearer = keys.some(({ headers }) => /^bearer /i.test(headers['authorization'] ?? ''));
  const places = keyPlaces(entry);
  const isBasic = usable.some((one) => one.mode === 'BASIC');
  if (mode === 'OAUTH2' || mode === 'OAUTH2_CC')
    return takesBearer || usable.some((one) => one.mode === mode)
      ? []
      : [{ keyPath: 'auth_mode', entry: mode, document }];
  if (mode === 'BASIC')
    return isBasic || keys.some(({ headers }) => headers['authorization'] !== undefined)
      ? []
      : [{ keyPath: 'auth_mode', entry: mode, document }];
  if (isBasic && places.some(([name, value]) => name === 'authorization' && /^basic /i.test(value))) return [];
  if (keys.length === 0) {
    // Tokens of OAuth are often used as keys.
    const isToken = places.some(([name]) => name === 'authorization') && usable.some((one) => one.mode !== 'BASIC');
    return isToken ? [] : [{ keyPath: 'auth_mode', entry: mode, document }];
  }
  return compareKeyPlaces(places, keys);
}

/** Modes that descriptions can express. */
const COMPARED_MODES: ReadonlySet<string> = new Set(['API_KEY', 'BASIC', 'OAUTH2', 'OAUTH2_CC']);

/** Headers and parameters with the key: `['x-api-key', '${apiKey}']`. */
function keyPlaces({ proxy }: Pick<ProviderDefinition, 'proxy'>): Array<[name: string, value: string]> {
  const own = [
    ...Object.entries(proxy?.headers ?? {}).map(([name, value]) => [name.toLowerCase(), String(value)] as const),
    ...Object.entries(proxy?.query ?? {}).map(([name, value]) => [`query ${name}`, String(value)] as const),
  ].filter(([, value]) => /\$\{(?:[^}]*[^\w])?apiKey\b/.test(value));
  return own.length > 0 ? own.map(([name, value]) => [name, value]) : [['authorization', 'Bearer ${apiKey}']];
}

function compareKeyPlaces(places: Array<[string, string]>, keys: AuthChoice[]): EntryDifference[] {
  const described = keys.flatMap((one) =>
    keyPlaces({ proxy: { headers: one.headers, query: one.query ?? {} } }).map(([name, value]) => ({
      name,
      // Whether a word stands before the key is not always said.
      value: one.open.length > 0 ? undefined : value.toLowerCase(),
    })),
  );
  const matches = ([name, value]: [string, string]): boolean =>
    described.some((one) => one.name === name && (one.value === undefined || one.value === value.toLowerCase()));
  if (places.some(matches)) return [];
  const [[name = '', value = ''] = []] = places;
  return [
    {
      keyPath: name.startsWith('query ') ? `proxy.query.${name.slice(6)}` : `proxy.headers.${name}`,
      entry: value,
      document: namesOf(keys.map(({ label }) => label)),
    },
  ];
}

function compareFlows(entry: ProviderDefinition, choices: AuthChoice[]): EntryDifference[] {
  const flows = choices.filter((one) => one.mode === entry.auth_mode && /^OAUTH2/.test(one.mode));
  const found: EntryDifference[] = [];
  for (const keyPath of ['authorization_url', 'token_url', 'refresh_url'] as const) {
    const { [keyPath]: written } = entry;
    const described = flows.flatMap(({ keys }) => textOf(keys[keyPath]) || []);
    if (typeof written === 'string' && described.length > 0 && !described.some((one) => isSameAddress(written, one)))
      found.push({ keyPath, entry: written, document: namesOf([...new Set(described)]) });
  }
  const scopes = [...new Set(flows.flatMap(({ keys }) => textsOf(keys['available_scopes'])))];
  return [...found, ...(scopes.length > 0 ? compareScopes(entry, scopes, true) : [])];
}

/** Whether the request that tries credentials is described. */
function compareVerification(
  entry: ProviderDefinition,
  description: Description,
  servers: DescribedServer[],
): EntryDifference[] {
  const { base_url: base, verification } = entry.proxy ?? {};
  if (base === undefined || !verification || verification.base_url_override !== undefined) return [];
  const described = listOperations(description).flatMap(({ method, path }) =>
    servers.map(({ globs }) => ({ method, globs: joinGlobs(globs, normalize(path.split(/\{[^{}]+\}/))) })),
  );
  const method = verification.method ?? 'GET';
  const endpoints = verification.endpoints ?? [];
  const isDescribed = (endpoint: string): boolean => {
    const [path = ''] = endpoint.split('?');
    return globsOf(base).some((one) => {
      const whole = joinGlobs(one, globsOf(path)[0] ?? ['']);
      return described.some((other) => other.method === method && overlap(whole, other.globs));
    });
  };
  if (endpoints.length === 0 || described.length === 0 || endpoints.some(isDescribed)) return [];
  return [
    {
      keyPath: 'proxy.verification',
      entry: endpoints.map((one) => `${method} ${one}`).join(', '),
      document: 'not among its operations',
    },
  ];
}

/** An address in which some parts may be anything: the literal texts between these parts. */
type Glob = string[];

/** One for each alternative of a template. */
function globsOf(template: string): Glob[] {
  return parseTemplate(template).alternatives.map((parts) => {
    const glob: Glob = [''];
    for (const part of parts)
      if (typeof part === 'string') glob[glob.length - 1] += part;
      else glob.push('');
    return normalize(glob);
  });
}

/** Hosts in any case, queries and a slash at the end make no difference. */
function normalize(glob: Glob): Glob {
  const parts = glob.map((part) => part.split(/[?#]/)[0] ?? '');
  const [first = '', ...rest] = parts;
  const host = /^https?:\/\/[^/]*/i.exec(first)?.[0] ?? '';
  const whole = [host.toLowerCase() + first.slice(host.length), ...rest];
  const last = whole.at(-1) ?? '';
  return [...whole.slice(0, -1), last.endsWith('/') ? last.slice(0, -1) : last];
}

function joinGlobs(base: Glob, path: Glob): Glob {
  const [first = '', ...rest] = path;
  const joint = `${base.at(-1) ?? ''}${first.startsWith('/') || first === '' ? '' : '/'}${first}`;
  return [...base.slice(0, -1), joint, ...rest];
}

function isSameAddress(template: string, address: string): boolean {
  const other = normalize(address.split(/\{[^{}]+\}/));
  return globsOf(template).some((one) => overlap(one, other));
}

/** Whether a server is at the base address or below it: a function then writes the rest of the path. */
function isBelow(base: string, server: Glob): boolean {
  return globsOf(base).some((one) => overlap(one, server) || overlap(joinGlobs(one, ['/', '']), server));
}

/** Whether some address fits both. */
function overlap(one: Glob, other: Glob): boolean {
  return fits(one, other.join('x')) || fits(other, one.join('x'));
}

function fits(glob: Glob, text: string): boolean {
  const [first = '', ...rest] = glob;
  if (rest.length === 0) return first === text;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const [index, part] of rest.entries()) {
    const found = index === rest.length - 1 ? text.length - part.length : text.indexOf(part, at + 1);
    if (found <= at || !text.startsWith(part, found)) return false;
    at = found + part.length;
  }
  return true;
}

const textsOf = (value: unknown): string[] => listOf(value).filter((one): one is string => typeof one === 'string');

function namesOf(names: string[]): string {
  const more = names.length - MAX_NAMES;
  return `${names.slice(0, MAX_NAMES).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
