import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type FunctionHub, type HubResponse, startFunctionHub } from '../../support/function-hub.ts';
import { actionSource } from '../../support/server-workspace.ts';
import { waitFor } from '../../support/wait-for.ts';

const FILES = {
  'actions/hangs.ts': actionSource(`return (await nango.get({ endpoint: '/hangs', retries: 3 })).data;`),
  'actions/loops.ts': actionSource(`await nango.get({ endpoint: '/begun' }); for (;;) {}`),
  'actions/sleeps.ts': actionSource(
    `await nango.get({ endpoint: '/begun' }); await new Promise((resolve) => setTimeout(resolve, 600000));`,
  ),
  'actions/quick.ts': actionSource(`return 'done';`),
};

let hub: FunctionHub;
/** Requests of the functions that the provider has not answered. */
let open: number;

beforeAll(async () => {
  hub = await startFunctionHub(FILES);
});
beforeEach(async () => {
  // One test deletes the integration.
  await hub.call('POST', '/integrations', { body: { provider: 'acme', unique_key: 'acme' } });
  await hub.deploy(FILES);
  await hub.addConnection('c1');
  open = 0;
  hub.provider.on('GET /begun', { body: {} }).on('GET /hangs', () => {
    open += 1;
    return new Promise(() => {});
  });
});
afterAll(() => hub?.stop());

function trigger(connectionId: string, name: string, headers = {}): Promise<HubResponse> {
  return hub.call('POST', '/action/trigger', {
    body: { action_name: name },
    headers: { 'provider-config-key': 'acme', 'connection-id': connectionId, ...headers },
  });
}

async function begin(connectionId: string, name: string): Promise<{ response: Promise<HubResponse> }> {
  await hub.addConnection(connectionId);
  const before = hub.provider.requests.length;
  const response = trigger(connectionId, name);
  await waitFor(() => hub.provider.requests.length > before, { what: `the request of ${name}` });
  return { response };
}

const CANCELLED = {
  status: 500,
  body: { error: { code: 'action_script_failure', payload: { error: expect.stringContaining('cancelled') } } },
};

describe('a run whose connection is deleted', () => {
  it.each(['hangs', 'loops', 'sleeps'])('ends at once: %s', async (name) => {
    const { response } = await begin(`gone-${name}`, name);

    await hub.call('DELETE', `/connections/gone-${name}?provider_config_key=acme`);

    expect(await response).toMatchObject(CANCELLED);
    expect(await hub.action('quick')).toMatchObject({ status: 200, body: 'done' });
  });

  it('asks the provider nothing more', async () => {
    const { response } = await begin('gone-retries', 'hangs');
    const asked = open;

    await hub.call('DELETE', '/connections/gone-retries?provider_config_key=acme');
    await response;

    expect(open).toBe(asked);
  });

  it('differs from the runs of other connections', async () => {
    let letGo: () => void = () => {};
    hub.provider.on(
      'GET /hangs',
      () =>
        new Promise((resolve) => {
          letGo = () => resolve({ body: 'late' });
        }),
    );
    const { response } = await begin('stays', 'hangs');
    await hub.addConnection('goes');

    await hub.call('DELETE', '/connections/goes?provider_config_key=acme');
    letGo();

    expect(await response).toMatchObject({ status: 200, body: 'late' });
  });

  it('ends with its integration, too, and an asynchronous one is tried no more', async () => {
    hub.provider.on('GET /hangs', () => new Promise(() => {}));
    const { response } = await begin('with-integration', 'hangs');
    const asked = hub.provider.requestsTo('/hangs').length;
    await hub.addConnection('waits');
    const { body: queued } = await trigger('waits', 'hangs', { 'x-async': 'true', 'x-max-retries': '5' });
    await waitFor(() => hub.provider.requestsTo('/hangs').length > asked, { what: 'the request of the queued run' });

    await hub.call('DELETE', '/integrations/acme');

    expect(await response).toMatchObject(CANCELLED);
    const ended = await waitFor(async () => {
      const result = await hub.call('GET', `/action/${queued.id}`);
      return result.body?.error?.code === 'not_found' ? undefined : result;
    });
    expect(ended.body.error.code).toMatch(/^unknown_(provider|connection)$/);
  });
});
