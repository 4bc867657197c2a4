import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ParsedSync } from '../../../server/functions/deployments/deployed-function.ts';
import { Database } from '../../../server/platform/database/database.ts';
import { SyncJobsStore, SyncsStore } from '../../../server/syncs/syncs.store.ts';
import { DashboardClient } from './dashboard-client.ts';
import { type DashboardFixture, startDashboard } from './dashboard-fixture.ts';

const CONNECTION = { integrationKey: 'practice', connectionId: 'practice-user' };
const SOURCE = 'export default createSync({ /* contacts */ });';
const CONTACTS: ParsedSync = {
  type: 'sync',
  name: 'contacts',
  description: 'People of the tracker',
  version: '1',
  runs: 'every hour',
  sync_type: 'full',
  auto_start: true,
  track_deletes: false,
  endpoints: [],
  input: null,
  output: ['Contact'],
  usedModels: ['Contact'],
  scopes: ['read'],
  webhookSubscriptions: [],
  json_schema: { definitions: { Contact: { type: 'object', properties: { id: { type: 'string' } } } } },
  features: [],
};

let server: DashboardFixture;
let client: DashboardClient;
beforeAll(async () => {
  server = await startDashboard();
  client = await DashboardClient.signIn(server);
  await deployContacts();
  await client.call('POST /api/v1/practice');
});
afterAll(() => server.close());

/** Stores a function as the deployment of its file would: a live version, and a later save that does not compile. */
async function deployContacts(): Promise<void> {
  const { database, environment, functions, workspace } = server;
  const key = { environmentId: environment.id, integrationKey: 'practice', name: 'contacts', type: 'sync' as const };
  const path = 'practice/syncs/contacts.ts';
  await mkdir(join(workspace, 'practice/syncs'), { recursive: true });
  await writeFile(join(workspace, path), SOURCE);
  const broken = {
    code: 'failed_to_build_unknown',
    message: 'Unexpected end',
    file: 'orphan/actions/send.ts',
    line: 3,
    column: 1,
    severity: 'error',
  };
  await database.transaction(async (tx) => {
    await functions.upsertDeployed(tx, {
      origin: 'workspace',
      ...key,
      path,
      version: '1',
      definition: JSON.stringify(CONTACTS),
      bundleHash: 'h',
      inputs: '[]',
      code: { bundle: 'b', source: 'the live one' },
      now: 1_000,
    });
    await functions.upsertProblems(tx, {
      ...key,
      integrationKey: 'orphan',
      type: 'action',
      name: 'send',
      path: broken.file,
      inputs: '[]',
      problems: JSON.stringify([broken]),
      now: 2_000,
    });
  });
}

async function openRecords(jobId: number) {
  const integration = await server.integrations.find(server.environment.id, 'practice');
  const connection = integration && (await server.connections.find(integration, CONNECTION.connectionId));
  if (!connection) throw new Error('There is no practice connection.');
  const scope = {
    connectionRowId: connection.id,
    variant: 'base',
    models: ['Contact'],
    checkpointKey: 'sync:contacts:base',
  };
  return { connectionRowId: connection.id, session: server.records.openRecords({ ...scope, jobId }) };
}

async function saveRecords(): Promise<void> {
  const { session } = await openRecords(1);
  const people = [
    { id: 'c1', name: 'Ann', age: 31, address: { city: 'Oslo' } },
    { id: 'c2', name: 'Ben' },
    { id: 'c3', name: 'Cleo' },
  ];
  await session.save(
    'Contact',
    people.map((person) => ({ id: person.id, json: JSON.stringify(person) })),
  );
  await session.remove('Contact', ['c2']);
}

/** Also when other tests changed them. */
async function saveRecordsAnew(): Promise<void> {
  const { connectionRowId } = await openRecords(1);
  await server.database.transaction((tx) =>
    server.records.empty(tx, [{ connectionRowId, model: 'Contact', variant: 'base' }]),
  );
  await saveRecords();
}

const FUNCTION = { integrationKey: 'practice', type: 'sync', name: 'contacts' };
const ONE_FUNCTION = 'GET /api/v1/functions/:integrationKey/:type/:name';

