/** What stands in the log in place of a secret. */
export const REDACTED = '[redacted]';

/**
 * Names whose values never reach the log, at any depth of meta, headers, errors and query strings.
 * Case, `-`, `_`, `.` and blanks do not count: `set-cookie`, `SetCookie` and `set_cookie` are one name.
 */
// biome-ignore format: one glance per origin
export const REDACTED_KEYS: ReadonlySet<string> = new Set([
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
// biome-ignore format: one glance
const REDACTED_ENDINGS = [
  'accesstoken', 'refreshtoken', 'authtoken', 'apitoken', 'privatetoken', 'sessiontoken', 'securitytoken', 'apikey',
  'secret', 'secretkey', 'privatekey', 'password', 'passphrase',
];

const known = (name: string): boolean =>
  REDACTED_KEYS.has(name) || REDACTED_ENDINGS.some((ending) => name.endsWith(ending));

export function isRedactedKey(key: string): boolean {
  return known(key.toLowerCase().replace(/[-_.\s]/g, ''));
}
