import type { GuestHttpResponse, HostMethods, WireRecord } from '../../../functions/runtime/bridge.ts';
import { readBody } from '../../lib/outbound-body.ts';
import type { OutboundHttp } from '../../lib/outbound-http.ts';
import { refusedByProvider } from '../../sandbox/refused-request.ts';
import { fetchUncontrolled } from '../../sandbox/uncontrolled-fetch.ts';
import type { HubClient } from '../hub/hub-client.ts';
import type { LocalPlace } from './local-place.ts';

type Args<M extends keyof HostMethods> = HostMethods[M]['args'];
type Result<M extends keyof HostMethods> = HostMethods[M]['result'];

export interface HubPlaceOptions {
  hub: HubClient;
  http: OutboundHttp;
  providerConfigKey: string;
  connectionId: string;
  /** Of the sync that runs; its records are stored under it. */
  variant?: string;
  /** Stands in for the connection's own (functions.md 8.2). */
  metadata?: Record<string, unknown>;
  /** Runs another sync the same way. */
  runSync(args: Args<'sync.trigger'>): Promise<void>;
}

/** Largest answer of a plain fetch. */
const BODY_LIMIT_BYTES = 100 * 1024 * 1024;

/** The surroundings of a dry run: connection, settings and stored records as a running hub has them. */
export class HubPlace implements LocalPlace {
  readonly #options: HubPlaceOptions;

  constructor(options: HubPlaceOptions) {
    this.#options = options;
  }

  async getConnection(args: Args<'connection.get'>): Promise<Record<string, unknown>> {
    const { hub, connectionId, providerConfigKey, metadata } = this.#options;
    const key = args.providerConfigKey ?? providerConfigKey;
    const id = args.connectionId ?? connectionId;
    const flags = {
      refresh_token: args.refreshToken,
      force_refresh: args.forceRefresh,
      refresh_github_app_jwt_token: args.refreshGithubAppJwtToken,
    };
    const wanted = Object.entries(flags).flatMap(([name, value]) => (value ? [[name, 'true']] : []));
    const connection = await hub.call<Record<string, unknown>>('GET', `/connections/${encodeURIComponent(id)}`, {
      query: { provider_config_key: key, ...Object.fromEntries(wanted) },
    });
    const isOwn = key === providerConfigKey && id === connectionId;
    return isOwn && metadata ? { ...connection, metadata } : connection;
  }

  setMetadata({ metadata }: Args<'metadata.set'>): Promise<Record<string, unknown>> {
    return this.#writeMetadata('POST', metadata);
  }

  updateMetadata({ metadata }: Args<'metadata.update'>): Promise<Record<string, unknown>> {
    return this.#writeMetadata('PATCH', metadata);
  }

  async getIntegration({ include }: Args<'integration.get'>): Promise<Record<string, unknown>> {
    const { hub, providerConfigKey } = this.#options;
    const query = include.map((part) => `include=${encodeURIComponent(part)}`).join('&');
    const path = `/integrations/${encodeURIComponent(providerConfigKey)}${query === '' ? '' : `?${query}`}`;
    return (await hub.call<{ data: Record<string, unknown> }>('GET', path)).data;
  }

  listVariables(): Promise<Array<{ name: string; value: string }>> {
    return this.#options.hub.call('GET', '/environment-variables');
  }

  async triggerAction(args: Args<'action.trigger'>): Promise<Result<'action.trigger'>> {
    const { status, body } = await this.#options.hub.send('POST', '/action/trigger', {
      headers: { 'provider-config-key': args.providerConfigKey, 'connection-id': args.connectionId },
      body: {
        action_name: args.actionName,
        ...(args.input === undefined ? {} : { input: JSON.parse(args.input) as unknown }),
      },
    });
    const text = JSON.stringify(body) ?? 'null';
    if (status < 400) return { output: text };
    const answer: GuestHttpResponse = { status, statusText: '', headers: {}, body: text };
    throw refusedByProvider(answer, { method: 'POST', url: '/action/trigger', headers: {} });
  }

  async triggerSync(args: Args<'sync.trigger'>): Promise<null> {
    await this.#options.runSync(args);
    return null;
  }

  async getRecordsByIds({ model, ids }: Args<'records.getByIds'>): Promise<Result<'records.getByIds'>> {
    const query = ids.map((id) => `&ids=${encodeURIComponent(id)}`).join('');
    const { records } = await this.#readRecords(`${this.#recordsPath(model)}${query}&limit=${ids.length}`);
    return { records };
  }

  async listRecords({ model, cursor, limit }: Args<'records.list'>): Promise<Result<'records.list'>> {
    const after = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    return this.#readRecords(`${this.#recordsPath(model)}&limit=${limit}${after}`);
  }

  async uncontrolledFetch(
    args: Args<'http.uncontrolledFetch'>,
    signal: AbortSignal,
  ): Promise<Result<'http.uncontrolledFetch'>> {
    const response = await fetchUncontrolled(this.#options.http, args, [], signal);
    const headers = Object.entries(response.headers).filter(([, value]) => value !== undefined);
    return {
      status: response.status,
      statusText: response.statusText,
      headers: Object.fromEntries(headers) as GuestHttpResponse['headers'],
      body: await readBody(response.body, BODY_LIMIT_BYTES),
      url: response.url.href,
    };
  }

  async #writeMetadata(method: 'POST' | 'PATCH', metadata: unknown): Promise<Record<string, unknown>> {
    const { hub, connectionId, providerConfigKey } = this.#options;
    return hub.call(method, '/connections/metadata', {
      body: { connection_id: connectionId, provider_config_key: providerConfigKey, metadata },
    });
  }

  #recordsPath(model: string): string {
    const { variant } = this.#options;
    const wanted = variant === undefined || variant === 'base' ? '' : `&variant=${encodeURIComponent(variant)}`;
    return `/records?model=${encodeURIComponent(model)}${wanted}`;
  }

  async #readRecords(path: string): Promise<{ records: WireRecord[]; nextCursor: string | null }> {
    const { hub, connectionId, providerConfigKey } = this.#options;
    const page = await hub.call<{ records: Array<Record<string, unknown>>; next_cursor: string | null }>('GET', path, {
      headers: { 'connection-id': connectionId, 'provider-config-key': providerConfigKey },
    });
    const records = page.records.map((record) => ({ id: String(record['id']), json: JSON.stringify(record) }));
    return { records, nextCursor: page.next_cursor };
  }
}
