import type { ExportedConnection, ExportedDestination, ExportedSecrets, ExportFile } from './export-file.ts';
import { type HubCalls, whyRefused } from './hub-calls.ts';
import { listRecordDestinations, writeRecordDestinations } from './write-record-destinations.ts';

/** What happens to a thing that already exists in the target. */
export type ConflictRule = 'skip' | 'rename' | 'replace';

export type TransferPart = 'settings' | 'integrations' | 'connections' | 'functions';

/** The result for one imported thing. */
export interface TransferRow {
  kind:
    | 'settings'
    | 'destination'
    | 'record-destination'
    | 'query'
    | 'provider'
    | 'integration'
    | 'connection'
    | 'function';
  name: string;
  outcome: 'created' | 'replaced' | 'renamed' | 'skipped' | 'failed';
  /** Why it failed or was skipped, or its new name. */
  detail?: string | undefined;
}

/**
 * What a hub already has: keys of integrations, `key/id` of connections, names of webhook and record destinations, and
 * those of saved queries in lower case.
 */
export interface HubIndex {
  integrations: ReadonlySet<string>;
  connections: ReadonlySet<string>;
  destinations: ReadonlySet<string>;
  queries: ReadonlySet<string>;
  recordDestinations: ReadonlySet<string>;
}

export interface WriteHubOptions {
  hub: HubCalls;
  file: ExportFile;
  /** Undefined when the file has none or no passphrase was given. */
  secrets: ExportedSecrets | undefined;
  conflict: ConflictRule;
  parts: ReadonlySet<TransferPart>;
}

export interface WrittenHub {
  rows: TransferRow[];
  /** New keys of integrations that were renamed. */
  renamed: ReadonlyMap<string, string>;
}

type Wire = Record<string, unknown>;

const PAGE = 1000;

/** Writes settings, integrations and connections to a hub through its public API. */
export async function writeHub(options: WriteHubOptions): Promise<WrittenHub> {
  const { conflict, file, hub, parts, secrets } = options;
  const rows: TransferRow[] = [];
  // An export without settings has an empty list of variables, which must not be imported.
  if (parts.has('settings') && Object.keys(file.settings).length > 0) rows.push(await writeSettings(options));
  const index = await readHubIndex(hub);
  const renamed = new Map<string, string>();
  const takenKeys = new Set([...index.integrations, ...file.integrations.map(({ unique_key }) => unique_key)]);
  for (const integration of parts.has('integrations') ? file.integrations : []) {
    const key = integration.unique_key;
    const exists = index.integrations.has(key);
    const given = exists && conflict === 'rename' ? takeFreeName(key, takenKeys) : key;
    if (given !== key) renamed.set(key, given);
    rows.push(
      exists && conflict === 'skip'
        ? { kind: 'integration', name: key, outcome: 'skipped', detail: 'already exists' }
        : await writeIntegration(hub, { ...integration, unique_key: given }, secrets?.integrations[key] ?? {}, {
            name: key,
            exists: exists && given === key,
          }),
    );
  }
  // After the integrations: the filters of destinations name them by their new keys.
  if (parts.has('settings') && file.webhook_destinations.length > 0)
    rows.push(...(await writeDestinations(options, renamed)));
  if (parts.has('settings')) rows.push(...(await writeQueries(options, index.queries)));
  if (parts.has('settings'))
    rows.push(...(await writeRecordDestinations(hub, file.record_destinations, conflict, renamed)));
  const targets = file.connections.map((connection) => {
    const { connection_id: id, provider_config_key: key } = connection;
    const target = { ...connection, provider_config_key: renamed.get(key) ?? key };
    return { target, name: `${key}/${id}`, credentials: secrets?.connections[key]?.[id] };
  });
  const takenNames = new Set([...index.connections, ...targets.map(({ target }) => connectionName(target))]);
  for (const { target, name, credentials } of parts.has('connections') ? targets : [])
    rows.push(await writeConnection(hub, target, credentials, { name, index, conflict, takenNames }));
  return { rows, renamed };
}

/** What the hub already has. A part that the key may not read counts as empty. */
export async function readHubIndex(hub: HubCalls): Promise<HubIndex> {
  const integrations = await hub.send('GET', '/integrations');
  const connections = new Set<string>();
  for (let page = 0; ; page += 1) {
    const { status, body } = await hub.send('GET', '/connections', {
      query: { limit: String(PAGE), page: String(page) },
    });
    const found =
      status < 400
        ? (body as { connections: Array<Pick<ExportedConnection, 'connection_id' | 'provider_config_key'>> })
            .connections
        : [];
    for (const one of found) connections.add(connectionName(one));
    if (found.length < PAGE) break;
  }
  const listed = integrations.status < 400 ? (integrations.body as { data: Array<{ unique_key: string }> }).data : [];
  const destinations = await hub.send('GET', DESTINATIONS);
  const queries = await hub.send('GET', '/records/queries');
  return {
    integrations: new Set(listed.map(({ unique_key }) => unique_key)),
    connections,
    destinations: new Set(
      destinations.status < 400 ? servedDestinations(destinations).map(exportedDestinationName) : [],
    ),
    queries: new Set(
      queries.status < 400
        ? (queries.body as { data: Array<{ name: string }> }).data.map(({ name }) => name.toLowerCase())
        : [],
    ),
    recordDestinations: new Set((await listRecordDestinations(hub))?.keys()),
  };
}

