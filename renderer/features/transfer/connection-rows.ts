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
  { id: 'email', label: 'End user e-mail', names: ['email', 'end_user_email', 'e_mail'] },
  {
    id: 'displayName',
    label: 'End user name',
    names: ['end_user_display_name', 'display_name', 'displayname', 'end_user_name', 'full_name', 'name'],
  },
] as const;

const SAMPLE_CHARACTERS = 40;

/** The values of these columns are not shown. */
export const SECRET_TARGETS: ReadonlySet<string> = new Set<Target>([
  'accessToken',
  'refreshToken',
  'apiKey',
  'password',
  'credentials',
]);

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
  end_user?: { id: string; email?: string; display_name?: string };
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

/** The first value of a column, short enough for a line; empty when no row has one. */
export function sampleOf(rows: readonly ListedRow[], column: string): string {
  const found = rows.find((row) => row[column] !== undefined && row[column] !== null && row[column] !== '')?.[column];
  if (found === undefined) return '';
  const text = isObject(found) || Array.isArray(found) ? JSON.stringify(found) : String(found).trim();
  return text.length > SAMPLE_CHARACTERS ? `${text.slice(0, SAMPLE_CHARACTERS)}…` : text;
}

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

/** The connection of a row, in the form of the API, or every reason why there is none. */
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
  // The API's own form of a connection has one object.
  const person = raw('userId');
  const of = (target: Target, member: string): string =>
    text(target) || (isObject(person) ? String(person[member] ?? '').trim() : '');
  const email = of('email', 'email');
  const displayName = of('displayName', 'display_name');
  const problems: string[] = [];
  const mode = key === '' ? undefined : modeOf(key);
  if (key === '') problems.push('names no integration');
  else if (mode === undefined) problems.push(`there is no integration "${key}"`);
  const objects: Record<string, Record<string, unknown>> = {};
  for (const target of ['credentials', 'config', 'metadata', 'tags'] as const) {
    const object = readObject(raw(target));
    if (object === null) problems.push(`${mapping[target]} is not a JSON object`);
    else if (object) objects[target] = object;
  }
  const isGiven = readObject(raw('credentials')) !== undefined;
  const credentials = isGiven || mode === undefined ? objects['credentials'] : credentialsOf(mode, text);
  if (typeof credentials === 'string') problems.push(credentials);
  // Only what is none for certain: the hub has the exact rule.
  if (email !== '' && !/^[^\s@]+@[^\s@]+$/.test(email)) problems.push(`"${email}" is not an e-mail address`);
  if (problems.length > 0 || mode === undefined || typeof credentials === 'string')
    return { problem: problems.join('; '), name: key || id ? connectionName(key, id) : '' };
  const { config, metadata, tags } = objects;
  // An end user needs an ID, and without one the e-mail would be lost.
  const userId = of('userId', 'id') || email;
  const shownTags = {
    // Where the name of a connection without an end user is kept.
    ...(userId === '' && displayName !== '' ? { end_user_display_name: displayName } : {}),
    ...Object.fromEntries(Object.entries(tags ?? {}).map(([name, value]) => [name, String(value)])),
  };
  return {
    body: {
      provider_config_key: key,
      ...(id === '' ? {} : { connection_id: id }),
      credentials: { type: mode, ...credentials },
      ...(config ? { connection_config: config } : {}),
      ...(metadata ? { metadata } : {}),
      ...(Object.keys(shownTags).length > 0 ? { tags: shownTags } : {}),
      ...(userId === ''
        ? {}
        : {
            end_user: {
              id: userId,
              ...(email === '' ? {} : { email }),
              ...(displayName === '' ? {} : { display_name: displayName }),
            },
          }),
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