describe('functions of the dashboard', () => {
  it('are listed with their state, also of integrations that do not exist yet', async () => {
    const { data, total } = await client.call('GET /api/v1/functions', { query: { sort: 'integration' } });

    expect(total).toBe(2);
    expect(data[0]).toMatchObject({
      integrationKey: 'orphan',
      provider: null,
      status: 'compile_error',
      version: null,
      problem: { message: 'Unexpected end', line: 3 },
    });
    expect(data[1]).toMatchObject({
      provider: 'practice',
      status: 'ok',
      problem: null,
      version: '1',
      frequency: 'every hour',
      models: ['Contact'],
    });
    for (const { path, file } of data) expect(path?.endsWith(file)).toBe(true);
  });

  it('are narrowed by type, state, integration and text', async () => {
    const names = async (query: Record<string, string>) =>
      (await client.call('GET /api/v1/functions', { query })).data.map((row) => row.name);

    expect(await names({ types: 'action,on-event' })).toEqual(['send']);
    expect(await names({ status: 'ok' })).toEqual(['contacts']);
    expect(await names({ integrations: 'practice' })).toEqual(['contacts']);
    expect(await names({ search: 'people of' })).toEqual(['contacts']);
  });

  it('show the file as it is and what the last version declares', async () => {
    expect(await client.call(ONE_FUNCTION, { params: FUNCTION })).toMatchObject({
      code: SOURCE,
      file: 'practice/syncs/contacts.ts',
      scopes: ['read'],
      inputSchema: null,
      autoStart: true,
      checkDurationMs: null,
      outputSchema: { type: 'object', properties: { id: { type: 'string' } } },
    });
    expect(await client.refusal(ONE_FUNCTION, { params: { ...FUNCTION, name: 'nothing' } })).toEqual({
      status: 404,
      code: 'not_found',
    });
  });

  it('keep the sources of the versions that went live', async () => {
    const LIST = 'GET /api/v1/functions/:integrationKey/:type/:name/versions';
    const { data } = await client.call(LIST, { params: FUNCTION });
    const source = (versionId: number) => ({ params: { ...FUNCTION, versionId: String(versionId) } });

    expect(data).toMatchObject([{ version: '1', origin: 'workspace', at: new Date(1_000).toISOString() }]);
    expect(await client.call(`${LIST}/:versionId`, source(data[0]?.id ?? 0))).toEqual({ code: 'the live one' });
    expect(await client.refusal(`${LIST}/:versionId`, source(999))).toEqual({ status: 404, code: 'not_found' });
  });

  it('tell their last run', async () => {
    const operation = server.logs.start({
      environmentId: server.environment.id,
      type: 'sync',
      action: 'run',
      integrationKey: 'practice',
      functionName: 'contacts',
      connectionId: 'x',
    });
    operation.finish('failed', { error: { message: 'no luck' } });
    await server.logs.flush();

    expect(await client.call(ONE_FUNCTION, { params: FUNCTION })).toMatchObject({
      lastRun: { operationId: operation.id, state: 'failed' },
    });
  });

  it('say how many runs ended, how, and how long they took', async () => {
    const run = (state: 'success' | 'failed') => {
      const operation = server.logs.start({
        environmentId: server.environment.id,
        type: 'sync',
        action: 'run',
        integrationKey: 'practice',
        functionName: 'contacts',
      });
      operation.finish(state);
    };
    const read = () => client.call('GET /api/v1/functions/:integrationKey/:type/:name/stats', { params: FUNCTION });
    const failedOf = ({ buckets }: Awaited<ReturnType<typeof read>>) =>
      buckets.reduce((sum, one) => sum + one.failed, 0);
    const before = await read();
    run('success');
    run('success');
    run('failed');
    await server.logs.flush();

    const stats = await read();

    expect(stats).toMatchObject({ total: before.total + 3, succeeded: before.succeeded + 2 });
    expect(stats.p50Ms).toBeGreaterThanOrEqual(0);
    expect(failedOf(stats)).toBe(failedOf(before) + 1);
    expect(stats.buckets.length).toBeGreaterThanOrEqual(28);
  });

  it('are switched off and on, with the schedules of a sync', async () => {
    const change = (isEnabled: boolean) =>
      client.call('PATCH /api/v1/functions/:integrationKey/:type/:name', { params: FUNCTION, body: { isEnabled } });
    const syncs = async () =>
      (
        await client.call('GET /api/v1/sync', {
          query: { integration: 'practice', connection: CONNECTION.connectionId },
        })
      ).data.length;

    expect(await change(false)).toMatchObject({ isEnabled: false });
    expect(await syncs()).toBe(0);
    expect(await change(true)).toMatchObject({ isEnabled: true });
    expect(await syncs()).toBe(1);
  });
});