/** The first free name of `name-2`, `name-3` and so on. Adds it to the taken names. */
function takeFreeName(name: string, taken: Set<string>): string {
  let count = 2;
  while (taken.has(`${name}-${count}`)) count += 1;
  taken.add(`${name}-${count}`);
  return `${name}-${count}`;
}

/** `<integration key>/<connection id>`. */
function connectionName({
  provider_config_key: key,
  connection_id: id,
}: Pick<ExportedConnection, 'provider_config_key' | 'connection_id'>): string {
  return `${key}/${id}`;
}

async function writeSettings({ hub, file, secrets }: WriteHubOptions): Promise<TransferRow> {
  const response = await hub.send('PATCH', '/environment/settings', {
    body: { ...file.settings, ...(secrets ? { variables: secrets.variables } : {}) },
  });
  const problem = whyRefused(response);
  const row = { kind: 'settings', name: 'settings' } as const;
  return problem === undefined ? { ...row, outcome: 'replaced' } : { ...row, outcome: 'failed', detail: problem };
}

const DESTINATIONS = '/environment/webhook-destinations';

interface ServedDestination extends Required<ExportedDestination> {
  id?: string;
  is_enabled: boolean;
}

/** Name of a destination in a report: its name, else its host, because the rest of an address may be secret. */
export function exportedDestinationName({ name, url }: Pick<ExportedDestination, 'name' | 'url'>): string {
  return name ?? (url === undefined ? 'without a name' : (URL.parse(url)?.host ?? url));
}

const servedDestinations = ({ body }: { body: unknown }): ServedDestination[] =>
  (body as { data: ServedDestination[] }).data;

/**
 * Creates destinations switched off, so that a file cannot send events anywhere before a person allows it. A
 * destination with the same name and address exists already: its filters are replaced if the rule says so, and it stays
 * switched on or off.
 */
export async function writeDestinations(
  {
    hub,
    file,
    conflict,
  }: Pick<WriteHubOptions, 'hub' | 'conflict'> & { file: Pick<ExportFile, 'webhook_destinations'> },
  renamed: ReadonlyMap<string, string>,
): Promise<TransferRow[]> {
  const present = await hub.send('GET', DESTINATIONS);
  // The current list is needed, because all destinations are written together.
  const listProblem = whyRefused(present);
  const all = listProblem === undefined ? servedDestinations(present) : [];
  const rows: TransferRow[] = [];
  for (const { name, url, types, integrations: keys } of file.webhook_destinations) {
    const row = { kind: 'destination', name: exportedDestinationName({ name, url }) } as const;
    const integrations = keys.map((key) => renamed.get(key) ?? key);
    const existing = all.find((one) => one.name === name && one.url === url);
    if (url === undefined)
      rows.push({ ...row, outcome: 'skipped', detail: 'its address is secret and not in the file' });
    else if (existing && conflict !== 'replace') rows.push({ ...row, outcome: 'skipped', detail: 'already exists' });
    else if (existing) {
      Object.assign(existing, { types, integrations });
      rows.push({ ...row, outcome: 'replaced' });
    } else {
      all.push({ name, url, types, integrations, is_enabled: false });
      rows.push({ ...row, outcome: 'created', detail: 'switched off; its switch is in the settings' });
    }
  }
  const isWritten = ({ outcome }: TransferRow): boolean => outcome === 'created' || outcome === 'replaced';
  if (!rows.some(isWritten)) return rows;
  const problem = listProblem ?? whyRefused(await hub.send('PUT', DESTINATIONS, { body: { destinations: all } }));
  if (problem === undefined) return rows;
  return rows.map((row) => (isWritten(row) ? { ...row, outcome: 'failed', detail: problem } : row));
}

/** Saved queries; one of the same name is replaced if the rule says so. */
export async function writeQueries(
  { hub, file, conflict }: Pick<WriteHubOptions, 'hub' | 'conflict'> & { file: Pick<ExportFile, 'saved_queries'> },
  taken: HubIndex['queries'],
): Promise<TransferRow[]> {
  const rows: TransferRow[] = [];
  for (const { name, sql, params } of file.saved_queries) {
    const exists = taken.has(name.toLowerCase());
    const row = { kind: 'query', name } as const;
    if (exists && conflict !== 'replace') rows.push({ ...row, outcome: 'skipped', detail: 'already exists' });
    else {
      const path = `/records/queries/${encodeURIComponent(name)}`;
      const problem = whyRefused(await hub.send('PUT', path, { body: { sql, params } }));
      rows.push(
        problem === undefined
          ? { ...row, outcome: exists ? 'replaced' : 'created' }
          : { ...row, outcome: 'failed', detail: problem },
      );
    }
  }
  return rows;
}

