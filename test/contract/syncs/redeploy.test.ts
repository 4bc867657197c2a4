import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type FunctionHub, startFunctionHub } from '../../support/function-hub.ts';
import { removeFunction, saveFunction } from '../../support/server-workspace.ts';
import { waitFor } from '../../support/wait-for.ts';
import { hasSucceeded, type SyncState, syncState, waitForSync } from '../../support/wait-for-sync.ts';

interface Shape {
  model?: string;
  models?: string;
  frequency?: string;
  autoStart?: boolean;
  text?: string;
}

function source({
  model = 'Item',
  models = `${model}: z.object({ id: z.string() })`,
  frequency = 'every day',
  autoStart = false,
  text = 'one',
}: Shape = {}): string {
  return `import { createSync } from 'homeport';
import * as z from 'zod';

export default createSync({
  description: 'Written by a test',
  frequency: '${frequency}',
  autoStart: ${autoStart},
  models: { ${models} },
  exec: async (nango) => {
    await nango.batchSave([{ id: '1', text: '${text}' }], '${model}');
    await nango.saveCheckpoint({ text: '${text}' });
    await nango.get({ endpoint: '/gate' });
    await nango.batchSave([{ id: '2', text: '${text}' }], '${model}');
  },
});
`;
}

const FILES = {
  'syncs/code.ts': source({ model: 'Code' }),
  'syncs/paced.ts': source({ model: 'Paced' }),
  'syncs/shrinks.ts': source({
    model: 'Kept',
    models: 'Kept: z.object({ id: z.string() }), Dropped: z.object({ id: z.string() })',
  }),
  'syncs/removed.ts': source({ model: 'Removed' }),
  'syncs/old-name.ts': source({ model: 'Renamed' }),
  'syncs/later.ts': source({ model: 'Later' }),
  'syncs/contested.ts': source({ model: 'Contested' }),
  'syncs/automatic.ts': source({ model: 'Automatic', autoStart: true }),
};

let hub: FunctionHub;
let gate: Promise<void> = Promise.resolve();

beforeAll(async () => {
  hub = await startFunctionHub(FILES, {
    prepare: (provider) => {
      provider.on('GET /gate', async () => {
        await gate;
        return { body: {} };
      });
    },
  });
});
beforeEach(() => hub.addConnection('c2'));
afterAll(() => hub?.stop());

const redeploy = (name: string, shape: Shape): Promise<void> =>
  saveFunction(hub.server.workspace, `acme/syncs/${name}.ts`, source(shape));
const texts = async (model: string): Promise<unknown> =>
  (await hub.records(`model=${model}`)).body.records.map(({ id, text }: Record<string, unknown>) => [id, text]);

async function runToEnd(name: string): Promise<SyncState> {
  const finishedAt = (await syncState(hub.connection, name))?.finishedAt;
  await hub.connection.nango.triggerSync('acme', [name], 'c1');
  return waitForSync(hub.connection, name, (state) => hasSucceeded(state) && state.finishedAt !== finishedAt);
}

async function versionOf(name: string): Promise<string | undefined> {
  const { body } = await hub.call('GET', '/scripts/config');
  return body[0].syncs.find((one: { name: string }) => one.name === name)?.version;
}

describe('a new connection', () => {
  it('gets the syncs of its integration; only autoStart starts one, at once', async () => {
    await hub.addConnection('new');
    const connection = { ...hub.connection, connectionId: 'new' };
    const started = await waitForSync(connection, 'automatic', hasSucceeded);
    const waiting = await syncState(connection, 'code');

    expect(started).toMatchObject({ status: 'SUCCESS', nextScheduledSyncAt: expect.any(String) });
    expect(Date.parse(started.nextScheduledSyncAt ?? '') - Date.now()).toBeGreaterThan(23 * 3_600_000);
    expect(waiting).toMatchObject({ status: 'PAUSED', nextScheduledSyncAt: null });
    expect(waiting).not.toHaveProperty('latestResult');
  });

  it('keeps its syncs unchanged when it is imported again', async () => {
    const before = await syncState(hub.connection, 'automatic');
    await hub.call('POST', '/sync/pause', {
      body: { syncs: ['automatic'], provider_config_key: 'acme', connection_id: 'c1' },
    });

    await hub.addConnection('c1');

    expect(await syncState(hub.connection, 'automatic')).toMatchObject({
      id: before?.id,
      status: 'PAUSED',
      recordCount: before?.recordCount,
    });
  });
});