describe('syncs of the dashboard', () => {
  const list = async () =>
    (await client.call('GET /api/v1/sync', { query: { integration: 'practice', connection: CONNECTION.connectionId } }))
      .data;
  const command = (name: string) =>
    client.call('POST /api/v1/sync/command', { body: { ...CONNECTION, sync: 'contacts', command: name } });

  it('are listed before their first run', async () => {
    expect(await list()).toMatchObject([
      {
        name: 'contacts',
        variant: 'base',
        models: ['Contact'],
        frequency: 'every hour',
        lastRun: null,
        scheduleStatus: 'STARTED',
      },
    ]);
  });

  it('are paused and resumed, which the connection shows', async () => {
    const row = async () =>
      (await client.call('GET /api/v1/connections', { query: { integrations: 'practice' } })).data[0];

    await command('PAUSE');
    expect(await list()).toMatchObject([{ scheduleStatus: 'PAUSED', nextRunAt: null }]);
    expect(await row()).toMatchObject({ status: 'paused', syncCount: 1, pausedSyncCount: 1 });
    await command('UNPAUSE');
    expect(await list()).toMatchObject([{ scheduleStatus: 'STARTED' }]);
    expect(await row()).toMatchObject({ status: 'ok', syncCount: 1, pausedSyncCount: 0 });
  });

  it('are paused and resumed on every connection and in every variant, when no connection is named', async () => {
    const variant = { params: { ...CONNECTION, sync: 'contacts', variant: 'second' } };
    const ONE = 'connections/:integrationKey/:connectionId/syncs/:sync/variants/:variant';
    await client.call(`POST /api/v1/${ONE}`, variant);
    const everywhere = (name: string, sync = 'contacts') => ({
      body: { integrationKey: 'practice', sync, command: name },
    });

    await client.call('POST /api/v1/sync/command', everywhere('PAUSE'));
    expect((await list()).map(({ scheduleStatus }) => scheduleStatus)).toEqual(['PAUSED', 'PAUSED']);
    await client.call('POST /api/v1/sync/command', everywhere('UNPAUSE'));
    expect((await list()).map(({ scheduleStatus }) => scheduleStatus)).toEqual(['STARTED', 'STARTED']);
    await client.call(`DELETE /api/v1/${ONE}`, variant);
    const refusal = { status: 400, code: 'no_syncs_found' };
    expect(await client.refusal('POST /api/v1/sync/command', everywhere('PAUSE', 'nothing'))).toEqual(refusal);
  });

  it('refuse names they do not have', async () => {
    const refuse = (body: Record<string, unknown>) =>
      client.refusal('POST /api/v1/sync/command', {
        body: { ...CONNECTION, sync: 'contacts', command: 'PAUSE', ...body },
      });

    expect(await refuse({ connectionId: 'nobody' })).toEqual({ status: 404, code: 'not_found' });
    expect(await refuse({ sync: 'nothing' })).toEqual({ status: 400, code: 'no_syncs_found' });
    expect(await refuse({ command: 'EXPLODE' })).toEqual({ status: 400, code: 'invalid_body' });
  });
});

