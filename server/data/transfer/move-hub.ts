import { isJsonObject } from '../../platform/lib/json-object.ts';
import { stableJson } from '../../platform/lib/stable-json.ts';
import { deployPayload, type SentBundle } from './deploy-payload.ts';
import type { ExportedConnection, ExportedSecrets, ExportFile } from './export-file.ts';
import { type HubCalls, whyRefused } from './hub-calls.ts';
import { exportedProviders } from './import-effects.ts';
import {
  exportedDestinationName,
  type TransferRow,
  toImportable,
  writeConnection,
  writeDestinations,
  writeIntegration,
  writeQueries,
} from './write-hub.ts';
import {
  listRecordDestinations,
  NO_DESTINATIONS,
  pausedWords,
  SECRET_ADDRESS,
  writeRecordDestinations,
} from './write-record-destinations.ts';

/** One thing of an environment, and what became of it on the other server. */
export interface MoveRow {
  kind: TransferRow['kind'] | 'records';
  name: string;
  /** `differs`: something else of this name is there and stays. In a plan the second and third are intentions. */
  state: 'there' | 'created' | 'changed' | 'differs' | 'failed';
  /** What differs, or why it cannot go. */
  detail?: string;
}

/** A compiled function with its source. */
export interface MovedFunction extends SentBundle {
  path: string;
  kind: string;
}

export interface MoveOptions {
  target: HubCalls;
  /** With all secrets in their places. */
  file: ExportFile;
  secrets: ExportedSecrets;
  functions: readonly MovedFunction[];
  programVersion: string;
  /** Says what would happen, and writes nothing. */
  isPlan: boolean;
  /** Things of the same name are replaced; otherwise they stay. */
  replaces: boolean;
  /** Moves records: before the functions, whose syncs may start at once and then find the same records. */
  moveRecords?: () => AsyncGenerator<MoveRow>;
}

type Wire = Record<string, unknown>;
type Found = Pick<MoveRow, 'state' | 'detail'>;

const PAGE = 1000;
const REPLACE = '--replace overwrites it';

/**
 * Brings an environment to another server through its public API, part by part. What is the same there already is left
 * alone, so a move that ended in the middle goes on when it is repeated, and a second one changes nothing. Rejects when
 * the server no longer answers.
 */
export async function* moveHub(options: MoveOptions): AsyncGenerator<MoveRow> {
  const { file, target } = options;
  yield* moveProviders(options);
  const { data } = await target.call<{ data: Wire[] }>('GET', '/integrations');
  const present = new Map(data.map((one) => [String(one['unique_key']), one]));
  /** Integrations on which nothing can stand: why. */
  const missing = new Map<string, string>();
  for (const integration of file.integrations) {
    const row = await moveIntegration(options, integration, present.get(integration.unique_key));
    const isOther = present.has(integration.unique_key) && !isSameProvider(integration, present);
    if (row.state === 'failed') missing.set(integration.unique_key, 'its integration is not there');
    else if (isOther) missing.set(integration.unique_key, 'the integration there is of another provider');
    yield { kind: 'integration', name: integration.unique_key, ...row };
  }
  const taken = await listConnections(target);
  for (const connection of file.connections) {
    const { connection_id: id, provider_config_key: key } = connection;
    const why = missing.get(key);
    const found = why === undefined ? await moveConnection(options, connection, taken) : failed(why);
    yield { kind: 'connection', name: `${key}/${id}`, ...found };
  }
  if (options.moveRecords) yield* options.moveRecords();
  for (const one of options.functions) {
    const why = missing.get(one.integration);
    yield {
      kind: 'function',
      name: one.path,
      ...(why === undefined ? await moveFunction(options, one) : failed(why)),
    };
  }
  yield* moveSettings(options);
  yield* moveDestinations(options);
  yield* moveQueries(options);
  yield* moveRecordDestinations(options);
}

const failed = (detail: string): Found => ({ state: 'failed', detail });
const isSameProvider = (
  { unique_key, provider }: ExportFile['integrations'][number],
  present: ReadonlyMap<string, Wire>,
) => present.get(unique_key)?.['provider'] === provider;

/** The API writes no provider entries: they are files of the other server. */
async function* moveProviders({ file, target }: MoveOptions): AsyncGenerator<MoveRow> {
  for (const name of exportedProviders(file).keys()) {
    const { status } = await target.send('GET', `/providers/${encodeURIComponent(name)}`);
    yield {
      kind: 'provider',
      name,
      ...(status === 200
        ? { state: 'there' as const }
        : failed('put its entry into providers.yaml in the functions folder of the other hub')),
    };
  }
}