describe('a saved change of a sync', () => {
  it('new code applies from the next run; a run in progress keeps the old code', async () => {
    let letGo: () => void = () => {};
    gate = new Promise((resolve) => {
      letGo = resolve;
    });
    await hub.connection.nango.triggerSync('acme', ['code'], 'c1');
    await waitForSync(hub.connection, 'code', ({ status, checkpoint }) => status === 'RUNNING' && checkpoint != null);

    await redeploy('code', { model: 'Code', text: 'two' });
    await waitFor(async () => (await versionOf('code')) === '2', { what: 'version 2' });
    letGo();
    await waitForSync(hub.connection, 'code', hasSucceeded);
    const old = await texts('Code');
    const next = await runToEnd('code');

    expect(old).toEqual([
      ['1', 'one'],
      ['2', 'one'],
    ]);
    expect(await texts('Code')).toEqual([
      ['1', 'two'],
      ['2', 'two'],
    ]);
    expect(next.latestResult).toEqual({ Code: { added: 0, updated: 2, deleted: 0 } });
  });

  it('a new frequency moves schedules, except where the connection has its own', async () => {
    const other = { ...hub.connection, connectionId: 'c2' };
    const to = { provider_config_key: 'acme', sync_name: 'paced' };
    await hub.call('PUT', '/sync/update-connection-frequency', {
      body: { ...to, connection_id: 'c2', frequency: 'every 3 hours' },
    });
    await hub.call('POST', '/sync/start', { body: { syncs: ['paced'], provider_config_key: 'acme' } });
    await waitForSync(hub.connection, 'paced', hasSucceeded);
    await waitForSync(other, 'paced', hasSucceeded);

    await redeploy('paced', { model: 'Paced', frequency: 'every 2 hours' });
    const hours = (state: SyncState | undefined): number =>
      Math.ceil((Date.parse(state?.nextScheduledSyncAt ?? '') - Date.now()) / 3_600_000);
    await waitForSync(hub.connection, 'paced', (state) => state.frequency === 'every 2 hours' && hours(state) === 2);

    expect(hours(await syncState(other, 'paced'))).toBe(3);
    expect(await syncState(other, 'paced')).toMatchObject({ frequency: 'every 3 hours' });
  });

  it('a new autoStart leaves existing schedules as they are', async () => {
    await redeploy('paced', { model: 'Paced', frequency: 'every 4 hours', autoStart: true });
    await hub.call('POST', '/sync/pause', { body: { syncs: ['paced'], provider_config_key: 'acme' } });
    await waitForSync(hub.connection, 'paced', ({ frequency }) => frequency === 'every 4 hours');

    expect(await syncState(hub.connection, 'paced')).toMatchObject({ status: 'PAUSED' });
  });

  it('a dropped model keeps its records, is no longer shown, and accepts no more', async () => {
    await redeploy('shrinks', {
      model: 'Dropped',
      models: 'Kept: z.object({ id: z.string() }), Dropped: z.object({ id: z.string() })',
    });
    await waitFor(async () => (await versionOf('shrinks')) === '2');
    await runToEnd('shrinks');

    await redeploy('shrinks', { model: 'Dropped', models: 'Kept: z.object({ id: z.string() })' });
    await waitFor(async () => (await versionOf('shrinks')) === '3');
    await hub.connection.nango.triggerSync('acme', ['shrinks'], 'c1');
    const failed = await waitForSync(
      hub.connection,
      'shrinks',
      ({ latestExecutionStatus }) => latestExecutionStatus === 'STOPPED',
    );

    expect(failed.recordCount).toEqual({ Kept: 0 });
    expect(await texts('Dropped')).toEqual([
      ['1', 'one'],
      ['2', 'one'],
    ]);
  });

  it('a new file gets its sync on every connection, and runs at once with autoStart', async () => {
    await hub.deploy({ 'syncs/newcomer.ts': source({ model: 'Newcomer', autoStart: true }) });

    await waitForSync(hub.connection, 'newcomer', hasSucceeded);
    await waitForSync({ ...hub.connection, connectionId: 'c2' }, 'newcomer', hasSucceeded);
  });

  it('a removed file ends its syncs after a grace period and keeps its records', async () => {
    await runToEnd('removed');
    const before = (await hub.records('model=Removed')).body;

    await removeFunction(hub.server.workspace, 'acme/syncs/removed.ts');
    await waitFor(async () => (await syncState(hub.connection, 'removed')) === undefined);

    expect((await hub.records('model=Removed')).body).toEqual(before);
    expect(await versionOf('removed')).toBeUndefined();

    // A file that returns under its old name continues where it was.
    await hub.deploy({ 'syncs/removed.ts': source({ model: 'Removed' }) });
    await waitFor(() => syncState(hub.connection, 'removed'));

    expect(await syncState(hub.connection, 'removed')).toMatchObject({
      status: 'PAUSED',
      checkpoint: { text: 'one' },
      recordCount: { Removed: 2 },
    });
  });

  it('a renamed file is a new sync over the records that are there', async () => {
    await runToEnd('old-name');
    const before = await syncState(hub.connection, 'old-name');
    const folder = join(hub.server.workspace, 'acme/syncs');

    await rename(join(folder, 'old-name.ts'), join(folder, 'new-name.ts'));
    await waitFor(() => syncState(hub.connection, 'new-name'), { what: 'the sync under its new name' });
    await waitFor(async () => (await syncState(hub.connection, 'old-name')) === undefined, {
      what: 'the end of the old name',
    });

    const renamed = await syncState(hub.connection, 'new-name');
    expect(renamed).toMatchObject({ status: 'PAUSED', checkpoint: null, recordCount: { Renamed: 2 } });
    expect(renamed?.id).not.toBe(before?.id);
    expect((await runToEnd('new-name')).latestResult).toEqual({ Renamed: { added: 0, updated: 0, deleted: 0 } });

    // Renamed back, it is the sync that it was.
    await rename(join(folder, 'new-name.ts'), join(folder, 'old-name.ts'));

    await waitFor(() => syncState(hub.connection, 'old-name'), { what: 'the sync under its old name' });
    expect(await syncState(hub.connection, 'old-name')).toMatchObject({
      status: 'PAUSED',
      checkpoint: { text: 'one' },
      recordCount: { Renamed: 2 },
    });
    await waitFor(async () => (await syncState(hub.connection, 'new-name')) === undefined);
  });
});