describe('one sync of a connection', () => {
  const BASE = { ...CONNECTION, sync: 'contacts', variant: 'base' };
  const ONE = 'connections/:integrationKey/:connectionId/syncs/:sync/variants/:variant';
  const change = (body: Record<string, unknown>) => client.call(`PATCH /api/v1/${ONE}`, { params: BASE, body });

  it('has a frequency of its own until that is taken back', async () => {
    expect(await change({ frequency: 'every 5 minutes' })).toMatchObject({
      frequency: 'every 5 minutes',
      hasOwnFrequency: true,
    });
    expect(await change({ frequency: null })).toMatchObject({ frequency: 'every hour', hasOwnFrequency: false });
    expect(await client.refusal(`PATCH /api/v1/${ONE}`, { params: BASE, body: { frequency: 'often' } })).toEqual({
      status: 400,
      code: 'invalid_body',
    });
  });

  it('says when it would run with another frequency, and then runs at those times', async () => {
    const route = `GET /api/v1/${ONE}/next-runs` as const;
    const ask = (frequency: string) => ({ params: BASE, query: { frequency } });

    const { at } = await client.call(route, ask('every 7 minutes'));
    const steps = at.slice(1).map((time, index) => Date.parse(time) - Date.parse(at[index] ?? ''));

    expect(steps).toEqual([420_000, 420_000]);
    expect((await change({ frequency: 'every 7 minutes' })).nextRunAt).toBe(at[0]);
    expect(await client.refusal(route, ask('often'))).toEqual({ status: 400, code: 'invalid_query_params' });
    await change({ frequency: null });
  });

  it('continues from the checkpoint that was set', async () => {
    expect(await change({ checkpoint: { after: 7 } })).toMatchObject({ checkpoint: { after: 7 } });
    expect(await change({ checkpoint: { after: 8 } })).toMatchObject({ checkpoint: { after: 8 } });
    expect(await change({ checkpoint: null })).toMatchObject({ checkpoint: null });
    const refused = { params: BASE, body: { checkpoint: { deep: { no: true } } } };
    expect(await client.refusal(`PATCH /api/v1/${ONE}`, refused)).toMatchObject({ code: 'invalid_checkpoint' });
  });

  it('keeps a checkpoint that was stored after the caller read its own', async () => {
    await change({ checkpoint: { after: 7 } });
    const late = { params: BASE, body: { checkpoint: { after: 9 }, replaces: { after: 6 } } };

    expect(await client.refusal(`PATCH /api/v1/${ONE}`, late)).toEqual({ status: 409, code: 'checkpoint_conflict' });

    expect(await change({ checkpoint: { after: 9 }, replaces: { after: 7 } })).toMatchObject({
      checkpoint: { after: 9 },
    });
    expect(await change({ checkpoint: null, replaces: { after: 9 } })).toMatchObject({ checkpoint: null });
    expect(await change({ checkpoint: { after: 1 }, replaces: null })).toMatchObject({ checkpoint: { after: 1 } });
    await change({ checkpoint: null });
  });

  it('keeps its checkpoint from a person while a run is under way', async () => {
    const store = new SyncsStore();
    const integration = await server.integrations.find(server.environment.id, 'practice');
    await server.database.transaction(async (tx) => {
      const [sync] = await store.list(tx, { integrationId: integration?.id ?? 0, name: 'contacts', variant: 'base' });
      await tx.run(
        `INSERT INTO jobs (kind, job_group, payload, schedule_id, state, attempt, max_attempts, run_at, created_at)
         VALUES ('sync-run', '1', '{}', ?, 'started', 0, 1, 0, 0)`,
        [sync?.id ?? null],
      );
    });

    const refused = await client.refusal(`PATCH /api/v1/${ONE}`, { params: BASE, body: { checkpoint: { after: 9 } } });

    expect(refused).toEqual({ status: 409, code: 'conflict' });
    await server.database.transaction((tx) => tx.run("DELETE FROM jobs WHERE kind = 'sync-run'", []));
  });

  it('has variants that are made and deleted', async () => {
    const params = { ...BASE, variant: 'eu' };

    expect(await client.call(`POST /api/v1/${ONE}`, { params })).toMatchObject({ name: 'contacts', variant: 'eu' });
    expect(await client.refusal(`POST /api/v1/${ONE}`, { params })).toMatchObject({
      code: 'sync_variant_already_exists',
    });
    const states = await client.call('GET /api/v1/functions/:integrationKey/sync/:name/connections', {
      params: { integrationKey: 'practice', name: 'contacts' },
    });
    expect(states.data.map((row) => [row.connectionId, row.variant])).toEqual([
      [CONNECTION.connectionId, 'base'],
      [CONNECTION.connectionId, 'eu'],
    ]);
    expect(await client.call(`DELETE /api/v1/${ONE}`, { params })).toEqual({ success: true });
    expect(await client.refusal(`DELETE /api/v1/${ONE}`, { params })).toMatchObject({ status: 404 });
  });

  it('shows its last runs, and what the one under way has changed', async () => {
    const integration = await server.integrations.find(server.environment.id, 'practice');
    const store = new SyncsStore();
    const jobs = new SyncJobsStore();
    await server.database.transaction(async (tx) => {
      const [sync] = await store.list(tx, { integrationId: integration?.id ?? 0, name: 'contacts', variant: 'base' });
      for (let run = 1; run <= 22; run += 1) {
        const job = { syncRowId: sync?.rowId ?? 0, type: 'FULL', logId: `log-${run}`, createdAt: run * 1000 } as const;
        const [id = 0] = await jobs.insertMany(tx, [job]);
        const result = { Contact: { added: run, updated: 1, deleted: 0 } };
        await jobs.updateResult(tx, id, result, run * 1000 + 500);
        if (run % 2) await jobs.succeed(tx, [{ id, result }], run * 1000 + 600);
        else if (run < 22) await jobs.stop(tx, id, run === 20 ? null : 'It failed.', run * 1000 + 600);
      }
    });

    const [sync] = (
      await client.call('GET /api/v1/sync', { query: { integration: 'practice', connection: CONNECTION.connectionId } })
    ).data;

    expect(sync?.changedSoFar).toBe(23);
    expect(sync?.recentRuns).toHaveLength(20);
    expect(sync?.recentRuns[0]).toEqual({
      operationId: 'log-3',
      status: 'SUCCESS',
      startedAt: new Date(3000).toISOString(),
      durationMs: 600,
      changed: 4,
    });
    // A run that was stopped without an error was cancelled.
    expect(sync?.recentRuns.slice(-5).map(({ status }) => status)).toEqual([
      'STOPPED',
      'SUCCESS',
      'CANCELLED',
      'SUCCESS',
      'RUNNING',
    ]);
    expect(sync?.recentRuns.at(-1)).toMatchObject({ operationId: 'log-22', status: 'RUNNING', durationMs: null });
    await server.database.transaction((tx) => jobs.stopAllRunning(tx, 30_000));
  });
});