async function moveIntegration(
  { target, secrets, isPlan, replaces }: MoveOptions,
  integration: ExportFile['integrations'][number],
  present: Wire | undefined,
): Promise<Found> {
  const { unique_key: key, provider } = integration;
  const sealed = secrets.integrations[key] ?? {};
  if (!present) {
    const known = await target.send('GET', `/providers/${encodeURIComponent(provider)}`);
    if (known.status === 404) return failed(`the other server has no provider ${provider}`);
  } else {
    if (present['provider'] !== provider)
      return { state: 'differs', detail: `there it is of the provider ${String(present['provider'])}` };
    const path = `/integrations/${encodeURIComponent(key)}?include=credentials`;
    const { body } = await target.send('GET', path);
    const full = { ...present, ...((body as { data?: Wire } | undefined)?.data ?? {}) };
    const { display_name, forward_webhooks } = integration;
    const differing = differences({ display_name, forward_webhooks, credentials: sealed.credentials }, full);
    if (differing.length === 0) return { state: 'there' };
    if (!replaces) return { state: 'differs', detail: `${differing.join(', ')}; ${REPLACE}` };
  }
  if (isPlan) return { state: present ? 'changed' : 'created' };
  const { outcome, detail } = await writeIntegration(target, integration, sealed, {
    name: key,
    exists: present !== undefined,
  });
  return outcome === 'failed' ? failed(String(detail)) : { state: present ? 'changed' : 'created' };
}

/** Names of the members that the other side has with another value. A member that its answers do not have is not compared. */
function differences(wanted: Wire, present: Wire): string[] {
  return Object.entries(wanted).flatMap(([name, value]) => {
    const there = present[name];
    if (value === undefined || there === undefined || there === null) return [];
    return isWithin(value, there) ? [] : [name];
  });
}

/** Whether everything of the first value is in the second: providers' steps add to a configuration. */
function isWithin(value: unknown, there: unknown): boolean {
  if (!isJsonObject(value) || !isJsonObject(there)) return stableJson(value) === stableJson(there);
  return Object.entries(value).every(([name, member]) => isWithin(member, there[name]));
}

async function moveConnection(
  { target, secrets, isPlan, replaces }: MoveOptions,
  connection: ExportedConnection,
  taken: ReadonlySet<string>,
): Promise<Found> {
  const { connection_id: id, provider_config_key: key, connection_config, metadata, tags } = connection;
  const name = `${key}/${id}`;
  const credentials = secrets.connections[key]?.[id];
  const exists = taken.has(name);
  if (exists) {
    const query = { provider_config_key: key };
    const { status, body } = await target.send('GET', `/connections/${encodeURIComponent(id)}`, { query });
    const there = status < 400 && isJsonObject(body) ? body : {};
    const differing = differences({ connection_config, metadata, tags }, there);
    if (differing.length === 0) return { state: 'there' };
    if (!replaces) return { state: 'differs', detail: `${differing.join(', ')}; ${REPLACE}` };
  } else if (credentials === undefined)
    return failed('connect it again there, its credentials are missing or cannot be renewed');
  if (credentials !== undefined && !toImportable(credentials, connection_config))
    return failed(`connect it again there, credentials of type ${String(credentials['type'])} cannot be imported`);
  if (isPlan) return { state: exists ? 'changed' : 'created' };
  const none = new Set<string>();
  const index = { integrations: none, connections: taken, destinations: none, queries: none, recordDestinations: none };
  const options = { name, index, conflict: 'replace' as const, takenNames: new Set<string>() };
  const { outcome, detail } = await writeConnection(target, connection, credentials, options);
  return outcome === 'failed' ? failed(String(detail)) : { state: exists ? 'changed' : 'created' };
}

async function listConnections(target: HubCalls): Promise<Set<string>> {
  const found = new Set<string>();
  for (let page = 0; ; page += 1) {
    const query = { limit: String(PAGE), page: String(page) };
    const { connections } = await target.call<{ connections: ExportedConnection[] }>('GET', '/connections', { query });
    for (const one of connections) found.add(`${one.provider_config_key}/${one.connection_id}`);
    if (connections.length < PAGE) return found;
  }
}

