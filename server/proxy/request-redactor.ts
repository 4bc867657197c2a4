import type { ProviderEntry } from '../integrations/catalog/entry-schema.ts';
import { splitConfig } from '../integrations/catalog/secret-config.ts';
import { REDACTED, SecretReplacer } from '../platform/lib/secret-replacer.ts';
import { secretsOf } from '../platform/lib/secrets.ts';
import type { ProxyTarget, RedactedRequest } from './proxy-types.ts';

const ALWAYS_REDACTED = new Set(['authorization', 'proxy-authorization', 'cookie', 'set-cookie']);

/** Replaces every secret of a connection and its integration in the shown parts of a request. */
export class Redactor {
  readonly secrets: readonly string[];
  readonly #replacer: SecretReplacer;

  constructor(target: ProxyTarget, fields: ProviderEntry['connection_config']) {
    const { credentials, connectionConfig } = target.connection;
    const { clientId, clientSecret } = target.integration;
    const { secret } = splitConfig(connectionConfig, { connection_config: fields });
    this.secrets = secretsOf(credentials, secret, clientId, clientSecret);
    this.#replacer = new SecretReplacer(this.secrets);
  }

  text(value: string): string {
    return this.#replacer.replace(value);
  }

  request(request: {
    method: string;
    url: string;
    headers: Record<string, string>;
    sensitiveHeaders: string[];
  }): RedactedRequest {
    return {
      method: request.method,
      url: this.text(request.url),
      headers: this.#headers(request.headers, request.sensitiveHeaders),
    };
  }

  responseHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
    return this.#headers(headers, []);
  }

  #headers(
    headers: Record<string, string | string[] | undefined>,
    sensitive: readonly string[],
  ): Record<string, string> {
    const shown: Record<string, string> = {};
    for (const name of Object.keys(headers)) {
      const value = headers[name];
      if (value === undefined) continue;
      const isHidden = ALWAYS_REDACTED.has(name) || sensitive.includes(name);
      shown[name] = isHidden ? REDACTED : this.text(String(value));
    }
    return shown;
  }
}
