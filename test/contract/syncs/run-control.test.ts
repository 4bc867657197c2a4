import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type FunctionHub, type HubResponse, startFunctionHub } from '../../support/function-hub.ts';
import { actionSource, syncSource } from '../../support/server-workspace.ts';
import { waitFor } from '../../support/wait-for.ts';
import { hasSucceeded, syncState, waitForSync } from '../../support/wait-for-sync.ts';

const HELD = syncSource(`
    await nango.post({ endpoint: '/begun', data: { last: nango.lastSyncDate ?? null, variant: nango.variant } });
    await nango.get({ endpoint: '/gate' });
    await nango.batchSave([{ id: '1', text: 'x' }], 'Item');`);
const FILES = {
  'syncs/held.ts': HELD,
  'syncs/greeted.ts': syncSource(`
    await nango.post({ endpoint: '/greeted', data: await nango.getMetadata() });`)
    .replace('autoStart: false', 'autoStart: true')
    .replace('Item:', 'Greeted:'),
  'on-events/greet.ts': `import { createOnEvent } from 'homeport';
export default createOnEvent({
  description: 'Written by a test',
  event: 'post-connection-creation',
  exec: async (nango) => {
    await nango.get({ endpoint: '/greeting' });
    await nango.setMetadata({ greeted: true });
  },
});
`,
  'actions/control.ts': actionSource(`
    const { method, args } = input;
    return (await nango[method](...args)) === undefined;`),
};

let hub: FunctionHub;
let letGo: () => void = () => {};
let gate: Promise<void> = Promise.resolve();

beforeAll(async () => {
  hub = await startFunctionHub(FILES, {
    prepare: (provider) =>
      provider
        .on('POST /begun', { body: {} })
        .on('POST /greeted', { body: {} })
        .on('GET /greeting', async () => {
          await gate;
          return { body: {} };
        })
        .on('GET /gate', async () => {
          await gate;
          return { body: {} };
        }),
  });
});
beforeEach(async () => {
  letGo();
  await hub.renewConnection();
  await waitForSync(hub.connection, 'greeted', hasSucceeded);
});
afterAll(async () => {
  letGo();
  await hub?.stop();
});

function closeGate(): void {
  gate = new Promise((resolve) => {
    letGo = resolve;
  });
}

// biome-ignore lint/suspicious/noExplicitAny: what the sync told
const begun = (): any[] => hub.provider.requestsTo('/begun').map(({ body }) => JSON.parse(body.toString()));
const to = { provider_config_key: 'acme', connection_id: 'c1' };
const trigger = (more: Record<string, unknown> = {}, headers: Record<string, string> = {}): Promise<HubResponse> =>
  hub.call('POST', '/sync/trigger', { body: { syncs: ['held'], ...to, ...more }, headers });

/** The output of the run that `start` causes, once it succeeded. */
async function runBy(start: () => Promise<unknown>, name = 'held'): Promise<{ last: string | null; variant: string }> {
  const count = begun().length;
  const finishedAt = (await syncState(hub.connection, name))?.finishedAt;
  await start();
  await waitForSync(hub.connection, name, (state) => hasSucceeded(state) && state.finishedAt !== finishedAt);
  expect(begun()).toHaveLength(count + 1);
  return begun().at(-1);
}

const ANEW = { last: null, variant: 'base' };
const ON = { last: expect.stringMatching(/Z$/), variant: 'base' };

describe('a new connection', () => {
  it('has its syncs once the functions of its creation have run, and not before', async () => {
    closeGate();
    const count = (path: string): number => hub.provider.requestsTo(path).length;
    const before = { greeting: count('/greeting'), greeted: count('/greeted') };
    await hub.addConnection('c2');
    await waitFor(() => count('/greeting') > before.greeting, { what: 'the greeting of c2' });
    const other = { ...hub.connection, connectionId: 'c2' };
    expect(await syncState(other, 'greeted')).toBeUndefined();

    letGo();
    await waitForSync(other, 'greeted', hasSucceeded);

    const greeted = hub.provider.requestsTo('/greeted').slice(before.greeted - 1);
    expect(greeted.map(({ body }) => JSON.parse(body.toString()))).toEqual([{ greeted: true }, { greeted: true }]);
  });
});

describe('a trigger', () => {
  it('starts again for each way to ask for it', async () => {
    expect(await runBy(() => trigger())).toEqual(ANEW);
    expect(await runBy(() => trigger({ opts: { reset: true, unknown: 1 } }))).toEqual(ANEW);
    expect(await runBy(() => trigger({ sync_mode: 'full_refresh' }))).toEqual(ANEW);
    expect(await runBy(() => trigger({ full_resync: true }))).toEqual(ANEW);
    const { nango } = hub.connection;
    expect(await runBy(() => nango.triggerSync('acme', ['held'], 'c1', true))).toEqual(ANEW);
    expect(await runBy(() => nango.triggerSync('acme', ['held'], 'c1', { reset: true }))).toEqual(ANEW);
  });

  it('continues for each form of that request', async () => {
    await runBy(() => trigger());
    const { nango } = hub.connection;
    expect(await runBy(() => trigger({ opts: {} }))).toEqual(ON);
    expect(await runBy(() => trigger({ full_resync: false }))).toEqual(ON);
    // The newer of the two older spellings wins.
    expect(await runBy(() => trigger({ sync_mode: 'incremental', full_resync: true }))).toEqual(ON);
    expect(await runBy(() => nango.triggerSync('acme', ['held'], 'c1', false))).toEqual(ON);
    expect(await runBy(() => nango.triggerSync('acme', [{ name: 'held', variant: 'base' }], 'c1'))).toEqual(ON);
  });

  it('goes by its body where headers say something else', async () => {
    const headers = { 'provider-config-key': 'none', 'connection-id': 'none' };
    await runBy(() => trigger());

    expect(await runBy(() => trigger({}, headers))).toEqual(ON);
  });

  it('may name more syncs than a start or a pause', async () => {
    const { status, body } = await trigger({ syncs: Array.from({ length: 300 }, () => 'none') });

    expect({ status, code: body.error.code }).toEqual({ status: 400, code: 'no_syncs_found' });
  });
});