async function moveFunction(
  { target, programVersion, isPlan, replaces }: MoveOptions,
  one: MovedFunction,
): Promise<Found> {
  const path = `/integrations/${encodeURIComponent(one.integration)}/functions/${encodeURIComponent(one.name)}/code`;
  const { status, body } = await target.send('GET', path, { query: { type: one.kind } });
  const code = status === 200 && isJsonObject(body) ? body['code'] : undefined;
  if (code === one.source) return { state: 'there' };
  const payload = { ...deployPayload({ functions: [one], mode: 'single', programVersion }), source: 'standalone' };
  const exists = code !== undefined || (await isDeployed(target, payload));
  if (exists && !replaces)
    return code === undefined
      ? { state: 'there', detail: 'its code cannot be compared' }
      : { state: 'differs', detail: `its code is another; ${REPLACE}` };
  if (isPlan) return { state: exists ? 'changed' : 'created' };
  const problem = whyRefused(await target.send('POST', '/sync/deploy', { body: { ...payload, nangoYamlBody: '' } }));
  return problem === undefined ? { state: exists ? 'changed' : 'created' } : failed(problem);
}

/** Asks what a deploy would create, for a server that does not show the code of its functions. */
async function isDeployed(target: HubCalls, payload: object): Promise<boolean> {
  const { status, body } = await target.send('POST', '/sync/deploy/confirmation', { body: payload });
  if (status >= 400 || !isJsonObject(body)) return false;
  const lists = ['newSyncs', 'newActions', 'newOnEventScripts'].map((name) => body[name]);
  return lists.every((list) => Array.isArray(list) && list.length === 0);
}

const SETTINGS = '/environment/settings';

async function* moveSettings({ target, file, secrets, isPlan, replaces }: MoveOptions): AsyncGenerator<MoveRow> {
  const row = { kind: 'settings', name: 'settings' } as const;
  const wanted: Wire = { ...file.settings, variables: secrets.variables };
  const { status, body } = await target.send('GET', SETTINGS);
  const there = status < 400 && isJsonObject(body) ? (body['data'] as Wire | undefined) : undefined;
  if (!there) {
    const set = Object.entries(wanted).flatMap(([name, value]) => (isSet(value) ? [name] : []));
    if (set.length > 0)
      yield { ...row, ...failed(`the API of the other server has no settings; set there: ${set.join(', ')}`) };
    return;
  }
  const changed = Object.entries(wanted).filter(([name, value]) => stableJson(value) !== stableJson(there[name]));
  // Settings of a new environment are everywhere the same; what a person set there stays.
  const kept = replaces ? [] : changed.filter(([name]) => name !== 'variables' && isSet(there[name]));
  const wins = changed
    .filter((one) => !kept.includes(one))
    .map(([name, value]): [string, unknown] => [
      name,
      name === 'variables' && !replaces ? mergedVariables(value, there[name]) : value,
    ]);
  const news = wins.filter(([name, value]) => stableJson(value) !== stableJson(there[name]));
  if (kept.length > 0)
    yield { ...row, state: 'differs', detail: `${kept.map(([name]) => name).join(', ')}; ${REPLACE}` };
  if (news.length === 0) {
    if (kept.length === 0) yield { ...row, state: 'there' };
    return;
  }
  const names = news.map(([name]) => name).join(', ');
  const problem = isPlan
    ? undefined
    : whyRefused(await target.send('PATCH', SETTINGS, { body: Object.fromEntries(news) }));
  yield { ...row, ...(problem === undefined ? { state: 'changed', detail: names } : failed(`${names}: ${problem}`)) };
}

/** A list of the other side keeps its own values. */
function mergedVariables(mine: unknown, theirs: unknown): unknown {
  const [own, other] = [mine, theirs].map((list) => (Array.isArray(list) ? (list as Array<{ name: string }>) : []));
  const names = new Set(other?.map(({ name }) => name));
  return [...(other ?? []), ...(own ?? []).filter(({ name }) => !names.has(name))];
}

/** Whether a person has set something: neither empty nor off. */
function isSet(value: unknown): boolean {
  if (isJsonObject(value)) return Object.values(value).some(isSet);
  if (Array.isArray(value)) return value.length > 0;
  return typeof value === 'string' && value !== '';
}

