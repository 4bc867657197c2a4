import type { FieldDefinition } from '../../catalog/field-schema.ts';
import { secretPattern } from '../../lib/secret-pattern.ts';
import type { ProxyTarget, RedactedRequest } from './proxy-types.ts';

const REDACTED = '[redacted]';
const ALWAYS_REDACTED = new Set(['authorization', 'proxy-authorization', 'cookie', 'set-cookie']);

/** Members of credentials that are no secret, and would blot out ordinary words. */
const PLAIN_MEMBERS = new Set(['type', 'expires_at', 'expires_in', 'token_type', 'scope', 'region', 'service']);
/** Secret in every configuration, whatever the catalogue says. */
const SECRET_CONFIG = new Set(['userCredentials', 'jwtToken']);
/** Shorter texts cannot be told from ordinary words; inside the provider's raw answer many are such words. */
const SHORTEST_SECRET = 3;
const SHORTEST_RAW_SECRET = 12;

/** Replaces every secret of a connection and its integration in what is shown of a request. */
export class Redactor {
  readonly #secrets: Array<string | RegExp>;

  constructor(target: ProxyTarget, fields: Record<string, FieldDefinition> | undefined) {
    const { credentials, connectionConfig } = target.connection;
    const { clientId, clientSecret } = target.integration;
    const secretConfig = Object.entries(connectionConfig).filter(
      ([name]) => fields?.[name]?.secret || SECRET_CONFIG.has(name),
    );
    const found = [
      ...collect(credentials, SHORTEST_SECRET),
      ...collect(Object.fromEntries(secretConfig), SHORTEST_SECRET),
      ...collect({ clientId, clientSecret }, SHORTEST_SECRET),
    ];
    const { username, password } = credentials;
    if (credentials.type === 'BASIC')
      found.push(Buffer.from(`${String(username ?? '')}:${String(password ?? '')}`).toString('base64'));
    // Longest first: a secret that contains another is replaced whole.
    this.#secrets = [...new Set(found)].sort((a, b) => b.length - a.length).map(secretPattern);
  }

  text(value: string): string {
    return this.#secrets.reduce<string>((text, secret) => text.replaceAll(secret, REDACTED), value);
  }

  request(request: {
    method: string;
    url: string;
    headers: Record<string, string>;
    sensitiveHeaders: string[];
  }): RedactedRequest {
    const hidden = new Set([...ALWAYS_REDACTED, ...request.sensitiveHeaders]);
    return { method: request.method, url: this.text(request.url), headers: this.#headers(request.headers, hidden) };
  }

  responseHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
    const present = Object.entries(headers).flatMap(
      ([name, value]): Array<[string, string]> => (value === undefined ? [] : [[name, String(value)]]),
    );
    return this.#headers(Object.fromEntries(present), ALWAYS_REDACTED);
  }

  #headers(headers: Record<string, string>, hidden: ReadonlySet<string>): Record<string, string> {
    return Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, hidden.has(name) ? REDACTED : this.text(value)]),
    );
  }
}

function collect(value: unknown, shortest: number): string[] {
  if (typeof value === 'string') return value.length >= shortest ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, item]) =>
    PLAIN_MEMBERS.has(name) ? [] : collect(item, name === 'raw' ? SHORTEST_RAW_SECRET : shortest),
  );
}
