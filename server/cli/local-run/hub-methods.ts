import type { GuestHttpResponse, HostMethods, WireRecord } from '../../../functions/runtime/bridge.ts';
import type { LocalMethods } from '../../functions/dry-run/local-host.ts';
import { readBody } from '../../platform/lib/outbound-exchange.ts';
import type { OutboundHttp } from '../../platform/lib/outbound-http.ts';
import { refusedByProvider } from '../../platform/sandbox/refused-request.ts';
import { fetchUncontrolled } from '../../platform/sandbox/uncontrolled-fetch.ts';
import type { HubClient } from '../hub/hub-client.ts';

type Args<M extends keyof HostMethods> = HostMethods[M]['args'];

export interface HubMethodsOptions {
  hub: HubClient;
  http: OutboundHttp;
  providerConfigKey: string;
  connectionId: string;
  /** Variant of the running sync, under which its records are stored. */
  variant?: string;
  /** Replaces the connection's own metadata (functions.md 8.2). */
  metadata?: Record<string, unknown>;
  /** Runs another sync in the same way. */
  runSync(args: Args<'sync.trigger'>): Promise<void>;
}

/** Largest response of a plain fetch, in bytes. */
const BODY_LIMIT_BYTES = 100 * 1024 * 1024;

/** Host methods of a dry run that read from a running hub: connection, settings and stored records. */
export function createHubMethods(options: HubMethodsOptions): LocalMethods {
  const { hub, http, connectionId, providerConfigKey, metadata, variant } = options;
  const writeMetadata = (method: 'POST' | 'PATCH', written: unknown): Promise<Record<string, unknown>> =>
    hub.call(method, '/connections/metadata', {
      body: { connection_id: connectionId, provider_config_key: providerConfigKey, metadata: written },
    });
  const readRecords = async (model: string, query: string) => {
    const wanted = variant === undefined || variant === 'base' ? '' : `&variant=${encodeURIComponent(variant)}`;
    const page = await hub.call<{ records: Array<Record<string, unknown>>; next_cursor: string | null }>(
      'GET',
      `/records?model=${encodeURIComponent(model)}${wanted}${query}`,
      { headers: { 'connection-id': connectionId, 'provider-config-key': providerConfigKey } },
    );
    const records: WireRecord[] = page.records.map((record) => ({
      id: String(record['id']),
      json: JSON.stringify(record),
    }));
    return { records, nextCursor: page.next_cursor };
  };
  return {
    'http.uncontrolledFetch': (args, signal) => fetchPlainly(http, args, signal),
    'connection.get': async (args) => {
      const key = args.providerConfigKey ?? providerConfigKey;
      const id = args.connectionId ?? connectionId;
      const connection = await hub.call<Record<string, unknown>>('GET', `/connections/${encodeURIComponent(id)}`, {
        query: { provider_config_key: key, ...wantedFlags(args) },
      });
      const isOwn = key === providerConfigKey && id === connectionId;
      return isOwn && metadata ? { ...connection, metadata } : connection;
    },
    // Written to the hub for real (functions.md 8.2).
    'metadata.set': (args) => writeMetadata('POST', args.metadata),
    'metadata.update': (args) => writeMetadata('PATCH', args.metadata),
    'integration.get': async ({ include }) => {
      const query = include.map((part) => `include=${encodeURIComponent(part)}`).join('&');
      const path = `/integrations/${encodeURIComponent(providerConfigKey)}${query === '' ? '' : `?${query}`}`;
      return (await hub.call<{ data: Record<string, unknown> }>('GET', path)).data;
    },
    'environment.variables': () => hub.call('GET', '/environment-variables'),
    'action.trigger': (args) => triggerAction(hub, args),
    'sync.trigger': async (args) => {
      await options.runSync(args);
      return null;
    },
    'records.getByIds': async ({ model, ids }) => {
      const query = ids.map((id) => `&ids=${encodeURIComponent(id)}`).join('');
      const { records } = await readRecords(model, `${query}&limit=${ids.length}`);
      return { records };
    },
    'records.list': ({ model, cursor, limit }) =>
      readRecords(model, `&limit=${limit}${cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`}`),
  };
}

function wantedFlags(args: Args<'connection.get'>): Record<string, string> {
  const flags = {
    refresh_token: args.refreshToken,
    force_refresh: args.forceRefresh,
    refresh_github_app_jwt_token: args.refreshGithubAppJwtToken,
  };
  const wanted = Object.entries(flags).flatMap(([name, value]) => (value ? [[name, 'true']] : []));
  return Object.fromEntries(wanted) as Record<string, string>;
}

async function triggerAction(hub: HubClient, args: Args<'action.trigger'>): Promise<{ output: string }> {
  const { status, body } = await hub.send('POST', '/action/trigger', {
    headers: { 'provider-config-key': args.providerConfigKey, 'connection-id': args.connectionId },
    body: {
      action_name: args.actionName,
      ...(args.input === undefined ? {} : { input: JSON.parse(args.input) as unknown }),
    },
  });
  const text = JSON.stringify(body) ?? 'null';
  if (status < 400) return { output: text };
  const response: GuestHttpResponse = { status, statusText: '', headers: {}, body: text };
  throw refusedByProvider(response, { method: 'POST', url: '/action/trigger', headers: {} });
}

async function fetchPlainly(http: OutboundHttp, args: Args<'http.uncontrolledFetch'>, signal: AbortSignal) {
  const response = await fetchUncontrolled(http, args, [], signal);
  const headers = Object.entries(response.headers).filter(([, value]) => value !== undefined);
  return {
    status: response.status,
    statusText: response.statusText,
    headers: Object.fromEntries(headers) as GuestHttpResponse['headers'],
    body: await readBody(response.body, BODY_LIMIT_BYTES),
    url: response.url.href,
  };
}