export async function writeIntegration(
  hub: HubCalls,
  { unique_key, ...shared }: ExportFile['integrations'][number],
  sealed: ExportedSecrets['integrations'][string],
  { name, exists }: { name: string; exists: boolean },
): Promise<TransferRow> {
  const path = `/integrations/${encodeURIComponent(unique_key)}`;
  const { provider, ...changes } = shared;
  const response = exists
    ? await hub.send('PATCH', path, { body: { ...changes, ...sealed } })
    : await hub.send('POST', '/integrations', { body: { unique_key, provider, ...changes, ...sealed } });
  const problem = whyRefused(response);
  const row = { kind: 'integration', name } as const;
  if (problem !== undefined) return { ...row, outcome: 'failed', detail: problem };
  if (unique_key !== name) return { ...row, outcome: 'renamed', detail: unique_key };
  return { ...row, outcome: exists ? 'replaced' : 'created' };
}

export async function writeConnection(
  hub: HubCalls,
  connection: ExportedConnection,
  credentials: Wire | undefined,
  options: { name: string; index: HubIndex; conflict: ConflictRule; takenNames: Set<string> },
): Promise<TransferRow> {
  const { name, index, conflict, takenNames } = options;
  const { connection_id: id, provider_config_key: key, metadata } = connection;
  const row = { kind: 'connection', name } as const;
  const exists = index.connections.has(connectionName(connection));
  if (exists && conflict === 'skip') return { ...row, outcome: 'skipped', detail: 'already exists' };
  if (credentials === undefined) {
    if (!exists || conflict === 'rename')
      return {
        ...row,
        outcome: 'failed',
        detail: 'connect it again, its credentials are missing or cannot be renewed',
      };
    // Existing metadata is merged and not replaced, because the file may lack secret members.
    const response = await hub.send('PATCH', '/connections/metadata', {
      body: { connection_id: id, provider_config_key: key, metadata },
    });
    const problem = whyRefused(response);
    return problem === undefined ? { ...row, outcome: 'replaced' } : { ...row, outcome: 'failed', detail: problem };
  }
  const importable = toImportable(credentials, connection.connection_config);
  if (!importable) {
    const detail = `connect it again, credentials of type ${String(credentials['type'])} cannot be imported`;
    return { ...row, outcome: 'failed', detail };
  }
  const given =
    exists && conflict === 'rename' ? takeFreeName(connectionName(connection), takenNames).slice(key.length + 1) : id;
  const body = { ...connection, connection_id: given, credentials: importable };
  const problem = whyRefused(await hub.send('POST', '/connections', { body }));
  if (problem !== undefined) return { ...row, outcome: 'failed', detail: problem };
  if (given !== id) return { ...row, outcome: 'renamed', detail: given };
  return { ...row, outcome: exists ? 'replaced' : 'created' };
}

type Credentials = Record<string, unknown>;

/** Members of credentials that `POST /connections` takes, by type (http-api.md 4). */
const MEMBERS: Record<string, string[]> = {
  OAUTH2: ['access_token', 'refresh_token', 'expires_at', 'raw', 'config_override'],
  OAUTH2_CC: ['token', 'client_id', 'client_secret', 'client_certificate', 'client_private_key', 'expires_at'],
  OAUTH1: ['oauth_token', 'oauth_token_secret', 'raw'],
  API_KEY: ['apiKey'],
  BASIC: ['username', 'password'],
  TBA: ['token_id', 'token_secret', 'config_override'],
  NONE: [],
};

/** Modes whose tokens are obtained again with the connection's configuration. */
const INSTALLED = ['APP', 'CUSTOM'];

/** Exported credentials in the form of an import; undefined for modes that need a new authorization. */
export function toImportable(credentials: Credentials, config: Record<string, unknown>): Credentials | undefined {
  const type = typeof credentials['type'] === 'string' ? credentials['type'] : 'NONE';
  const { app_id, installation_id } = config;
  if (INSTALLED.includes(type) && app_id && installation_id) {
    return { type, app_id: String(app_id), installation_id: String(installation_id) };
  }
  const members = MEMBERS[type];
  if (!members) return undefined;
  const kept = members.flatMap((name) =>
    credentials[name] === undefined || credentials[name] === null ? [] : [[name, credentials[name]]],
  );
  const imported: Credentials = { type, ...Object.fromEntries(kept) };
  return type === 'OAUTH2' && imported['expires_at'] === undefined ? { ...imported, no_expiration: true } : imported;
}