describe('records of the dashboard', () => {
  const LIST = 'GET /api/v1/connections/:integrationKey/:connectionId/records';
  const list = (query: Record<string, string> = {}) =>
    client.call(LIST, { params: CONNECTION, query: { model: 'Contact', ...query } });
  const ids = async (query: Record<string, string>) => (await list(query)).data.map((row) => row.id);

  beforeEach(saveRecordsAnew);

  it('are counted by model', async () => {
    const models = 'GET /api/v1/connections/:integrationKey/:connectionId/models';
    const lastModifiedAt = (await list()).data[0]?.modifiedAt;
    expect((await client.call(models, { params: CONNECTION })).data).toEqual([
      { model: 'Contact', variant: 'base', count: 2, lastModifiedAt, fields: [] },
    ]);
  });

  it('show simple members, newest change first', async () => {
    const { data } = await list();

    expect(data.map((row) => [row.id, row.action])).toEqual([
      ['c2', 'DELETED'],
      ['c3', 'ADDED'],
      ['c1', 'ADDED'],
    ]);
    expect(data[2]?.preview).toEqual({ name: 'Ann', age: 31 });
  });

  it('are ordered, narrowed, searched and paged', async () => {
    expect(await ids({ sort: 'id' })).toEqual(['c1', 'c2', 'c3']);
    expect(await ids({ actions: 'DELETED' })).toEqual(['c2']);
    expect(await ids({ search: 'oslo' })).toEqual(['c1']);
    const { snapshot } = await list({ sort: 'id', limit: '1' });
    expect(await list({ sort: 'id', limit: '1', offset: '1', snapshot })).toMatchObject({
      total: 3,
      snapshot,
      data: [{ id: 'c2' }],
    });
  });

  it('follow changes, deletions and an emptied cache', async () => {
    const { connectionRowId, session } = await openRecords(2);
    await session.save('Contact', [
      { id: 'c1', json: '{"id":"c1","name":"Anna"}' },
      { id: 'c4', json: '{"id":"c4"}' },
    ]);
    expect((await list()).data.map((row) => [row.id, row.action])).toEqual([
      ['c4', 'ADDED'],
      ['c1', 'UPDATED'],
      ['c2', 'DELETED'],
      ['c3', 'ADDED'],
    ]);

    await server.database.transaction((tx) =>
      server.records.empty(tx, [{ connectionRowId, model: 'Contact', variant: 'base' }]),
    );
    expect(await list()).toMatchObject({ total: 0, data: [] });
    await saveRecords();
    expect(await ids({})).toEqual(['c2', 'c3', 'c1']);
  });

  it('are found by their id, of whatever connection and model', async () => {
    const find = async (recordId: string) =>
      (await client.call('GET /api/v1/records/:recordId', { params: { recordId } })).data;
    const place = { ...CONNECTION, model: 'Contact', variant: 'base' };

    expect(await find('c1')).toEqual([place]);
    expect(await find('c2')).toEqual([place]);
    expect(await find('c')).toEqual([]);
    await client.call('POST /api/v1/environments', { body: { name: 'prod' } });
    const elsewhere = await client.call('GET /api/v1/records/:recordId', {
      params: { recordId: 'c1' },
      query: { env: 'prod' },
    });
    expect(elsewhere.data).toEqual([]);
  });

  it('come whole one by one, without what the stream adds', async () => {
    const one = `${LIST}/:recordId` as const;
    const read = (recordId: string) =>
      client.call(one, { params: { ...CONNECTION, recordId }, query: { model: 'Contact' } });

    expect((await read('c1')).payload).toEqual({ id: 'c1', name: 'Ann', age: 31, address: { city: 'Oslo' } });
    expect(await read('c2')).toMatchObject({ action: 'DELETED', payload: { id: 'c2', name: 'Ben' } });
    expect((await read('c2')).payload).not.toHaveProperty('_metadata');
    expect(
      await client.refusal(one, { params: { ...CONNECTION, recordId: 'c9' }, query: { model: 'Contact' } }),
    ).toEqual({
      status: 404,
      code: 'not_found',
    });
  });

  it('stay in a list that is being read, despite changes meanwhile', async () => {
    const { snapshot } = await list({ sort: 'id', limit: '2' });
    const { session } = await openRecords(9);
    await session.save('Contact', [{ id: 'c3', json: '{"id":"c3","name":"Cleo","city":"Bergen"}' }]);

    const second = await list({ sort: 'id', limit: '2', offset: '2', snapshot });

    expect(second).toMatchObject({ total: 3, data: [{ id: 'c3', preview: { name: 'Cleo' } }] });
    expect(await ids({ search: 'bergen' })).toEqual(['c3']);
  });

  it('are narrowed by when they changed, and show the members that are asked for', async () => {
    const { data } = await list({ sort: 'id', fields: 'age,address' });
    const modifiedMs = Date.parse(data[0]?.modifiedAt ?? '');

    expect(data[0]?.preview).toEqual({ age: 31, address: '{"city":"Oslo"}' });
    expect(await ids({ period: `${modifiedMs + 3_600_000},` })).toEqual([]);
    expect(await ids({ sort: 'id', period: `,${modifiedMs + 3_600_000}` })).toEqual(['c1', 'c2', 'c3']);
  });

  it('are found by what is typed further, and after they changed', async () => {
    expect(await ids({ search: 'o' })).toContain('c1');
    expect(await ids({ search: 'os' })).toEqual(['c1']);
    const { session } = await openRecords(10);
    await session.save('Contact', [{ id: 'c3', json: '{"id":"c3","name":"Cleo","city":"Osaka"}' }]);

    expect(await ids({ search: 'os' })).toEqual(['c3', 'c1']);
  });
});

