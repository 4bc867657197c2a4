import type { ClientConfig } from 'pg';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import { DestinationError } from './destination-target.ts';
import type { PgHandle } from './pg-target.store.ts';

/** `verify` checks the certificate and the name of the server; `encrypt` checks neither. */
export type PgTls = 'off' | 'encrypt' | 'verify';

export interface PgAddress {
  host: string;
  port: number;
  user: string;
  password: string;
  database: string;
  /** What `sslmode` in the text asks for. */
  tls?: PgTls;
}

const DEFAULT_PORT = 5432;
/** Longest wait for a connection. */
const CONNECT_MS = 10_000;
/** Longest wait for the answer to a statement: a connection may be lost without a sign. */
const STATEMENT_MS = 60_000;

/** `require` checks nothing in libpq; here it does, because a setting says so when nothing should be checked. */
const SSL_MODES: Readonly<Record<string, PgTls>> = {
  disable: 'off',
  'no-verify': 'encrypt',
  require: 'verify',
  'verify-ca': 'verify',
  'verify-full': 'verify',
};

/** Those after `sslmode` are in what hosts give people to copy, and change nothing here. */
const KNOWN_PARAMETERS: ReadonlySet<string> = new Set([
  ...['host', 'sslmode', 'application_name', 'channel_binding', 'connect_timeout', 'pgbouncer'],
]);

/** Reads `postgres://user:password@host:port/database`. Throws `invalid_body`. */
export function readPgAddress(text: string): PgAddress {
  const refuse = (message: string): HomeportError =>
    new HomeportError('invalid_body', message, {
      issues: [{ code: 'custom', message, path: ['connection_string'] }],
    });
  const url = URL.parse(text.trim());
  if (!url || !/^postgres(ql)?:$/.test(url.protocol))
    throw refuse(
      'Write the connection as postgres://user:password@host:5432/database, with special characters of the password percent-encoded.',
    );
  const socket = url.searchParams.get('host');
  const others = [...url.searchParams.keys()].filter((name) => !KNOWN_PARAMETERS.has(name));
  if (others.length > 0)
    throw refuse(`The parameter ${others[0]} of the connection is not known. Encryption has a setting of its own.`);
  const sslMode = url.searchParams.get('sslmode');
  const tls = sslMode === null ? undefined : SSL_MODES[sslMode];
  if (sslMode !== null && !tls)
    throw refuse(`sslmode=${sslMode} may send records without encryption. Write disable, require or verify-full.`);
  const part = (value: string): string => {
    try {
      return decodeURIComponent(value);
    } catch {
      throw refuse('A % in the connection must be written as %25.');
    }
  };
  const host = socket ?? part(url.hostname).replace(/^\[(.*)\]$/, '$1');
  const [user, database] = [part(url.username), part(url.pathname.slice(1))];
  if (host === '') throw refuse('The connection names no host.');
  if (user === '') throw refuse('The connection names no user.');
  if (database === '') throw refuse('The connection names no database: postgres://user:password@host:5432/database');
  const address = { host, port: Number(url.port || DEFAULT_PORT), user, password: part(url.password), database };
  return tls ? { ...address, tls } : address;
}

/** The address without its password. */
export const shownPgAddress = ({ database, host, port, user }: PgAddress): string =>
  `${user}@${host.includes(':') ? `[${host}]` : host}:${port}/${database}`;

export const isLocalPg = ({ host }: PgAddress): boolean =>
  host.startsWith('/') || ['localhost', '127.0.0.1', '::1'].includes(host);

export interface PgConnection extends PgHandle {
  /** Ends it at once, whatever it does; the server rolls back. */
  destroy(): void;
  close(): Promise<void>;
}

