import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { chown, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import type { CertificatePair } from './self-signed.ts';
import { waitFor } from './wait-for.ts';

const run = promisify(execFile);
const INSTALLED = '/usr/lib/postgresql';
/** PostgreSQL refuses to run as root. */
const NOBODY = 65_534;

/** A real PostgreSQL in a folder of its own, with the user `hub`, who needs no password, and the database `data`. */
export interface Postgres {
  readonly port: number;
  /** `postgres://hub@127.0.0.1:…/data` */
  readonly url: string;
  query<Row = Record<string, unknown>>(sql: string, params?: unknown[]): Promise<Row[]>;
  /** Ends it at once, as a crash does: what was not committed is lost. */
  crash(): Promise<void>;
  /** The end of what it wrote. */
  output(): string;
  /** Starts it again on its data and port. */
  start(): Promise<void>;
  /** Ends it and removes its data. */
  stop(): Promise<void>;
}

/** `settings`: of `postgresql.conf`. With a certificate it also takes encrypted connections. */
export async function startPostgres(
  settings: Record<string, string> = {},
  certificate?: CertificatePair,
): Promise<Postgres> {
  const bin = await findPrograms();
  const folder = await mkdtemp(join(tmpdir(), 'homeport-postgres-'));
  const isRoot = userInfo().uid === 0;
  if (isRoot) await chown(folder, NOBODY, NOBODY);
  const asUser = (program: string, parts: string[]): [string, string[]] =>
    isRoot
      ? ['setpriv', [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', join(bin, program), ...parts]]
      : [join(bin, program), parts];
  const data = join(folder, 'data');
  await run(...asUser('initdb', ['-D', data, '-U', 'hub', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync']), {
    cwd: folder,
  });
  const tls: Record<string, string> = certificate ? { ssl: 'on' } : {};
  for (const [name, text] of Object.entries(certificate ?? {})) {
    const file = join(folder, `${name}.pem`);
    await writeFile(file, text, { mode: 0o600 });
    if (isRoot) await chown(file, NOBODY, NOBODY);
    tls[`ssl_${name}_file`] = file;
  }
  const port = await freePort();
  let child: ChildProcess | undefined;
  let output = '';

  async function start(): Promise<void> {
    const own = { fsync: 'off', listen_addresses: '127.0.0.1', port: String(port), unix_socket_directories: folder };
    const parts = Object.entries({ ...own, ...tls, ...settings }).flatMap(([name, value]) => [
      '-c',
      `${name}=${value}`,
    ]);
    const started = spawn(...asUser('postgres', ['-D', data, ...parts]), {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [started.stdout, started.stderr])
      stream?.on('data', (chunk: Buffer) => {
        output = (output + chunk.toString()).slice(-5000);
      });
    child = started;
    await waitFor(
      async () => {
        if (started.exitCode !== null) throw new Error(`PostgreSQL did not start:\n${output}`);
        return await query('SELECT 1 AS one', [], 'postgres').catch(() => undefined);
      },
      { what: 'PostgreSQL to start' },
    );
  }

  async function query<Row>(sql: string, params: unknown[] = [], database = 'data'): Promise<Row[]> {
    const client = new pg.Client({ host: '127.0.0.1', port, user: 'hub', database, password: '' });
    client.on('error', () => {});
    await client.connect();
    try {
      return (await client.query(sql, params)).rows as Row[];
    } finally {
      await client.end();
    }
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    const running = child;
    child = undefined;
    if (!running || running.exitCode !== null) return;
    const gone = new Promise((resolve) => running.once('exit', resolve));
    running.kill(signal);
    await gone;
  }

  const server: Postgres = {
    port,
    url: `postgres://hub@127.0.0.1:${port}/data`,
    query: (sql, params) => query(sql, params),
    crash: () => end('SIGQUIT'),
    output: () => output,
    start,
    async stop() {
      await end('SIGQUIT');
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  try {
    await start();
    await query('CREATE DATABASE data', [], 'postgres');
    return server;
  } catch (error) {
    await server.stop();
    throw error;
  }
}

async function findPrograms(): Promise<string> {
  const versions = await readdir(INSTALLED).catch(() => []);
  const newest = versions.filter((name) => /^\d+$/.test(name)).sort((a, b) => Number(b) - Number(a))[0];
  if (newest === undefined)
    throw new Error('This test starts a real PostgreSQL. Install it: apt-get install postgresql (Debian, Ubuntu).');
  return join(INSTALLED, newest, 'bin');
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}