async function* moveDestinations({ target, file, isPlan, replaces }: MoveOptions): AsyncGenerator<MoveRow> {
  if (file.webhook_destinations.length === 0) return;
  const { status, body } = await target.send('GET', '/environment/webhook-destinations');
  const there = status < 400 && isJsonObject(body) ? (body['data'] as Wire[]) : undefined;
  for (const one of file.webhook_destinations) {
    const row = { kind: 'destination', name: exportedDestinationName(one) } as const;
    const known = there?.find(({ name, url }) => name === one.name && url === one.url);
    const differing = known ? differences({ types: one.types, integrations: one.integrations }, known) : [];
    if (!there) yield { ...row, ...failed('the API of the other server has no destinations of webhooks') };
    else if (known && differing.length === 0) yield { ...row, state: 'there' };
    else if (known && !replaces) yield { ...row, state: 'differs', detail: `${differing.join(', ')}; ${REPLACE}` };
    else if (isPlan) yield { ...row, state: known ? 'changed' : 'created' };
    else {
      const [written] = await writeDestinations(
        { hub: target, file: { webhook_destinations: [one] }, conflict: 'replace' },
        new Map(),
      );
      yield written?.outcome === 'failed'
        ? { ...row, ...failed(String(written.detail)) }
        : { ...row, state: known ? 'changed' : 'created', detail: 'switched off; its switch is in the settings' };
    }
  }
}

async function* moveQueries({ target, file, isPlan, replaces }: MoveOptions): AsyncGenerator<MoveRow> {
  if (file.saved_queries.length === 0) return;
  const { status, body } = await target.send('GET', '/records/queries');
  const there = status < 400 && isJsonObject(body) ? (body['data'] as Wire[]) : undefined;
  for (const one of file.saved_queries) {
    const row = { kind: 'query', name: one.name } as const;
    const known = there?.find(({ name }) => String(name).toLowerCase() === one.name.toLowerCase());
    const differing = known ? differences({ sql: one.sql, params: one.params }, known) : [];
    if (!there) yield { ...row, ...failed('the API of the other server has no saved queries') };
    else if (known && differing.length === 0) yield { ...row, state: 'there' };
    else if (known && !replaces) yield { ...row, state: 'differs', detail: `${differing.join(', ')}; ${REPLACE}` };
    else {
      const queries = { hub: target, file: { saved_queries: [one] }, conflict: 'replace' as const };
      const [written] = isPlan ? [] : await writeQueries(queries, new Set());
      yield written?.outcome === 'failed'
        ? { ...row, ...failed(String(written.detail)) }
        : { ...row, state: known ? 'changed' : 'created' };
    }
  }
}

async function* moveRecordDestinations({ target, file, isPlan, replaces }: MoveOptions): AsyncGenerator<MoveRow> {
  if (file.record_destinations.length === 0) return;
  const there = await listRecordDestinations(target);
  for (const one of file.record_destinations) {
    const row = { kind: 'record-destination', name: one.name } as const;
    const known = there?.get(one.name);
    const { integrations, models, connections, kind, schema: _own, target: place, ...settings } = one;
    const filters = { integrations, models, connections };
    // A schema belongs to one destination, so another one there is as it should be.
    const differing = known ? differences({ kind, target: place, ...settings, ...filters }, { ...known }) : [];
    if (!there) yield { ...row, ...failed(NO_DESTINATIONS) };
    else if (known && differing.length === 0) yield { ...row, state: 'there' };
    else if (known && (!replaces || differing.includes('kind') || differing.includes('target')))
      yield {
        ...row,
        state: 'differs',
        detail: replaces ? differing.join(', ') : `${differing.join(', ')}; ${REPLACE}`,
      };
    else if (!known && kind === 'http') yield { ...row, ...failed(SECRET_ADDRESS) };
    else {
      const state = known ? 'changed' : 'created';
      const wanted = known ? { ...one, schema: known.schema } : one;
      const [written] = isPlan ? [] : await writeRecordDestinations(target, [wanted], 'replace');
      if (written?.outcome === 'failed') yield { ...row, ...failed(String(written.detail)) };
      else yield known ? { ...row, state } : { ...row, state, detail: pausedWords(one) };
    }
  }
}

/** What no server takes from another one: why. */
export const NOT_MOVED: ReadonlyArray<{ name: string; why: string }> = [
  { name: 'API keys', why: 'the other server has keys of its own; create one for each program' },
  { name: 'signing keys of webhooks', why: 'the other server signs with its own; give its key to your receivers' },
  { name: 'logs, runs and recordings', why: 'they tell what happened here' },
  { name: 'history of records', why: 'the other server keeps a history from the first record on' },
  { name: 'sessions and policies of agents', why: 'a person allows them at each server' },
  { name: 'snapshots and backups', why: 'their folders are on this computer' },
];
