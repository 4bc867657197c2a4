import { longestFirst } from './secret-replacer.ts';

/**
 * Names whose values are secret, at any depth of logs, headers, errors and query strings. Case, `-`, `_`, `.` and
 * blanks do not count: `set-cookie`, `SetCookie` and `set_cookie` are one name.
 */
// biome-ignore format: one group of lines per origin
const REDACTED_KEYS: ReadonlySet<string> = new Set([
  // HTTP headers
  'authorization', 'proxyauthorization', 'cookie', 'setcookie', 'xapikey', 'xauthtoken', 'xcsrftoken',
  'xamzsecuritytoken', 'xgoogapikey', 'ocpapimsubscriptionkey',
  // OAuth and OpenID Connect
  'token', 'accesstoken', 'refreshtoken', 'idtoken', 'oauthtoken', 'oauthtokensecret', 'oauthverifier', 'oauthsignature',
  'clientsecret', 'clientassertion', 'assertion', 'codeverifier', 'devicecode', 'bearer', 'jwt',
  // Other credentials
  'apikey', 'apisecret', 'apitoken', 'appsecret', 'secret', 'secretkey', 'secretaccesskey', 'sharedsecret', 'sessiontoken',
  'sessionkey', 'password', 'passwd', 'pwd', 'passphrase', 'pin', 'otp', 'totp', 'privatekey', 'signingkey', 'signingsecret',
  'webhooksecret', 'masterkey', 'encryptionkey', 'credentials', 'usercredentials',
]);

/** Endings that mark prefixed names too: `X-Shopify-Access-Token`, `githubPrivateKey`, `db_password`. */
// biome-ignore format: short list
const REDACTED_ENDINGS = [
  'accesstoken', 'refreshtoken', 'authtoken', 'apitoken', 'privatetoken', 'sessiontoken', 'securitytoken', 'apikey',
  'bottoken', 'bearertoken', 'csrftoken', 'secret', 'secretkey', 'privatekey', 'password', 'passphrase',
];

const MAX_KNOWN_NAMES = 2000;
const MAX_KNOWN_NAME_LENGTH = 60;

/** Whether the value of a member with this name is secret. */
export const isRedactedKey = rememberNames(isSecretName);

/** `compute` with a cache: names of members repeat from entry to entry, so the first two thousand results are kept. */
export function rememberNames<Result extends string | boolean>(
  compute: (name: string) => Result,
): (name: string) => Result {
  const known = new Map<string, Result>();
  return (name) => {
    if (name.length > MAX_KNOWN_NAME_LENGTH) return compute(name);
    const result = known.get(name) ?? compute(name);
    if (known.size < MAX_KNOWN_NAMES) known.set(name, result);
    return result;
  };
}

function isSecretName(key: string): boolean {
  const name = key.toLowerCase().replace(/[-_.\s]/g, '');
  return REDACTED_KEYS.has(name) || REDACTED_ENDINGS.some((ending) => name.endsWith(ending));
}

/**
 * For texts in a provider's response, which is stored completely: most of them are ordinary words, but long texts without
 * a blank usually are not.
 */
const MIN_RESPONSE_SECRET_LENGTH = 12;

/** Members of credentials and responses that hold no secret and whose values are ordinary words. */
// biome-ignore format: short list
const PLAIN_MEMBERS: ReadonlySet<string> = new Set([
  'type', 'expires_at', 'expires_in', 'token_type', 'scope', 'scopes', 'grant_type', 'redirect_uri', 'client_assertion_type',
  'region', 'service', 'registeredFor', 'mcp_server_url',
]);

/** Members that hold a provider's response. */
const isResponse = (name: string): boolean => name === 'raw' || /^step\d+$/.test(name);

/**
 * Every text in the values (credentials, requests to a provider, secret configuration), at any depth, that must not
 * appear in a log, an error or a recording. This is the one definition for all of them. Longest first, without
 * duplicates; a user name with its password also as a Basic header spells them.
 */
export function secretsOf(...values: unknown[]): string[] {
  return longestFirst(values.flatMap((value) => collect(value, '', false)));
}

/**
 * As `secretsOf`, for results that somebody goes on with: without user names that have a password, and of a response only
 * what its name calls a secret. An address of an account in a response is needed as it is.
 */
export function exactSecretsOf(...values: unknown[]): string[] {
  return longestFirst(values.flatMap((value) => collect(value, '', false, true)));
}

function collect(value: unknown, name: string, isInResponse: boolean, isExact = false): string[] {
  if (typeof value === 'string')
    return !isInResponse || isRedactedKey(name) || (!isExact && looksSecret(value)) ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item) => collect(item, name, isInResponse, isExact));
  const { username, password = '' } = value as { username?: unknown; password?: unknown };
  const isPlain = (key: string): boolean =>
    PLAIN_MEMBERS.has(key) || (isExact && key === 'username' && password !== '');
  const members = Object.entries(value).flatMap(([key, member]) =>
    isPlain(key) ? [] : collect(member, key, isInResponse || isResponse(key), isExact),
  );
  return typeof username === 'string' && typeof password === 'string'
    ? [...members, Buffer.from(`${username}:${password}`).toString('base64')]
    : members;
}

function looksSecret(text: string): boolean {
  return text.length >= MIN_RESPONSE_SECRET_LENGTH && !/\s/.test(text);
}

/** Query parameters that carry a secret although their name is harmless elsewhere. */
const SECRET_PARAMETERS = /^(?:key|sig|signature|auth|code|hash|access_?key|api_?id)$/i;
const SCHEME = /[a-z][\w+.-]{0,39}$/i;
const MAX_SCHEME_LENGTH = 40;
/** An address that is longer is looked at in parts. Without a limit an expression fails for a text of 8 MB. */
const AFTER_SCHEME = /:\/\/[^\s"'<>]{1,100000}/y;
/**
 * Webhook addresses of many services are secret because of a part of their path: a UUID, or a long mix of letters and
 * digits. The search for the mix begins only where a word begins: inside of a long word it would read the rest each time.
 */
const TOKEN_LIKE = /(?<![a-z\d])(?=[a-z]*\d)(?=\d*[a-z])[a-z\d]{16}|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/i;

/**
 * Whether a text contains an address with a user, a password, a token or a key. With `isWebhook` a part of the path
 * that cannot be guessed counts too, because everyone who knows such an address can send to it.
 */
export function hasSecretAddress(text: string, { isWebhook = false } = {}): boolean {
  return addressesIn(text).some((found) => {
    const url = URL.parse(found);
    if (!url) return /\/\/[^/]*@/.test(found);
    const parameters = [...url.searchParams, ...new URLSearchParams(url.hash.slice(1))];
    return (
      url.username !== '' ||
      url.password !== '' ||
      parameters.some(([name]) => isRedactedKey(name) || SECRET_PARAMETERS.test(name)) ||
      (isWebhook && TOKEN_LIKE.test(url.pathname + url.search))
    );
  });
}

/** Looks backwards from each `://`, so that a long word without one is read once. */
function addressesIn(text: string): string[] {
  const found: string[] = [];
  let end = 0;
  for (let at = text.indexOf('://'); at >= 0; at = text.indexOf('://', Math.max(end, at + 1))) {
    const scheme = SCHEME.exec(text.slice(Math.max(end, at - MAX_SCHEME_LENGTH), at));
    if (!scheme) continue;
    AFTER_SCHEME.lastIndex = at;
    const rest = AFTER_SCHEME.exec(text);
    if (!rest) continue;
    found.push(scheme[0] + rest[0]);
    end = at + rest[0].length;
  }
  return found;
}