describe('a function that controls syncs', () => {
  const call = (method: string, ...args: unknown[]): Promise<HubResponse> => hub.action('control', { method, args });

  it('names the connection before the sync, and says how in the new or an older way', async () => {
    await runBy(() => trigger());
    expect(await runBy(() => call('triggerSync', 'acme', 'c1', 'held'))).toEqual(ON);
    expect(
      await runBy(() => call('triggerSync', 'acme', 'c1', { name: 'held', variant: 'base' }, 'incremental')),
    ).toEqual(ON);
    expect(await runBy(() => call('triggerSync', 'acme', 'c1', 'held', { emptyCache: true }))).toEqual(ON);
    for (const mode of [{ reset: true }, 'full_refresh', 'full_refresh_and_clear_cache', true])
      expect(await runBy(() => call('triggerSync', 'acme', 'c1', 'held', mode))).toEqual(ANEW);
    const responses: HubResponse[] = [];
    await runBy(async () => responses.push(await call('triggerSync', 'acme', 'c1', 'held')));
    expect(responses[0]?.body).toBe(true);
  });

  it('clears the cache only when it says so', async () => {
    const addedBy = async (mode: unknown): Promise<unknown> => {
      await runBy(() => call('triggerSync', 'acme', 'c1', 'held', mode));
      return (await syncState(hub.connection, 'held'))?.latestResult?.['Item']?.added;
    };
    await runBy(() => trigger());

    expect(await addedBy({ reset: true })).toBe(0);
    expect(await addedBy({ emptyCache: true })).toBe(0);
    expect(await addedBy({ reset: true, emptyCache: true })).toBe(1);
    expect(await addedBy('full_refresh_and_clear_cache')).toBe(1);
  });

  it('names the connection after the syncs when it starts them', async () => {
    await hub.call('POST', `/sync/held/variant/started`, { body: to });

    const { body } = await call('startSync', 'acme', [{ name: 'held', variant: 'started' }], 'c1');

    expect(body).toBe(true);
    await waitForSync(hub.connection, 'held::started', hasSucceeded);
    expect((await syncState(hub.connection, 'held'))?.status).toBe('PAUSED');
  });

  it('accepts a variant in one text too, as the API does', async () => {
    await hub.call('POST', `/sync/held/variant/named`, { body: to });

    const { body } = await call('triggerSync', 'acme', 'c1', 'held::named');

    expect(body).toBe(true);
    await waitForSync(hub.connection, 'held::named', hasSucceeded);
  });

  it('gets an error when there is no such sync', async () => {
    const { status, body } = await call('triggerSync', 'acme', 'c1', 'none');

    expect(status).toBeGreaterThanOrEqual(400);
    expect(JSON.stringify(body)).toContain('No such sync');
  });
});

/** Pausing what is already paused would not stop the run. */
async function pauseStarted(): Promise<void> {
  for (const command of ['start', 'pause'])
    await hub.call('POST', `/sync/${command}`, { body: { syncs: ['held'], ...to } });
}

describe('the end of a run from outside', () => {
  it.each([
    ['a pause', 1, pauseStarted, 'STOPPED'],
    ['a reset', 2, () => trigger({ opts: { reset: true } }), 'SUCCESS'],
  ])('by %s cuts its requests at once', async (_, runs, command, latestExecutionStatus) => {
    closeGate();
    const count = (path: string): number => hub.provider.requestsTo(path).length;
    const cut = (): number => hub.provider.cutRequests.length;
    const before = { begun: count('/begun'), asked: count('/gate'), cut: cut() };
    await trigger();
    await waitFor(() => count('/gate') > before.asked);

    await command();

    await waitFor(() => cut() > before.cut, { what: 'the cut request' });
    expect(hub.provider.cutRequests.at(-1)?.url).toBe('/gate');
    await waitFor(() => count('/begun') === before.begun + runs, { what: 'the run after the cut one' });
    letGo();
    await waitForSync(hub.connection, 'held', (now) => now.latestExecutionStatus === latestExecutionStatus);
  });

  it('by the deletion of its variant, leaves nothing of it', async () => {
    closeGate();
    await hub.call('POST', '/sync/held/variant/doomed', { body: to });
    const asked = hub.provider.requestsTo('/gate').length;
    await trigger({ syncs: ['held::doomed'] });
    await waitFor(() => hub.provider.requestsTo('/gate').length > asked);
    const before = hub.provider.cutRequests.length;

    await hub.call('DELETE', '/sync/held/variant/doomed', { body: to });
    await waitFor(() => hub.provider.cutRequests.length > before);
    letGo();

    expect(await syncState(hub.connection, 'held::doomed')).toBeUndefined();
    expect((await hub.records('model=Item&variant=doomed')).body.records).toEqual([]);
    await hub.call('POST', '/sync/held/variant/doomed', { body: to });
    expect(await syncState(hub.connection, 'held::doomed')).toMatchObject({ status: 'PAUSED', checkpoint: null });
    expect(await syncState(hub.connection, 'held::doomed')).not.toHaveProperty('latestResult');
  });
});