describe('a model that another sync has already', () => {
  it('holds the new function back until the other one no longer has the model', async () => {
    await saveFunction(hub.server.workspace, 'acme/syncs/rival.ts', source({ model: 'Contested', text: 'rival' }));
    await hub.deploy({ 'syncs/after-rival.ts': source({ model: 'AfterRival' }) });
    expect(await versionOf('rival')).toBeUndefined();

    await removeFunction(hub.server.workspace, 'acme/syncs/contested.ts');

    await waitFor(() => versionOf('rival'), { what: 'the rival' });
  });
});

describe('the effects of a deletion', () => {
  it('a connection ends its syncs and takes its records along', async () => {
    const headers = { 'provider-config-key': 'acme', 'connection-id': 'c2' };
    const other = { ...hub.connection, connectionId: 'c2' };
    await waitForSync(other, 'automatic', hasSucceeded);
    expect((await hub.call('GET', '/records?model=Automatic', { headers })).body.records).toHaveLength(2);

    await hub.call('DELETE', '/connections/c2?provider_config_key=acme');

    expect(await hub.call('GET', '/records?model=Automatic', { headers })).toMatchObject({
      status: 400,
      body: { error: { code: 'unknown_connection' } },
    });
    const { body } = await hub.call('GET', '/sync/status?syncs=*&provider_config_key=acme');
    expect(body.syncs.map((one: { connection_id: string }) => one.connection_id)).not.toContain('c2');
    expect(body.syncs.length).toBeGreaterThan(0);
    await hub.addConnection('c2');
    await waitForSync(other, 'automatic', (state) => state.latestResult?.['Automatic']?.added === 2);
  });

  it('a connection ends even a sync that runs, which writes nothing any more', async () => {
    let letGo: () => void = () => {};
    gate = new Promise((resolve) => {
      letGo = resolve;
    });
    const other = { ...hub.connection, connectionId: 'c2' };
    await hub.connection.nango.triggerSync('acme', ['later'], 'c2');
    await waitForSync(other, 'later', ({ status, checkpoint }) => status === 'RUNNING' && checkpoint != null);

    expect((await hub.call('DELETE', '/connections/c2?provider_config_key=acme')).status).toBe(200);
    letGo();
    await hub.addConnection('c2');

    expect(await syncState(other, 'later')).toMatchObject({
      status: 'PAUSED',
      checkpoint: null,
      recordCount: { Later: 0 },
    });
    await hub.connection.nango.triggerSync('acme', ['later'], 'c2');
    expect(await waitForSync(other, 'later', hasSucceeded)).toMatchObject({
      latestResult: { Later: { added: 2, updated: 0, deleted: 0 } },
    });
  });

  it('an integration takes everything along, and its functions wait for it', async () => {
    expect((await hub.call('DELETE', '/integrations/acme')).status).toBe(200);

    expect((await hub.call('GET', '/scripts/config')).body).toEqual([]);
    expect(await hub.action('none')).toMatchObject({ status: 400 });
    await hub.call('POST', '/integrations', { body: { provider: 'acme', unique_key: 'acme' } });
    expect((await hub.addConnection('c1')).status).toBe(201);
    const begun = await waitForSync(hub.connection, 'automatic', hasSucceeded);
    expect(begun.latestResult).toEqual({ Automatic: { added: 2, updated: 0, deleted: 0 } });
  });
});
