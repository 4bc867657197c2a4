import { parseCsv } from '../../lib/csv.ts';
import { readTime } from '../../lib/shown-zone.ts';

/** A row of a list before it is interpreted; JSON lists may hold objects. */
export type ListedRow = Record<string, unknown>;

/** The targets of a column. */
export const COLUMN_TARGETS = [
  {
    id: 'integration',
    label: 'Integration ID',
    names: ['integration', 'integration_id', 'provider_config_key', 'key'],
  },
  { id: 'connectionId', label: 'Connection ID', names: ['connection_id', 'connectionid', 'connection', 'id'] },
  { id: 'accessToken', label: 'Access token', names: ['access_token', 'accesstoken', 'token', 'oauth_token'] },
  { id: 'refreshToken', label: 'Refresh token', names: ['refresh_token', 'refreshtoken', 'oauth_token_secret'] },
  { id: 'expiresAt', label: 'Token expires', names: ['expires_at', 'expiresat', 'expires'] },
  { id: 'apiKey', label: 'API key', names: ['api_key', 'apikey'] },
  { id: 'username', label: 'User name', names: ['username', 'user', 'login'] },
  { id: 'password', label: 'Password', names: ['password'] },
  { id: 'credentials', label: 'Credentials (JSON)', names: ['credentials'] },
  { id: 'config', label: 'Configuration (JSON)', names: ['connection_config', 'config'] },
  { id: 'metadata', label: 'Metadata (JSON)', names: ['metadata'] },
  { id: 'tags', label: 'Tags (JSON)', names: ['tags'] },
  { id: 'userId', label: 'End user ID', names: ['end_user_id', 'user_id', 'end_user'] },
  { id: 'email', label: 'End user e-mail', names: ['email', 'end_user_email', 'e-mail'] },
] as const;

type Target = (typeof COLUMN_TARGETS)[number]['id'];
/** The column of each target. */
export type Mapping = Partial<Record<Target, string>>;

export interface ConnectionBody {
  provider_config_key: string;
  connection_id?: string;
  credentials: Record<string, unknown>;
  connection_config?: Record<string, unknown>;
  metadata?: Record<string, unknown>;
  tags?: Record<string, string>;
  end_user?: { id: string; email?: string };
}

/** `name` of a row with a problem: what it says of integration and connection; empty when it names neither. */
export type BuiltRow = { body: ConnectionBody } | { problem: string; name: string };

export const connectionName = (integrationKey: string, connectionId: string): string =>
  `${integrationKey || '(no integration)'}/${connectionId || '(a new ID)'}`;

/** The rows of a CSV or JSON file; throws an Error whose message says what is wrong with the file. */
export function readRows(name: string, text: string): ListedRow[] {
  if (!name.toLowerCase().endsWith('.json')) return parseCsv(text);
  const value: unknown = JSON.parse(text);
  const rows = Array.isArray(value) ? value : isObject(value) ? value['connections'] : undefined;
  if (!Array.isArray(rows)) throw new Error('The file contains no list of connections.');
  return rows.map((row: unknown, at) => {
    if (isObject(row)) return row;
    throw new Error(
      `Entry ${at + 1} of the list is ${kindOfValue(row)}, not an object with the members of a connection.`,
    );
  });
}

function kindOfValue(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'string' ? 'a text' : `a ${typeof value}`;
}

export const columnsOf = (rows: readonly ListedRow[]): string[] => [
  ...new Set(rows.slice(0, 100).flatMap((row) => Object.keys(row))),
];

/** Assigns columns whose names are known. */
export function guessMapping(columns: readonly string[]): Mapping {
  const mapping: Mapping = {};
  for (const { id, names } of COLUMN_TARGETS) {
    const found = names
      .map((name) =>
        columns.find(
          (column) =>
            column
              .trim()
              .toLowerCase()
              .replaceAll(/[\s-]+/g, '_') === name,
        ),
      )
      .find((column) => column !== undefined && !Object.values(mapping).includes(column));
    if (found !== undefined) mapping[id] = found;
  }
  return mapping;
}

