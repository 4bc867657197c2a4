import type { ProviderEntry } from '../../catalog/entry-schema.ts';
import { splitConfig } from '../../catalog/secret-config.ts';
import { REDACTED, SecretReplacer, secretsOf } from '../../lib/secrets.ts';
import type { ProxyTarget, RedactedRequest } from './proxy-types.ts';

const ALWAYS_REDACTED = new Set(['authorization', 'proxy-authorization', 'cookie', 'set-cookie']);

/** Replaces every secret of a connection and its integration in what is shown of a request. */
export class Redactor {
  readonly #secrets: SecretReplacer;

  constructor(target: ProxyTarget, fields: ProviderEntry['connection_config']) {
    const { credentials, connectionConfig } = target.connection;
    const { clientId, clientSecret } = target.integration;
    const { secret } = splitConfig(connectionConfig, { connection_config: fields });
    this.#secrets = new SecretReplacer(secretsOf(credentials, secret, clientId, clientSecret));
  }

  text(value: string): string {
    return this.#secrets.replace(value);
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
