import { execFile } from 'node:child_process';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { importConnection, officialClient } from '../support/import-practice-connection.ts';
import type { StartedServer } from '../support/start-server.ts';
import { waitFor } from '../support/wait-for.ts';
import { familyOf, namesOf } from './process-facts.ts';
import { SOAK_INTEGRATION, SOAK_QUERY } from './soak-load.ts';

const run = promisify(execFile);

/** Holds the data folder of a long load, and is filled within a second. */
const DISK_MEGABYTES = 768;
const HUB_STOPPED_MS = 5_000;
/** Longer than a worker may be silent before a second one is started (design.md 7.58), and shorter than until its end. */
const WORKER_STOPPED_MS = 15_000;
/** Of 200 records it makes 1,600,000,000 rows. */
const LONG_QUERY = `SELECT count(DISTINCT a.text || b.text || c.text || d.text) FROM ${['a', 'b', 'c', 'd'].map((name) => `soak.Item AS ${name}`).join(', ')}`;

export interface SmallDisk {
  /** On the disk, for a data folder. */
  readonly home: string;
  remove(): Promise<void>;
}

/** A disk of its own in memory; undefined for a user who may not mount one. */
export async function mountSmallDisk(): Promise<SmallDisk | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'homeport-soak-disk-'));
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MEGABYTES}m`, 'tmpfs', folder]);
  } catch {
    // A container without the right to mount.
    await rm(folder, { recursive: true });
    return undefined;
  }
  return {
    home: join(folder, 'home'),
    remove: async () => {
      await run('umount', [folder]);
      await rm(folder, { recursive: true });
    },
  };
}

/** The hub, then its workers and the query engine, are stopped and go on; returns what did not hold. */
export async function stopProcesses(server: StartedServer): Promise<string[]> {
  const problems: string[] = [];
  const client = officialClient(server);
  const query = async (when: string): Promise<void> => {
    const { status } = await sendQuery(server, SOAK_QUERY);
    if (status !== 200) problems.push(`a query ${when} was answered ${status}`);
  };
  const act = async (what: string): Promise<void> => {
    const answer = await client
      .triggerAction(SOAK_INTEGRATION, 'one', 'noop', { what })
      .catch((error: Error) => ({ what: error.message }));
    if ((answer as { what?: unknown }).what !== what) problems.push(`${what}: ${JSON.stringify(answer)}`);
  };

  await act('before the stops');
  await query('before the stops');
  process.kill(server.pid, 'SIGSTOP');
  const waiting = [1, 2, 3].map((number) => act(`call ${number} while the hub was stopped`));
  await sleep(HUB_STOPPED_MS);
  process.kill(server.pid, 'SIGCONT');
  await Promise.all(waiting);

  const workers = (await familyOf(server.pid)).slice(1);
  for (const worker of workers) process.kill(worker, 'SIGSTOP');
  const begun = [1, 2, 3].map((number) => act(`call ${number} while its worker was stopped`));
  begun.push(query('while the engine was stopped'));
  await sleep(WORKER_STOPPED_MS);
  for (const worker of workers)
    try {
      process.kill(worker, 'SIGCONT');
    } catch (error) {
      // The hub has ended it.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  await Promise.all(begun);
  await act('after the stops');
  return problems;
}

/** The hub ends in the middle of a query; returns what is left of it and its processes. */
export async function endDuringQuery(server: StartedServer): Promise<string[]> {
  const problems: string[] = [];
  const query = sendQuery(server, LONG_QUERY).catch(() => undefined);
  await waitFor(async () => (await namesOf(await familyOf(server.pid))).some((name) => name.includes('query-engine')), {
    what: 'the process of the query engine',
  });
  const family = await familyOf(server.pid);
  const status = await server.end();
  if (status !== 0) problems.push(`the hub ended with ${status} during a query`);
  await query;
  const left = await namesOf(family);
  if (left.length > 0) problems.push(`processes are left of a hub that has ended: ${left.join('; ')}`);
  return problems;
}

export function sendQuery(server: StartedServer, sql: string): Promise<Response> {
  return fetch(`${server.url}/records/query`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.secretKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ sql }),
  });
}

/** Nothing fits on the disk any more for a while; returns what did not hold. */
export async function fillDisk(server: StartedServer): Promise<string[]> {
  const problems: string[] = [];
  const client = officialClient(server);
  const filler = join(server.home, '..', 'filler');
  const stored: string[] = [];
  const write = async (id: string): Promise<number> => {
    const { status } = await importConnection(server, { provider_config_key: SOAK_INTEGRATION, connection_id: id });
    if (status === 201) stored.push(id);
    return status;
  };

  await fill(filler);
  const refused: number[] = [];
  for (let count = 0; count < 50; count++) {
    const status = await write(`full-${count}`);
    if (status !== 201) refused.push(status);
  }
  if (refused.length === 0) problems.push('no write was refused while the disk was full');
  if (refused.some((status) => status < 500)) problems.push(`writes on a full disk were answered ${refused}`);
  await client.getConnection(SOAK_INTEGRATION, 'one').catch((error: Error) => {
    problems.push(`a read on a full disk failed: ${error.message}`);
  });

  await rm(filler);
  await waitFor(async () => (await write('after-full')) === 201, { what: 'a write after the disk has space again' });
  for (const id of stored)
    await client.getConnection(SOAK_INTEGRATION, id).catch((error: Error) => {
      problems.push(`${id} was acknowledged, and is gone: ${error.message}`);
    });
  return problems;
}

async function fill(path: string): Promise<void> {
  const file = await open(path, 'w');
  try {
    for (const size of [1 << 20, 4096]) {
      const block = Buffer.alloc(size);
      while (await wrote(file, block));
    }
  } finally {
    await file.close();
  }
}

async function wrote(file: Awaited<ReturnType<typeof open>>, block: Buffer): Promise<boolean> {
  try {
    return (await file.write(block)).bytesWritten === block.length;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return false;
    throw error;
  }
}
