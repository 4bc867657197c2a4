import { type FunctionKind, functionPath } from '../../../functions/compiler/function-path.ts';
import type { ProviderEntry } from '../../integrations/catalog/entry-schema.ts';
import { isJsonObject } from '../../platform/lib/json-object.ts';
import type {
  ExportedConnection,
  ExportedDestination,
  ExportedRecordDestination,
  ExportedSecrets,
  ExportFile,
} from './export-file.ts';
import type { HubCalls } from './hub-calls.ts';
import { describeWithheld, withholdSecrets } from './withheld-secrets.ts';
import { listRecordDestinations } from './write-record-destinations.ts';

type Wire = Record<string, unknown>;

/** The content of an environment from its public API. Secrets are only in `secrets`. */
export interface HubContents
  extends Pick<
    ExportFile,
    | 'settings'
    | 'integrations'
    | 'connections'
    | 'functions'
    | 'left_out'
    | 'webhook_destinations'
    | 'saved_queries'
    | 'record_destinations'
  > {
  secrets: ExportedSecrets;
}

/** Limits what is read: to integrations by their keys, or to connections and their integrations. */
export interface HubSelection {
  integrations?: readonly string[] | undefined;
  connections?: readonly ListedConnection[] | undefined;
}

const PAGE = 1000;

/** Reads an environment. Parts that the server lacks or the key may not read are empty. */
export async function readHub(hub: HubCalls, only: HubSelection = {}): Promise<HubContents> {
  // Where a person is asked belongs to the person, and whoever knows the topic can answer.
  const {
    variables = [],
    approvals: _approvals,
    ...settings
  } = (await callIfServed<{ data: Wire }>(hub, '/environment/settings'))?.data ?? {};
  const secrets: ExportedSecrets = {
    variables: variables as ExportedSecrets['variables'],
    integrations: {},
    connections: {},
    withheld: [],
  };
  const integrations = await readIntegrations(hub, secrets, chosenKeys(only));
  const keys = integrations.map(({ unique_key }) => unique_key);
  const connections = await readConnections(hub, secrets, only);
  const fields = await readFields(hub, integrations);
  const webhook_destinations = await readDestinations(hub);
  const record_destinations = await readRecordDestinations(hub);
  const contents = { settings, integrations, connections, webhook_destinations };
  const { readable, withheld } = withholdSecrets(contents, (connection) => fields.get(connection.provider_config_key));
  secrets.withheld = withheld;
  return {
    ...readable,
    left_out: [
      ...describeWithheld(readable, withheld),
      // Its API returns them to nobody, so a passphrase does not take them along either.
      ...record_destinations
        .filter(({ kind }) => kind !== 'ndjson')
        .map(({ kind, name }) => `destination ${name}: ${kind === 'http' ? 'address and token' : 'password'}`),
    ],
    record_destinations,
    functions: Object.assign({}, ...(await Promise.all(keys.map((key) => readFunctions(hub, key))))),
    saved_queries: (await callIfServed<{ data: ExportFile['saved_queries'] }>(hub, '/records/queries'))?.data ?? [],
    secrets,
  };
}

/** Keys of the selected integrations; undefined means all. */
export function chosenKeys({ integrations, connections }: HubSelection): readonly string[] | undefined {
  return connections ? [...new Set(connections.map((one) => one.provider_config_key))] : integrations;
}

async function readIntegrations(
  hub: HubCalls,
  secrets: ExportedSecrets,
  chosen: readonly string[] | undefined,
): Promise<ExportFile['integrations']> {
  const { data: all } = await hub.call<{ data: ExportFile['integrations'] }>('GET', '/integrations');
  const data = all.filter(({ unique_key }) => chosen?.includes(unique_key) ?? true);
  for (const { unique_key: key } of data) {
    const path = encodeURIComponent(key);
    const { data: full } = await hub.call<{ data: Wire }>('GET', `/integrations/${path}?include=credentials`);
    const config = await callIfServed<{ config: Wire }>(hub, `/config/${path}?include_creds=true`);
    const custom = (config?.config['custom'] ?? {}) as Wire;
    const credentials = full['credentials'] as Wire | null | undefined;
    secrets.integrations[key] = {
      ...(credentials ? { credentials: withoutNull(credentials) } : {}),
      ...(Object.keys(custom).length > 0 ? { custom } : {}),
    };
  }
  return data.map(({ unique_key, provider, display_name, forward_webhooks }) => ({
    unique_key,
    provider,
    display_name,
    forward_webhooks,
  }));
}

async function readDestinations(hub: HubCalls): Promise<ExportedDestination[]> {
  const served = await callIfServed<{ data: ExportedDestination[] }>(hub, '/environment/webhook-destinations');
  return (served?.data ?? []).map(({ name, url, types, integrations }) => ({ name, url, types, integrations }));
}

async function readRecordDestinations(hub: HubCalls): Promise<ExportedRecordDestination[]> {
  const all = [...((await listRecordDestinations(hub))?.values() ?? [])];
  return all.map(
    ({ name, kind, target, schema, tls, ca_certificate, deletions, integrations, models, connections }) => ({
      ...{ name, kind, target, schema, tls, ca_certificate, deletions, integrations, models, connections },
    }),
  );
}

