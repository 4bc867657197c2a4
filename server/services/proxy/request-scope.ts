import type { ProviderEntry } from '../../catalog/entry-schema.ts';
import { splitConfig } from '../../catalog/secret-config.ts';
import { valueAt } from '../../catalog/template/resolve-template.ts';
import type { ProxyTarget } from './proxy-types.ts';
import type { PlannedHeader } from './request-plan.ts';

export type Lookup = (path: string) => unknown;

const CONFIG = /^connection_?[cC]onfig\.(.+)$/;
const FLAT_SCOPE_EXCLUDES = new Set(['OAUTH2', 'OAUTH2_CC', 'JWT', 'SIGNATURE']);

/** What placeholders can see, by the place they stand in (providers.md 4, column "Where"). */
export class RequestScope {
  readonly #target: ProxyTarget;
  readonly #entry: ProviderEntry;

  constructor(target: ProxyTarget, entry: ProviderEntry) {
    this.#target = target;
    this.#entry = entry;
  }

  /** Base URL and endpoint. */
  address: Lookup = (path) => {
    if (path.startsWith('metadata.')) return valueAt(this.#target.connection.metadata, path.slice('metadata.'.length));
    return this.#config(path) ?? this.#credential(path);
  };

  /** What a caller may write into an address who may not see credentials. */
  publicAddress: Lookup = (path) => {
    if (path.startsWith('metadata.')) return this.address(path);
    const name = CONFIG.exec(path)?.[1]?.split('.')[0];
    const isReadable =
      name !== undefined && Object.keys(splitConfig({ [name]: true }, this.#entry).readable).length > 0;
    return isReadable ? this.#config(path) : undefined;
  };

  query: Lookup = (path) =>
    path === 'accessToken' ? this.accessToken() : (this.#config(path) ?? this.#credential(path));

  body: Lookup = (path) => this.#config(path) ?? this.#credential(path);

  /** Header values; `facts` are the members of the request being built. */
  header(header: PlannedHeader, facts: Lookup): Lookup {
    const { type = '' } = this.#target.connection.credentials;
    if (header.mentionsConfig) return (path) => this.#config(path) ?? this.#credential(path) ?? facts(path);
    if (type === 'OAUTH2') return (path) => (path === 'accessToken' ? this.accessToken() : this.#client(path));
    if (FLAT_SCOPE_EXCLUDES.has(type)) return (path) => (path === 'accessToken' ? this.accessToken() : undefined);
    if (type === 'TWO_STEP') return (path) => this.#twoStep(path, facts);
    return (path) => this.#credential(path) ?? facts(path);
  }

  accessToken(): unknown {
    const { type, access_token: accessToken, token } = this.#target.connection.credentials;
    return type === 'OAUTH2' || type === 'APP' ? accessToken : token;
  }

  #twoStep(path: string, facts: Lookup): unknown {
    if (path === 'accessToken') return this.accessToken();
    if (path.startsWith('credentials.')) return this.#credential(path);
    return path === 'method' ? undefined : facts(path);
  }

  /** An empty value counts as absent: a form stores untouched optional fields as empty texts. */
  #config(path: string): unknown {
    const key = CONFIG.exec(path)?.[1];
    const value = key === undefined ? undefined : valueAt(this.#target.connection.connectionConfig, key);
    return value === '' ? undefined : value;
  }

  #credential(path: string): unknown {
    return valueAt(
      this.#target.connection.credentials,
      path.startsWith('credentials.') ? path.slice('credentials.'.length) : path,
    );
  }

  #client(path: string): unknown {
    if (path === 'clientId') return this.#target.integration.clientId;
    return path === 'clientSecret' ? this.#target.integration.clientSecret : undefined;
  }
}