describe('logs of the dashboard', () => {
  async function runLogged(): Promise<string> {
    const operation = server.logs.start({
      environmentId: server.environment.id,
      type: 'action',
      action: 'run',
      message: 'Send it',
      integrationKey: 'practice',
      functionName: 'send',
      trigger: 'ui',
      meta: { input: 1 },
    });
    for (const message of ['one', 'two', 'three'])
      operation.log({ level: message === 'two' ? 'warn' : 'info', message, source: 'user' });
    operation.log({
      level: 'debug',
      type: 'http',
      message: 'GET /x',
      request: { method: 'GET', url: 'http://x.test/x' },
      response: { code: 200 },
    });
    operation.finish('failed', { error: { message: 'refused', type: 'script_http_error' } });
    await server.logs.flush();
    return operation.id;
  }

  it('list operations by filter', async () => {
    const id = await runLogged();
    const list = async (query: Record<string, string>) =>
      (await client.call('GET /api/v1/logs/operations', { query })).data.map((row) => row.id);

    expect(await list({ syncs: 'send', states: 'failed', types: 'action:run', integrations: 'practice' })).toContain(
      id,
    );
    expect(await list({ search: 'refused' })).toContain(id);
    expect(await list({ types: 'sync' })).not.toContain(id);
    expect(await list({ period: '0,1000' })).toEqual([]);
    expect(await client.refusal('GET /api/v1/logs/operations', { query: { period: 'yesterday' } })).toEqual({
      status: 400,
      code: 'invalid_query_params',
    });
  });

  it('tell one operation with what it was given and when it goes', async () => {
    const operation = await client.call('GET /api/v1/logs/operations/:operationId', {
      params: { operationId: await runLogged() },
    });

    expect(operation).toMatchObject({
      message: 'Send it',
      trigger: 'ui',
      error: { message: 'refused' },
      meta: { input: 1 },
      recordedLevel: 'warn',
    });
    expect(Date.parse(operation.expiresAt ?? '') - Date.parse(operation.createdAt)).toBe(15 * 86_400_000);
    expect(
      await client.refusal('GET /api/v1/logs/operations/:operationId', { params: { operationId: 'none' } }),
    ).toEqual({ status: 404, code: 'not_found' });
  });

  it('list messages oldest first, or newest first with any range', async () => {
    const operationId = await runLogged();
    const list = async (query: Record<string, string>) =>
      (await client.call('GET /api/v1/logs/messages', { query: { operationId, ...query } })).data.map(
        (row) => row.message,
      );

    expect(await list({ types: 'log' })).toEqual(['one', 'two', 'three']);
    expect(await list({ types: 'log', sort: '-time', limit: '2' })).toEqual(['three', 'two']);
    expect(await list({ types: 'log', sort: '-time', limit: '2', offset: '2' })).toEqual(['one']);
    expect(await list({ levels: 'warn' })).toEqual(['two']);
    expect(await list({ types: 'http' })).toEqual(['GET /x']);
    expect(await client.refusal('GET /api/v1/logs/messages', { query: { operationId: 'none' } })).toEqual({
      status: 404,
      code: 'not_found',
    });
  });

  it('pause all schedules for a reason, and go on when no reason is left', async () => {
    const pause = (body: object) => client.call('POST /api/v1/schedules/pause', { body });

    await pause({ until: null });
    expect((await pause({ reason: 'battery', until: null })).pausedSchedules?.reasons).toEqual(['person', 'battery']);
    expect((await client.call('GET /api/v1/meta')).health.pausedSchedules).toMatchObject({ until: null });

    const still = await client.call('POST /api/v1/schedules/resume', { body: { reason: 'battery' } });
    expect(still.pausedSchedules?.reasons).toEqual(['person']);
    expect(await client.call('POST /api/v1/schedules/resume', { body: {} })).toEqual({ pausedSchedules: null });
    expect(await client.refusal('POST /api/v1/schedules/pause', { body: { until: 'soon' } })).toMatchObject({
      status: 400,
    });
  });
});