type Fields = Pick<ProviderEntry, 'connection_config'>;

/** The configuration fields of each integration's provider, by the integration's key; empty for an unknown provider. */
async function readFields(hub: HubCalls, integrations: ExportFile['integrations']): Promise<Map<string, Fields>> {
  const fields = new Map<string, Fields>();
  const providers = new Map<string, Fields | undefined>();
  for (const { unique_key, provider } of integrations) {
    if (!providers.has(provider)) {
      const { status, body } = await hub.send('GET', `/providers/${encodeURIComponent(provider)}`);
      providers.set(provider, status === 200 ? (body as { data: Fields }).data : undefined);
    }
    const known = providers.get(provider);
    if (known) fields.set(unique_key, known);
  }
  return fields;
}

async function readConnections(
  hub: HubCalls,
  secrets: ExportedSecrets,
  only: HubSelection,
): Promise<ExportedConnection[]> {
  const connections: ExportedConnection[] = [];
  const chosen = chosenKeys(only);
  for await (const listed of only.connections ?? listConnections(hub)) {
    if (chosen && !chosen.includes(listed.provider_config_key)) continue;
    const { connection, credentials } = await readConnection(hub, listed);
    const ofKey = secrets.connections[listed.provider_config_key];
    if (credentials)
      secrets.connections[listed.provider_config_key] = { ...ofKey, [listed.connection_id]: credentials };
    connections.push(toExported(listed, connection));
  }
  return connections;
}

/** A connection. Without credentials when they cannot be refreshed: the refusal then contains everything else. */
async function readConnection(
  hub: HubCalls,
  { connection_id, provider_config_key }: ListedConnection,
): Promise<{ connection: Wire; credentials?: Wire }> {
  const path = `/connections/${encodeURIComponent(connection_id)}`;
  const query = { provider_config_key, refresh_token: 'true' };
  const { status, body } = await hub.send('GET', path, { query });
  const { error } = (status < 400 ? {} : (body ?? {})) as { error?: { payload?: { connection?: unknown } } };
  const refused = error?.payload?.connection;
  if (isJsonObject(refused)) return { connection: refused };
  // `call` throws the reason when the server refuses, or answers unlike this API.
  const connection = status < 400 && isJsonObject(body) ? body : await hub.call<Wire>('GET', path, { query });
  return { connection, credentials: connection['credentials'] as Wire };
}

interface ListedConnection {
  connection_id: string;
  provider_config_key: string;
}

async function* listConnections(hub: HubCalls): AsyncGenerator<ListedConnection> {
  for (let page = 0; ; page += 1) {
    const query = { limit: String(PAGE), page: String(page) };
    const { connections } = await hub.call<{ connections: ListedConnection[] }>('GET', '/connections', { query });
    yield* connections;
    if (connections.length < PAGE) return;
  }
}

function toExported({ connection_id, provider_config_key }: ListedConnection, connection: Wire): ExportedConnection {
  const endUser = connection['end_user'] as Wire | null;
  const { organization: _organization, ...person } = endUser ?? {};
  const override = connection['webhook_url_override'];
  return {
    connection_id,
    provider_config_key,
    metadata: (connection['metadata'] ?? {}) as Wire,
    connection_config: connection['connection_config'] as Wire,
    tags: connection['tags'] as Record<string, string>,
    ...(endUser ? { end_user: withoutNull(person) } : {}),
    ...(typeof override === 'string' ? { webhook_url_override: override } : {}),
  };
}

/** Sources by their path in a functions folder. */
async function readFunctions(hub: HubCalls, key: string): Promise<Record<string, string>> {
  const sources: Record<string, string> = {};
  for (let page = 0; ; page += 1) {
    const path = `/integrations/${encodeURIComponent(key)}/functions`;
    const listed = await callIfServed<{ data: Array<{ name: string; type: FunctionKind }> }>(hub, path, {
      limit: '100',
      page: String(page),
    });
    const data = listed?.data ?? [];
    for (const { name, type } of data) {
      const found = await callIfServed<{ code: string }>(hub, `${path}/${name}/code`, { type });
      if (found) sources[functionPath(key, type, name)] = found.code;
    }
    if (data.length < 100) return sources;
  }
}

function withoutNull(value: Wire): Wire {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null));
}

/** Some servers lack routes, and some keys may not call all of them. The other parts are still read. */
const NOT_SERVED: ReadonlySet<number> = new Set([403, 404, 405, 501]);

async function callIfServed<T>(
  hub: HubCalls,
  path: string,
  query: Record<string, string> = {},
): Promise<T | undefined> {
  const { status, body } = await hub.send('GET', path, { query });
  // The reference service answers an unknown route with an HTML page of its dashboard.
  if (status < 400) return isJsonObject(body) ? (body as T) : undefined;
  return NOT_SERVED.has(status) ? undefined : hub.call<T>('GET', path, { query });
}
