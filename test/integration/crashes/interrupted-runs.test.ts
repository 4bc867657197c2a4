import { join } from 'node:path';
import sqlite3 from 'sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FunctionHubProcess, startFunctionHubProcess } from '../../support/function-hub.ts';
import { named, nightlyEach } from '../../support/nightly-each.ts';
import { actionSource, syncSource } from '../../support/server-workspace.ts';
import { waitFor } from '../../support/wait-for.ts';

/** Reports are read by the hundred; `HOMEPORT_CRASH_ROUNDS` asks for the long run. */
const EXPIRED_CALLS = process.env['HOMEPORT_CRASH_ROUNDS'] === undefined ? 500 : 1500;
const KILLS_AFTER_REPORTS = [0.1, 0.3, 0.6].map((part) => part * EXPIRED_CALLS);
const SYNC = { provider_config_key: 'acme', connection_id: 'c1', syncs: ['copy'] };

/** Runs on its schedule, on a model of its own. */
const SPIN = syncSource(`await nango.get({ endpoint: '/spins' }); for (;;) {}`)
  .replace('Item', 'Turn')
  .replace('autoStart: false', 'autoStart: true');

let hub: FunctionHubProcess;

beforeAll(async () => {
  hub = await startFunctionHubProcess(
    {
      'syncs/copy.ts': syncSource(`await nango.post({ endpoint: '/pages', retries: 0 });`),
      'actions/wait.ts': actionSource(`return (await nango.get({ endpoint: '/wait', retries: 0 })).data;`),
    },
    {
      prepare: (provider) =>
        provider.on('POST /pages', { body: {} }).on('GET /spins', { body: {} }).on('GET /wait', { body: {} }),
    },
  );
});
afterAll(() => hub?.stop());

async function statusOf(sync: string): Promise<{ status: string; latestExecutionStatus: string }> {
  const path = `/sync/status?syncs=${sync}&provider_config_key=acme&connection_id=c1`;
  return (await hub.call('GET', path)).body.syncs[0];
}

/** Also usable while the server runs. */
async function inDatabase<Row>(sql: string): Promise<Row[]> {
  const database = new sqlite3.Database(join(hub.server.home, 'homeport.db'));
  const rows = await new Promise<Row[]>((resolve, reject) =>
    database.all<Row>(sql, (error, found) => (error ? reject(error) : resolve(found))),
  );
  await new Promise<void>((resolve, reject) => database.close((error) => (error ? reject(error) : resolve())));
  return rows;
}

async function countResponses(): Promise<number> {
  const [row] = await inDatabase<{ count: number }>(
    'SELECT COUNT(*) AS count FROM action_calls WHERE response IS NOT NULL',
  );
  return row?.count ?? 0;
}

describe('a sync under which the server is killed', () => {
  const asked = (): number => hub.provider.requestsTo('/pages').length;

  it('begins again at the next start, and after the second time waits, which its log says', async () => {
    hub.provider.on('POST /pages', () => new Promise(() => {}));
    const before = asked();
    await hub.call('POST', '/sync/trigger', { body: SYNC });
    await waitFor(() => asked() === before + 1, { what: 'the triggered run' });

    await hub.server.kill();
    await hub.server.restart();
    await waitFor(() => asked() === before + 2, { what: 'the run that begins again' });
    await hub.server.kill();
    await hub.server.restart();

    const note = "SELECT 1 FROM log_operations WHERE function_name = 'copy' AND error LIKE '%twice in a row%'";
    await waitFor(async () => (await inDatabase(note)).length === 1, { what: 'the entry of the log' });
    expect(asked()).toBe(before + 2);
    expect((await statusOf('copy')).latestExecutionStatus).toBe('STOPPED');

    hub.provider.on('POST /pages', { body: {} });
    await hub.call('POST', '/sync/trigger', { body: SYNC });
    await waitFor(async () => (await statusOf('copy')).latestExecutionStatus === 'SUCCESS', { what: 'the next run' });
  });
});

