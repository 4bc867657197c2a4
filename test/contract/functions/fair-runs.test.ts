import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FunctionHubProcess, startFunctionHubProcess } from '../../support/function-hub.ts';
import { actionSource, saveFunction, syncSource } from '../../support/server-workspace.ts';
import { waitFor } from '../../support/wait-for.ts';
import { hasSucceeded, waitForSync } from '../../support/wait-for-sync.ts';

const CONNECTIONS = 8;
const FILES = {
  'actions/quick.ts': actionSource(`return 'done';`),
  'syncs/hang-one.ts': hangingSync('One'),
  'syncs/hang-two.ts': hangingSync('Two'),
  'syncs/hang-three.ts': hangingSync('Three'),
};

/** Two syncs of an integration may not have models with the same name. */
function hangingSync(model: string): string {
  return syncSource(`await nango.get({ endpoint: '/hangs' });`).replace('{ Item:', `{ ${model}:`);
}

/** The memory for runs allows nine background runs: seven, and two for functions without running ones. */
const MEMORY = { HOMEPORT_FUNCTION_MEMORY_MB: '4096' };
const HANGING_RUNS = 7;

let hub: FunctionHubProcess;
let hanging: number;
/** Runs that a test ended: others took their slots. */
let ended = 0;

beforeAll(async () => {
  hub = await startFunctionHubProcess(FILES, { env: MEMORY });
  hanging = 0;
  hub.provider.on('GET /hangs', () => {
    hanging += 1;
    return new Promise(() => {});
  });
  await hub.call('POST', '/integrations', { body: { provider: 'acme', unique_key: 'quiet' } });
  await saveFunction(
    hub.server.workspace,
    'quiet/syncs/short.ts',
    syncSource(`await nango.batchSave([{ id: '1', text: 'x' }], 'Item');`),
  );
  await hub.addConnection('q1', { provider_config_key: 'quiet' });
  for (let n = 2; n <= CONNECTIONS; n++) await hub.addConnection(`c${n}`);
  await flood();
});
afterAll(() => hub?.stop());

/** 24 runs of one integration that never end by themselves: more than there are slots. */
async function flood(): Promise<void> {
  const syncs = ['hang-one', 'hang-two', 'hang-three'];
  const ids = Array.from({ length: CONNECTIONS }, (_, n) => `c${n + 1}`);
  for (const id of ids) {
    await waitForSync({ ...hub.connection, connectionId: id }, 'hang-three', () => true);
    await hub.connection.nango.triggerSync('acme', syncs, id);
  }
  await waitFor(() => hanging >= HANGING_RUNS, { what: 'a run in every slot' });
}

describe('an integration that floods the hub with syncs', () => {
  it('keeps neither actions nor the syncs of another integration waiting, nor on-demand runs of its own', {
    tags: ['slow'],
  }, async () => {
    const quiet = { ...hub.connection, integration: 'quiet', connectionId: 'q1' };
    await waitForSync(quiet, 'short', () => true);

    expect(await hub.action('quick')).toMatchObject({ status: 200, body: 'done' });
    const actions = await Promise.all(Array.from({ length: 30 }, () => hub.action('quick')));
    await hub.connection.nango.triggerSync('quiet', ['short'], 'q1');
    await waitForSync(quiet, 'short', hasSucceeded);

    expect(new Set(actions.map(({ body }) => body))).toEqual(new Set(['done']));
    // The flood itself uses all slots that it may use.
    expect(hanging).toBe(HANGING_RUNS + ended);
  });

  it('has its waiting runs begun as slots become free', async () => {
    await hub.connection.nango.startSync('acme', ['hang-one'], 'c1');
    await hub.connection.nango.pauseSync('acme', ['hang-one'], 'c1');

    await waitFor(() => hanging > HANGING_RUNS, { what: 'the next run' });
    ended = 1;
  });
});