describe('an export of records', () => {
  it('is lines of JSON, or a SQLite file with a column for each member', async () => {
    await saveRecordsAnew();
    const path = `/api/v1/export/connections/${CONNECTION.integrationKey}/${CONNECTION.connectionId}/records`;
    const read = (query: string) =>
      fetch(`${client.url}${path}?env=dev&model=Contact${query}`, { headers: client.headers });
    const response = await read('&format=sqlite&sort=id');
    const file = join(server.workspace, '../taken.sqlite');
    await writeFile(file, Buffer.from(await response.arrayBuffer()));

    expect([response.status, response.headers.get('content-type'), response.headers.get('x-total-count')]).toEqual([
      200,
      'application/vnd.sqlite3',
      '3',
    ]);
    const taken = await Database.open({ file });
    const rows = await taken.reader.all<Record<string, unknown>>(
      `SELECT id, action, name, age, address, payload ->> '$.name' AS inside, deleted_at IS NULL AS is_live
       FROM Contact ORDER BY id`,
    );
    await taken.close();
    expect(rows).toEqual([
      { id: 'c1', action: 'ADDED', name: 'Ann', age: 31, address: '{"city":"Oslo"}', inside: 'Ann', is_live: 1 },
      { id: 'c2', action: 'DELETED', name: 'Ben', age: null, address: null, inside: 'Ben', is_live: 0 },
      { id: 'c3', action: expect.any(String), name: 'Cleo', age: null, address: null, inside: 'Cleo', is_live: 1 },
    ]);
    expect(await readdir(join(server.workspace, '../exports'))).toEqual([]);
    const lines = (await (await read('&sort=id')).text()).trim().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { id: string }).id)).toEqual(['c1', 'c2', 'c3']);
    expect((await read('&format=excel')).status).toBe(400);
  });
});