describe('a full sync with a checkpoint that deletes what it did not save', () => {
  const ways = named(['trackDeletes', 'deleteRecordsFromPreviousExecutions']);
  nightlyEach(ways, 2)('spares the first half when the server is killed before the second (%s)', async (way) => {
    const name = way === 'trackDeletes' ? 'halves' : 'parts';
    const model = way === 'trackDeletes' ? 'Half' : 'Part';
    const source = syncSource(`
    const page = (await nango.getCheckpoint())?.page ?? 0;
    const { data } = await nango.get({ endpoint: '/${name}', retries: 0 });
    if (page === 0) {
      await nango.batchSave(data.records.slice(0, 1), 'Item');
      await nango.saveCheckpoint({ page: 1 });
      await nango.post({ endpoint: '/${name}', retries: 0 });
    }
    await nango.batchSave(data.records.slice(1), 'Item');
    await nango.clearCheckpoint();
    ${way === 'trackDeletes' ? '' : `await nango.deleteRecordsFromPreviousExecutions('Item');`}`);
    const options = way === 'trackDeletes' ? 'trackDeletes: true,\n  models:' : 'models:';
    const recordsOf = (...ids: string[]) => ({ body: { records: ids.map((id) => ({ id, text: id })) } });
    hub.provider.on(`GET /${name}`, recordsOf('first', 'second', 'gone')).on(`POST /${name}`, { body: {} });
    await hub.deploy({ [`syncs/${name}.ts`]: source.replaceAll('Item', model).replace('models:', options) });
    const trigger = () => hub.call('POST', '/sync/trigger', { body: { ...SYNC, syncs: [name] } });
    const succeeded = async () => (await statusOf(name)).latestExecutionStatus === 'SUCCESS';
    const posts = () => hub.provider.requestsTo(`/${name}`).filter(({ method }) => method === 'POST').length;
    await trigger();
    await waitFor(async () => (await statusOf(name))?.latestExecutionStatus === 'SUCCESS', { what: 'the first run' });

    hub.provider.on(`GET /${name}`, recordsOf('first', 'second')).on(`POST /${name}`, () => new Promise(() => {}));
    const before = posts();
    await trigger();
    await waitFor(() => posts() === before + 1, { what: 'the first half' });
    await hub.server.kill();
    await hub.server.restart();
    await waitFor(succeeded, { what: 'the run that continues' });

    expect(posts()).toBe(before + 1);
    const { records } = (
      await hub.call('GET', `/records?model=${model}`, {
        headers: { 'connection-id': 'c1', 'provider-config-key': 'acme' },
      })
    ).body;
    const deleted = records.filter(
      (row: { _nango_metadata: { deleted_at: unknown } }) => row._nango_metadata.deleted_at,
    );
    expect(deleted.map(({ id }: { id: string }) => id)).toEqual(['gone']);
    expect(records).toHaveLength(3);
  });
});

describe('a sync that is paused in an endless loop', () => {
  it('ends within 5 s, and its isolate with it', async () => {
    const spin = { ...SYNC, syncs: ['spin'] };
    await hub.deploy({ 'syncs/spin.ts': SPIN });
    await waitFor(() => hub.provider.requestsTo('/spins').length > 0, { what: 'the loop' });

    const begin = performance.now();
    await hub.call('POST', '/sync/pause', { body: spin });
    await waitFor(async () => (await statusOf('spin')).latestExecutionStatus === 'STOPPED', { what: 'its end' });

    expect(performance.now() - begin).toBeLessThan(5000);
    expect((await statusOf('spin')).status).toBe('PAUSED');
  });
});

describe(`${EXPIRED_CALLS} asynchronous actions that expired`, () => {
  it(`are all reported, whenever the server is killed meanwhile`, { tags: ['nightly'] }, async () => {
    let release: () => void = () => {};
    hub.provider.on(
      'GET /wait',
      () =>
        new Promise((resolve) => {
          release = () => resolve({ body: {} });
        }),
    );
    const trigger = () => hub.action('wait', {}, { 'x-async': 'true' });
    await trigger();
    let left = EXPIRED_CALLS;
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        while (left-- > 0) await trigger();
      }),
    );
    await hub.server.kill();
    release();
    await inDatabase("UPDATE jobs SET start_before = 1 WHERE kind = 'run-action' AND state = 'created'");

    for (const reports of KILLS_AFTER_REPORTS) {
      await hub.server.restart();
      await waitFor(async () => (await countResponses()) >= reports, { what: `${reports} reports` });
      await hub.server.kill();
    }
    await hub.server.restart();

    // The run that the first kill interrupted was cut off, it did not expire.
    await waitFor(async () => (await countResponses()) === EXPIRED_CALLS + 1, { what: 'the last report' });
    expect(await inDatabase('SELECT * FROM job_reports')).toEqual([]);
  });
});
