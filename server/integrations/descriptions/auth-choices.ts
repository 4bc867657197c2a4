import { absolute, type Discover, type EntryField, type OpenPoint, titleFrom } from './entry-parts.ts';
import { type DescribedOperation, listOf, objectOf, textOf } from './operations.ts';
import type { Description } from './read-description.ts';

type JsonObject = Record<string, unknown>;

/** One way to authorize, with what an entry needs for it. */
export interface AuthChoice {
  /** Names of the description's security schemes, joined by `+`. */
  name: string;
  /** For people: `API key in the header X-Api-Key`. */
  label: string;
  mode: string;
  /** Keys of the entry, such as addresses. */
  keys: JsonObject;
  headers: Record<string, string>;
  query?: Record<string, string> | undefined;
  credentials?: Record<string, EntryField> | undefined;
  /** Fields of the connection. */
  fields: Record<string, EntryField>;
  open: OpenPoint[];
  /** Why it cannot be used. */
  problem?: string | undefined;
}

interface Surroundings {
  /** Relative addresses of flows are relative to it. */
  baseUrl: string | undefined;
  discover: Discover | undefined;
}

/** Ways that work without an app at the provider come first. */
const ORDER = ['API_KEY', 'BASIC', 'OAUTH2', 'OAUTH2_CC', 'NONE'];

