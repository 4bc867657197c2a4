import { ArrayIsArray, JSONParse, JSONStringify, ObjectKeys, toText } from '../primordials.ts';
import type { GuestRun, Members } from './guest-run.ts';
import { TimedCache } from './timed-cache.ts';

type Connection = Record<string, unknown>;
interface Options {
  refreshToken?: boolean;
  forceRefresh?: boolean;
  refreshGithubAppJwtToken?: boolean;
}

const FLAGS = ['refreshToken', 'forceRefresh', 'refreshGithubAppJwtToken'] as const;
const CONNECTION_TTL_MS = 60_000;

/** The connection and metadata members of the context (functions.md 3.4). */
export class ConnectionMembers {
  readonly #run: GuestRun;
  readonly #cache: TimedCache<Connection>;

  constructor(run: GuestRun) {
    this.#run = run;
    this.#cache = new TimedCache({ ttlMs: CONNECTION_TTL_MS, now: run.now });
  }

  /** Clears the cache after a 401, because every cached credential may be invalid. */
  clearCache(): void {
    this.#cache.clear();
  }

  members(): Members {
    const metadata = async () => (await this.#get())['metadata'];
    const setMetadata = (value: unknown) => this.#write('metadata.set', value);
    return {
      getConnection: (key?: string, id?: string, options?: Options) => this.#get(key, id, options),
      getMetadata: metadata,
      setMetadata,
      updateMetadata: (value: unknown) => this.#write('metadata.update', value),
      setFieldMapping: setMetadata,
      getFieldMapping: async () => ((await metadata()) as Connection | null | undefined)?.['fieldMapping'] ?? {},
      getToken: async () => tokenOf((await this.#get())['credentials']),
    };
  }

  #get(key?: string, id?: string, options: Options = {}): Promise<Connection> {
    const providerConfigKey = toText(key || this.#run.context.providerConfigKey);
    const connectionId = toText(id || this.#run.context.connectionId);
    const wanted: Partial<Record<(typeof FLAGS)[number], true>> = {};
    for (let index = 0; index < FLAGS.length; index++) {
      const flag = FLAGS[index] as (typeof FLAGS)[number];
      if (options?.[flag] === true) wanted[flag] = true;
    }
    const load = () => this.#run.host.call('connection.get', { providerConfigKey, connectionId, ...wanted });
    const cacheKey = JSONStringify([providerConfigKey, connectionId]);
    if (options?.forceRefresh === true || options?.refreshGithubAppJwtToken === true)
      return this.#renew(cacheKey, load);
    return ObjectKeys(wanted).length > 0 ? load() : this.#cache.get(cacheKey, load);
  }

  /** Forgets what was read before, because its token may no longer be valid. */
  async #renew(cacheKey: string, load: () => Promise<Connection>): Promise<Connection> {
    const renewed = await load();
    this.#cache.delete(cacheKey);
    return renewed;
  }

  async #write(method: 'metadata.set' | 'metadata.update', value: unknown): Promise<Members> {
    const { providerConfigKey, connectionId } = this.#run.context;
    // A value that JSON cannot represent is refused with its own message, so that metadata is never stored in part.
    const text = JSONStringify(value);
    const metadata = (text === undefined ? undefined : JSONParse(text)) as Record<string, unknown>;
    if (typeof metadata !== 'object' || metadata === null || ArrayIsArray(metadata)) {
      throw new TypeError('Invalid metadata: it must be an object');
    }
    const data = await this.#run.host.call(method, { metadata });
    this.#cache.delete(JSONStringify([providerConfigKey, connectionId]));
    const response =
      method === 'metadata.set' ? { status: 201, statusText: 'Created' } : { status: 200, statusText: 'OK' };
    return { data, ...response, headers: {} };
  }
}

function tokenOf(credentials: unknown): unknown {
  const known = credentials as Record<string, unknown> | undefined;
  if (known?.['type'] === 'OAUTH2') return known['access_token'];
  if (known?.['type'] !== 'OAUTH1') return known;
  return { oAuthToken: known['oauth_token'], oAuthTokenSecret: known['oauth_token_secret'] };
}