/** The connection of a row, in the form of the API, or the reason why there is none. */
export function buildConnection(
  row: ListedRow,
  mapping: Mapping,
  { fixedIntegration, modeOf }: { fixedIntegration: string; modeOf: (integrationKey: string) => string | undefined },
): BuiltRow {
  const raw = (target: Target): unknown => {
    const column = mapping[target];
    return column === undefined ? undefined : row[column];
  };
  const text = (target: Target): string => {
    const value = raw(target);
    return value === undefined || value === null || isObject(value) ? '' : String(value).trim();
  };
  const key = fixedIntegration === '' ? text('integration') : fixedIntegration;
  const id = text('connectionId');
  const refuse = (problem: string): BuiltRow => ({ problem, name: key || id ? connectionName(key, id) : '' });
  if (key === '') return refuse('names no integration');
  const mode = modeOf(key);
  if (mode === undefined) return refuse(`there is no integration "${key}"`);
  const objects: Record<string, Record<string, unknown>> = {};
  for (const target of ['credentials', 'config', 'metadata', 'tags'] as const) {
    const object = readObject(raw(target));
    if (object === null) return refuse(`${mapping[target]} is not a JSON object`);
    if (object) objects[target] = object;
  }
  const credentials = objects['credentials'] ?? credentialsOf(mode, text);
  if (typeof credentials === 'string') return refuse(credentials);
  const { config, metadata, tags } = objects;
  const email = text('email');
  // An end user needs an ID, and without one the e-mail would be lost.
  const userId = text('userId') || email;
  return {
    body: {
      provider_config_key: key,
      ...(id === '' ? {} : { connection_id: id }),
      credentials: { type: mode, ...credentials },
      ...(config ? { connection_config: config } : {}),
      ...(metadata ? { metadata } : {}),
      ...(tags ? { tags: Object.fromEntries(Object.entries(tags).map(([name, value]) => [name, String(value)])) } : {}),
      ...(userId === '' ? {} : { end_user: { id: userId, ...(email === '' ? {} : { email }) } }),
    },
  };
}

/** A date as ISO text, in the shown zone unless it names one; digits are seconds or milliseconds since the epoch, which the hub tells apart. */
function timeOf(text: string): string | number | undefined {
  if (/^\d+(\.\d+)?$/.test(text.trim())) return Number(text);
  return readTime(text);
}

/** A text is the reason why there are none. */
function credentialsOf(mode: string, text: (target: Target) => string): Record<string, unknown> | string {
  const access = text('accessToken');
  switch (mode) {
    case 'OAUTH2': {
      if (access === '') return 'has no access token';
      const expires = text('expiresAt');
      if (expires !== '' && timeOf(expires) === undefined) return `"${expires}" is not a time`;
      return {
        access_token: access,
        ...(text('refreshToken') === '' ? {} : { refresh_token: text('refreshToken') }),
        ...(expires === '' ? { no_expiration: true } : { expires_at: timeOf(expires) }),
      };
    }
    case 'OAUTH1':
      if (access === '' || text('refreshToken') === '') return 'has no token with its secret';
      return { oauth_token: access, oauth_token_secret: text('refreshToken') };
    case 'API_KEY': {
      const apiKey = text('apiKey') || access;
      return apiKey === '' ? 'has no API key' : { api_key: apiKey };
    }
    case 'BASIC':
      return text('username') === '' && text('password') === ''
        ? 'has neither user name nor password'
        : { username: text('username'), password: text('password') };
    case 'NONE':
      return {};
    default:
      return `credentials of type ${mode} come as JSON in a column of their own`;
  }
}

/** Undefined for an empty cell, null for one that is not an object. */
function readObject(value: unknown): Record<string, unknown> | undefined | null {
  if (value === undefined || value === null || value === '') return undefined;
  if (isObject(value)) return value;
  try {
    const parsed: unknown = JSON.parse(String(value));
    return isObject(parsed) ? parsed : null;
  } catch {
    // The row shows the problem.
    return null;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