/** Opens a connection that ends when the signal aborts. Throws a DestinationError. */
export async function connectPg(
  address: PgAddress,
  tls: { mode: PgTls; certificate: string | null },
  signal: AbortSignal,
): Promise<PgConnection> {
  signal.throwIfAborted();
  // Loaded at first use: most hubs have no such destination.
  const { default: pg } = await import('pg');
  const { tls: _mode, ...where } = address;
  const config: ClientConfig = {
    ...where,
    ssl: tls.mode === 'off' ? false : sslOf(tls),
    application_name: 'homeport',
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: STATEMENT_MS + 5000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  };
  const client = new pg.Client(config);
  // A connection that breaks between two statements fails the next one.
  client.on('error', () => {});
  const destroy = (): void => {
    // The types leave it out.
    (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
  };
  signal.addEventListener('abort', destroy, { once: true });
  const done = (): void => signal.removeEventListener('abort', destroy);
  const connection: PgConnection = {
    async query<Row>(sql: string, params: readonly unknown[] = []): Promise<Row[]> {
      try {
        return (await client.query(sql, [...params])).rows as Row[];
      } catch (error) {
        signal.throwIfAborted();
        throw pgProblem(error, address);
      }
    },
    destroy() {
      done();
      destroy();
    },
    async close() {
      done();
      await Promise.race([client.end(), new Promise((resolve) => setTimeout(resolve, 1000).unref())]);
      destroy();
    },
  };
  try {
    await client.connect();
    return connection;
  } catch (error) {
    done();
    destroy();
    signal.throwIfAborted();
    throw pgProblem(error, address);
  }
}

export const PG_LIMITS = { statementMs: STATEMENT_MS, lockMs: 15_000, idleMs: 60_000 };

const sslOf = ({ certificate, mode }: { mode: PgTls; certificate: string | null }) => ({
  rejectUnauthorized: mode === 'verify',
  ...(certificate === null ? {} : { ca: certificate }),
});

const NETWORK_REASONS: ReadonlyArray<readonly [RegExp, string]> = [
  [/ECONNREFUSED/, 'nothing listens there; check host and port, and whether the server runs'],
  [/ENOTFOUND|EAI_AGAIN/, 'no computer of this name was found'],
  [/ETIMEDOUT|timeout/i, 'it does not answer; a firewall may be in the way'],
  [/EHOSTUNREACH|ENETUNREACH/, 'there is no way to it from this computer'],
  [/ECONNRESET|terminated unexpectedly/, 'it ended the connection; is it a PostgreSQL server?'],
];

/** What a person can do about an error, by its SQLSTATE, or by the code of the network. */
function pgProblem(error: unknown, address: PgAddress): DestinationError {
  const { code = '', message } = error as Error & { code?: string };
  const where = `${address.host}:${address.port}`;
  const options = { cause: error };
  const say = (kind: DestinationError['code'], text: string) => new DestinationError(kind, text, options);
  switch (code) {
    case '28P01':
    case '28000':
      return say('destination_refused', `PostgreSQL at ${where} refuses the user ${address.user}: ${message}.`);
    case '3D000':
      return say('destination_refused', `There is no database ${address.database} at ${where}.`);
    case '42501':
      return say(
        'destination_refused',
        `The user ${address.user} may not do this: ${message}.${grantFor(message, address)}`,
      );
    case '42P01':
    case '42703':
    case '42P10':
    case '3F000':
      return say(
        'destination_changed',
        `A table was changed while records were written: ${message}. Replay the destination from the beginning to fill it again.`,
      );
    case '53100':
    case '53200':
      return say('destination_unreachable', `PostgreSQL at ${where} has no space left: ${message}.`);
  }
  if (/^(08|57P|53|40|55P)/.test(code))
    return say('destination_unreachable', `PostgreSQL at ${where} cannot do it now: ${message}.`);
  if (/^[0-9A-Z]{5}$/.test(code) && !code.startsWith('E'))
    return say('destination_failed', `PostgreSQL refuses: ${message} (${code}).`);
  if (/does not support SSL/i.test(message))
    return say(
      'destination_refused',
      `PostgreSQL at ${where} has no encryption. Switch it off if the way there is safe.`,
    );
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return say(
      'destination_refused',
      `The certificate of ${where} is for another name. Write the host as it is in the certificate, or choose encryption without a check.`,
    );
  if (/certificate|self.signed|altname|SSL|TLS/i.test(`${code} ${message}`))
    return say(
      'destination_refused',
      `The certificate of ${where} is not accepted: ${message.split(';')[0]}. Give the certificate of its authority, or choose encryption without a check.`,
    );
  if (/client password must be a string/.test(message))
    return say(
      'destination_refused',
      `PostgreSQL at ${where} wants a password, and the connection has none: postgres://${address.user}:password@…`,
    );
  const reason = NETWORK_REASONS.find(([pattern]) => pattern.test(`${code} ${message}`))?.[1];
  const shown = code === '' ? message : code;
  const why = reason === undefined ? shown : `${reason} (${shown})`;
  return say('destination_unreachable', `PostgreSQL at ${where} cannot be reached: ${why}.`);
}

/** The statement that gives the missing right, where the message names what it is missing for. */
function grantFor(message: string, { database, user }: PgAddress): string {
  const [, kind, name] = /^permission denied for (database|schema) (.+)$/.exec(message) ?? [];
  if (kind === undefined) return '';
  const what = kind === 'database' ? `CREATE ON DATABASE "${database}"` : `USAGE, CREATE ON SCHEMA "${name}"`;
  return ` Let its administrator run: GRANT ${what} TO "${user}"`;
}
