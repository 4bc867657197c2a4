import { isAbsolute, join, normalize, relative } from 'node:path';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { Vault } from '../platform/vault/vault.ts';
import type { ChosenRecords } from './destination-source.ts';
import type { NewRecordDestination, RecordDestinationChange } from './destinations.contract.ts';
import type { DestinationRow } from './destinations.store.ts';
import { isLocalPg, type PgTls, readPgAddress, shownPgAddress } from './pg-connection.ts';
import type { PostgresSettings } from './postgres-target.ts';

/** What is stored readable. */
export interface StoredSettings extends ChosenRecords {
  /** Where records go, for people. */
  target: string;
  postgres?: PostgresSettings;
  folder?: string;
}

/** What is sealed. */
export interface DestinationSecret {
  connectionString?: string;
  url?: string;
  token?: string | null;
}

const context = (id: string): string => `record-destination:${id}`;

export const sealSecret = (vault: Vault, id: string, secret: DestinationSecret): string =>
  vault.sealJson(secret, context(id));

export const openSecret = (vault: Vault, { id, secret }: Pick<DestinationRow, 'id' | 'secret'>): DestinationSecret =>
  vault.openJson<DestinationSecret>(secret, context(id));

export const readDestinationSettings = ({ settings }: Pick<DestinationRow, 'settings'>): StoredSettings =>
  JSON.parse(settings) as StoredSettings;

/** Splits a new destination into what is stored readable and what is sealed. Throws `invalid_body`. */
export function splitSettings(
  input: NewRecordDestination,
  home: string,
): { settings: StoredSettings; secret: DestinationSecret } {
  const filter = { integrations: input.integrations, models: input.models, connections: input.connections };
  if (input.kind === 'postgres') {
    const address = readPgAddress(input.connection_string);
    const tls = input.tls ?? address.tls ?? (isLocalPg(address) ? 'off' : 'verify');
    return {
      settings: {
        ...filter,
        target: shownPgAddress(address),
        postgres: { schema: input.schema, tls, certificate: input.ca_certificate, deletions: input.deletions },
      },
      secret: { connectionString: input.connection_string },
    };
  }
  if (input.kind === 'ndjson') {
    const folder = readFolder(input.folder, home);
    return { settings: { ...filter, target: folder, folder }, secret: {} };
  }
  const { host, protocol } = new URL(input.url);
  return {
    settings: { ...filter, target: `${protocol}//${host}` },
    secret: { url: input.url, token: input.token },
  };
}

const OF_KIND = {
  postgres: ['connection_string', 'schema', 'tls', 'ca_certificate', 'deletions'],
  ndjson: ['folder'],
  http: ['url', 'token'],
} as const;

/** The whole destination after a change. Throws `invalid_body` for a member of another kind. */
export function mergeChange(
  row: Pick<DestinationRow, 'isPaused' | 'kind' | 'name'>,
  { settings, secret }: { settings: StoredSettings; secret: DestinationSecret },
  change: RecordDestinationChange,
): NewRecordDestination {
  const others = Object.entries(OF_KIND).flatMap(([kind, members]) => (kind === row.kind ? [] : members));
  const wrong = Object.keys(change).find((member) => others.some((other) => other === member));
  if (wrong !== undefined) throw invalid(wrong, `A destination of the kind ${row.kind} has no ${wrong}.`);
  const common = {
    name: change.name ?? row.name,
    integrations: change.integrations ?? [...settings.integrations],
    models: change.models ?? [...settings.models],
    connections: change.connections ?? [...settings.connections],
    paused: row.isPaused,
  };
  const { postgres } = settings;
  if (row.kind === 'postgres' && postgres)
    return {
      ...common,
      kind: 'postgres',
      connection_string: change.connection_string ?? secret.connectionString ?? '',
      schema: change.schema ?? postgres.schema,
      ...tlsOf(change, postgres.tls),
      ca_certificate: change.ca_certificate === undefined ? postgres.certificate : change.ca_certificate,
      deletions: change.deletions ?? postgres.deletions,
    };
  if (row.kind === 'ndjson') return { ...common, kind: 'ndjson', folder: change.folder ?? settings.folder ?? '' };
  return {
    ...common,
    kind: 'http',
    url: change.url ?? secret.url ?? '',
    token: change.token === undefined ? (secret.token ?? null) : change.token,
  };
}

/** The setting of the change, or the `sslmode` of its connection, or what was set. */
function tlsOf({ connection_string: text, tls }: RecordDestinationChange, before: PgTls): { tls?: PgTls } {
  if (tls) return { tls };
  return text !== undefined && readPgAddress(text).tls ? {} : { tls: before };
}

/** The hub's own folder is not a place for files of others. */
function readFolder(text: string, home: string): string {
  if (!isAbsolute(text)) throw invalid('folder', 'Write the whole path of the folder, for example /home/me/records.');
  const folder = normalize(join(text, '.'));
  const inside = relative(home, folder);
  if (!inside.startsWith('..') && !isAbsolute(inside))
    throw invalid('folder', 'Choose a folder outside of the data folder of the hub.');
  return folder;
}

const invalid = (member: string, message: string): HomeportError =>
  new HomeportError('invalid_body', message, { issues: [{ code: 'custom', message, path: [member] }] });