/** All ways of the description: those that most operations take come first. */
export async function listAuthChoices(
  description: Description,
  operations: DescribedOperation[],
  surroundings: Surroundings,
): Promise<AuthChoice[]> {
  const schemes = objectOf(objectOf(description.document['components'])['securitySchemes']);
  const general = listOf(description.document['security']).map(objectOf);
  const counts = new Map<string, number>();
  for (const { security } of operations)
    for (const requirement of security ?? general) {
      const name = Object.keys(requirement).join('+');
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  // Many descriptions name schemes and do not say where they are needed.
  if (![...counts.keys()].some((name) => name !== '')) for (const name of Object.keys(schemes)) counts.set(name, 1);
  const flows = await Promise.all(
    [...counts]
      .filter(([name]) => name !== '')
      .map(async ([name, count]) => {
        const parts = await Promise.all(
          name.split('+').map((one) => readScheme(one, description.resolve(schemes[one]), surroundings)),
        );
        return combinations(parts).map((choice) => ({ ...choice, count }));
      }),
  );
  const most = Math.max(0, ...flows.flat().map(({ count }) => count));
  const rank = ({ count, mode }: { count: number; mode: string }): number =>
    (count >= most * 0.8 ? 0 : 10) + ORDER.indexOf(mode);
  const all = flows.flat().toSorted((a, b) => rank(a) - rank(b) || b.count - a.count);
  const isOpen = counts.has('') && all.length === 0;
  return isOpen ? [choiceOf({ name: 'none', label: 'No authorization', mode: 'NONE' })] : all;
}

/** Schemes that a request needs together: the credentials of the first, further secrets as fields of the connection. */
function combinations([first, ...others]: AuthChoice[][]): AuthChoice[] {
  return (first ?? []).map((choice) => others.reduce((sum, [other]) => (other ? join(sum, other) : sum), choice));
}

function join(one: AuthChoice, other: AuthChoice): AuthChoice {
  // The mode with tokens keeps its place; keys are added to it.
  if (other.mode !== 'API_KEY' && one.mode === 'API_KEY') return join(other, one);
  const problem =
    one.problem ??
    other.problem ??
    (other.mode === 'API_KEY' ? undefined : 'Two such ways together are not supported.');
  const field = `${other.name.replaceAll(/[^a-zA-Z0-9_]+/g, '_')}`;
  const replaced = (texts: Record<string, string>): Record<string, string> =>
    Object.fromEntries(
      Object.entries(texts).map(([name, text]) => [
        name,
        text.replaceAll('${apiKey}', `\${connectionConfig.${field}}`),
      ]),
    );
  const key = other.credentials?.['apiKey'];
  return {
    ...one,
    name: `${one.name}+${other.name}`,
    label: `${one.label}, and ${other.label}`,
    headers: { ...one.headers, ...replaced(other.headers) },
    ...(one.query || other.query ? { query: { ...one.query, ...replaced(other.query ?? {}) } } : {}),
    fields: { ...one.fields, ...other.fields, ...(key ? { [field]: { ...key, title: titleFrom(other.name) } } : {}) },
    open: [...one.open, ...other.open],
    problem,
  };
}

async function readScheme(name: string, scheme: JsonObject | undefined, use: Surroundings): Promise<AuthChoice[]> {
  const type = textOf(scheme?.['type']);
  if (!scheme) return [unusable(name, 'Unknown scheme', 'The description does not define it.')];
  if (type === 'http') return [readHttp(name, scheme)];
  if (type === 'apiKey') return [readApiKey(name, scheme)];
  if (type === 'oauth2') return readFlows(name, scheme, use);
  if (type === 'openIdConnect') return [await readOpenId(name, scheme, use)];
  if (type === 'mutualTLS')
    return [unusable(name, 'Client certificate', 'Homeport sends no client certificates here.')];
  return [unusable(name, `Scheme of the type "${type.slice(0, 40)}"`, 'This type is not known.')];
}

function readHttp(name: string, scheme: JsonObject): AuthChoice {
  const kind = textOf(scheme['scheme']).toLowerCase();
  if (kind === 'basic') return choiceOf({ name, label: 'User name and password', mode: 'BASIC' });
  if (kind === 'bearer')
    return keyChoice(name, scheme, {
      label: 'Token as Authorization: Bearer',
      headers: { authorization: 'Bearer ${apiKey}' },
    });
  return unusable(name, `HTTP scheme "${kind.slice(0, 40)}"`, 'Homeport does not speak it.');
}

function readApiKey(name: string, scheme: JsonObject): AuthChoice {
  const place = textOf(scheme['in']);
  const parameter = textOf(scheme['name']);
  if (parameter === '') return unusable(name, 'API key', 'The description does not say how the parameter is called.');
  if (place === 'query')
    return keyChoice(name, scheme, {
      label: `API key as ${parameter} of the query`,
      query: { [parameter]: '${apiKey}' },
    });
  if (place === 'cookie')
    return keyChoice(name, scheme, {
      label: `API key in the cookie ${parameter}`,
      headers: { cookie: `${parameter}=\${apiKey}` },
    });
  if (place !== 'header') return unusable(name, 'API key', 'The description does not say where it goes.');
  const header = parameter.toLowerCase();
  if (!/^[a-z0-9!#$%&'*+.^_`|~-]+$/.test(header)) return unusable(name, 'API key', `"${parameter}" is no header name.`);
  const prefix = header === 'authorization' ? prefixOf(textOf(scheme['description'])) : '';
  return keyChoice(name, scheme, {
    label: `API key in the header ${parameter}`,
    headers: { [header]: `${prefix ?? ''}\${apiKey}` },
    open:
      prefix === undefined
        ? [
            {
              keyPath: 'proxy.headers.authorization',
              reason: 'It is not said whether a word such as Bearer stands before the key.',
            },
          ]
        : [],
  });
}

/** A word before the key that a description names in its text. Undefined: it names none. */
function prefixOf(text: string): string | undefined {
  const found = /\b(Bearer|Token|ApiKey|Api-Key|Bot|Basic|Key)[ :]+[`"']?[<{[$(A-Za-z]/.exec(text);
  return found ? `${found[1]} ` : undefined;
}

async function readFlows(name: string, scheme: JsonObject, use: Surroundings): Promise<AuthChoice[]> {
  const flows = objectOf(scheme['flows']);
  const known = Object.keys(flows).length;
  const choices = [
    ...(flows['authorizationCode'] ? [await codeChoice(name, objectOf(flows['authorizationCode']), use)] : []),
    ...(flows['clientCredentials'] ? [clientChoice(name, objectOf(flows['clientCredentials']), use)] : []),
  ];
  if (choices.length > 0)
    return choices.map((one, at) => (at === 0 ? one : { ...one, name: `${name}:clientCredentials` }));
  if (flows['implicit']) return [await codeChoice(name, objectOf(flows['implicit']), use)];
  if (flows['deviceAuthorization'])
    return [
      unusable(
        name,
        'OAuth 2 (device)',
        'The device flow is not part of an entry; look for the authorization address.',
      ),
    ];
  return [unusable(name, 'OAuth 2', known > 0 ? 'Only flows with a password are described.' : 'No flow is described.')];
}

async function codeChoice(name: string, flow: JsonObject, { baseUrl, discover }: Surroundings): Promise<AuthChoice> {
  const [authorize, token, refresh] = ['authorizationUrl', 'tokenUrl', 'refreshUrl'].map((key) =>
    absolute(textOf(flow[key]), baseUrl),
  );
  const scopes = Object.keys(objectOf(flow['scopes']));
  if (token || !authorize || !discover) return oauthChoice(name, { authorize, token, refresh, scopes });
  const found = await discoverServer(authorize, discover);
  return oauthChoice(name, { authorize, token: endpointOf(found, 'token_endpoint'), scopes });
}

/** What the authorization server at the origin of an address says of itself (RFC 8414, OpenID Connect). */
async function discoverServer(address: string, discover: Discover): Promise<JsonObject | undefined> {
  if (!URL.canParse(address)) return undefined;
  const { origin } = new URL(address);
  return (
    (await discover(`${origin}/.well-known/oauth-authorization-server`)) ??
    (await discover(`${origin}/.well-known/openid-configuration`))
  );
}

const endpointOf = (metadata: JsonObject | undefined, key: string): string | undefined =>
  absolute(textOf(metadata?.[key]), undefined);

function oauthChoice(
  name: string,
  found: { authorize: string | undefined; token: string | undefined; refresh?: string | undefined; scopes: string[] },
): AuthChoice {
  const { authorize, refresh, scopes, token } = found;
  const open: OpenPoint[] = [];
  if (!authorize) open.push({ keyPath: 'authorization_url', reason: 'The address of the sign-in page is not given.' });
  if (!token)
    open.push({
      keyPath: 'token_url',
      reason: 'The address for tokens is not given. Look for it in the documentation.',
    });
  if (scopes.length > 0)
    open.push({ keyPath: 'default_scopes', reason: 'Choose the scopes to ask for from available_scopes.' });
  return choiceOf({
    name,
    label: 'OAuth 2 with a sign-in page',
    mode: 'OAUTH2',
    keys: {
      ...(authorize ? { authorization_url: authorize } : {}),
      ...(token ? { token_url: token } : {}),
      ...(refresh && refresh !== token ? { refresh_url: refresh } : {}),
      ...(scopes.length > 0 ? { available_scopes: scopes } : {}),
    },
    open,
  });
}

function clientChoice(name: string, flow: JsonObject, { baseUrl }: Surroundings): AuthChoice {
  const token = absolute(textOf(flow['tokenUrl']), baseUrl);
  const scopes = Object.keys(objectOf(flow['scopes']));
  return choiceOf({
    name,
    label: 'OAuth 2 with client ID and secret',
    mode: 'OAUTH2_CC',
    keys: {
      ...(token ? { token_url: token } : {}),
      token_params: { grant_type: 'client_credentials' },
      ...(scopes.length > 0 ? { available_scopes: scopes } : {}),
    },
    open: [
      ...(token ? [] : [{ keyPath: 'token_url', reason: 'The address for tokens is not given.' }]),
      {
        keyPath: 'token_request_auth_method',
        reason: 'It is not said whether the client is named in the body (the default) or as Basic ("basic").',
      },
    ],
  });
}

async function readOpenId(name: string, scheme: JsonObject, { baseUrl, discover }: Surroundings): Promise<AuthChoice> {
  const address = absolute(textOf(scheme['openIdConnectUrl']), baseUrl);
  const found = address && discover ? await discover(address) : undefined;
  return { ...metadataChoice(name, found ?? {}), label: `OpenID Connect${address ? ` (${address})` : ''}` };
}

/** What the metadata of an authorization server gives for an entry. */
export function metadataChoice(name: string, metadata: JsonObject): AuthChoice {
  return oauthChoice(name, {
    authorize: endpointOf(metadata, 'authorization_endpoint'),
    token: endpointOf(metadata, 'token_endpoint'),
    scopes: listOf(metadata['scopes_supported']).filter((one): one is string => typeof one === 'string'),
  });
}

function keyChoice(
  name: string,
  scheme: JsonObject,
  rest: { label: string; headers?: Record<string, string>; query?: Record<string, string>; open?: OpenPoint[] },
): AuthChoice {
  const description = textOf(scheme['description']).split('\n')[0]?.slice(0, 160);
  const isToken = /token|bearer/i.test(`${name} ${rest.label}`);
  return choiceOf({
    name,
    mode: 'API_KEY',
    credentials: {
      apiKey: {
        type: 'string',
        title: isToken ? 'Token' : 'API key',
        description: description || 'From your account at the provider.',
        secret: true,
      },
    },
    ...rest,
  });
}

function unusable(name: string, label: string, problem: string): AuthChoice {
  return choiceOf({ name, label, mode: 'NONE', problem });
}

function choiceOf(given: Partial<AuthChoice> & Pick<AuthChoice, 'name' | 'label' | 'mode'>): AuthChoice {
  return { keys: {}, headers: {}, fields: {}, open: [], ...given };
}
