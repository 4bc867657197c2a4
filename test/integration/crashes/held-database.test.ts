// @module-tag slow
import { join } from 'node:path';
import sqlite3 from 'sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeHandle, exec } from '../../../server/platform/database/sqlite-handle.ts';
import { type FunctionHubProcess, startFunctionHubProcess } from '../../support/function-hub.ts';
import { actionSource } from '../../support/server-workspace.ts';
import { waitFor } from '../../support/wait-for.ts';

/** Milliseconds; the hub waits 5 s for a write lock that another program holds, so that its first write fails. */
const HELD_MS = 6500;

let hub: FunctionHubProcess;
let release: () => void = () => {};

beforeAll(async () => {
  hub = await startFunctionHubProcess(
    {
      'actions/guarded.ts': actionSource(`
        await nango.tryAcquireLock({ key: 'one-at-a-time', ttlMs: 60_000 });
        return (await nango.get({ endpoint: '/gate', retries: 0 })).data;`),
    },
    {
      prepare: (provider) =>
        provider.on(
          'GET /gate',
          () =>
            new Promise((resolve) => {
              release = () => resolve({ body: { done: true } });
            }),
        ),
    },
  );
});
afterAll(() => hub?.stop());

/** Uses the database from this process, which is not the hub's. */
async function inDatabase<T>(work: (database: sqlite3.Database) => Promise<T>): Promise<T> {
  const database = new sqlite3.Database(join(hub.server.home, 'homeport.db'));
  try {
    return await work(database);
  } finally {
    await closeHandle(database);
  }
}

/** Lets the waiting run continue while the write lock of the database is held. */
const endRunWhileHeld = (): Promise<void> =>
  inDatabase(async (database) => {
    await exec(database, 'PRAGMA busy_timeout=5000; BEGIN IMMEDIATE');
    release();
    await new Promise((resolve) => setTimeout(resolve, HELD_MS));
    await exec(database, 'ROLLBACK');
  });

const countRunning = (): Promise<number> =>
  inDatabase(
    (database) =>
      new Promise((resolve, reject) =>
        database.get<{ count: number }>(
          "SELECT COUNT(*) AS count FROM log_operations WHERE state = 'running'",
          (error, row) => (error ? reject(error) : resolve(row.count)),
        ),
      ),
  );

const asked = (): number => hub.provider.requestsTo('/gate').length;

describe('a database that another program holds while a run ends', () => {
  it('costs an asynchronous action neither its answer nor its end', async () => {
    const before = asked();
    const { body } = await hub.action('guarded', {}, { 'x-async': 'true' });
    await waitFor(() => asked() > before, { what: 'the run' });

    await endRunWhileHeld();

    const response = await waitFor(
      async () => {
        const { status, body: found } = await hub.call('GET', `/action/${body.id}`);
        return status === 200 && found;
      },
      { what: 'the answer' },
    );
    expect(response).toEqual({ done: true });
    expect(asked()).toBe(before + 1);
  });

  it('leaves no operation running and no lock behind', async () => {
    const before = asked();
    const run = hub.action('guarded');
    await waitFor(() => asked() > before, { what: 'the run' });

    await endRunWhileHeld();

    expect((await run).body).toBeDefined();
    await waitFor(async () => (await countRunning()) === 0, { what: 'the end of every operation' });
    const again = hub.action('guarded');
    await waitFor(() => asked() > before + 1, { what: 'a further run' });
    release();
    expect(await again).toMatchObject({ status: 200, body: { done: true } });
  });
});
