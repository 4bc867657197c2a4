// @module-tag slow
import { readdir } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FunctionHubProcess, startFunctionHubProcess } from '../../support/function-hub.ts';
import { actionSource, syncSource } from '../../support/server-workspace.ts';
import { waitFor } from '../../support/wait-for.ts';

/** Runs after a connection was created. */
const AFTERWARDS = `import { createOnEvent } from 'homeport';

export default createOnEvent({
  description: 'Written by a test',
  event: 'post-connection-creation',
  exec: async (nango) => {
    await nango.post({ endpoint: '/welcome', retries: 0 });
  },
});
`;

const NEVER_ANSWERS = () => new Promise<never>(() => {});

let hub: FunctionHubProcess;

beforeAll(async () => {
  hub = await startFunctionHubProcess(
    {
      'actions/ask.ts': actionSource(`return (await nango.get({ endpoint: '/slow' })).data;`),
      'actions/spin.ts': actionSource('for (;;);'),
      'syncs/copy.ts': syncSource(`await nango.get({ endpoint: '/pages' });`),
    },
    {
      prepare: (provider) => provider.on('GET /slow', NEVER_ANSWERS).on('GET /pages', NEVER_ANSWERS),
    },
  );
});
afterAll(() => hub?.stop());

const isAsked = (path: string) => () => hub.provider.requestsTo(path).length > 0;

it('SIGTERM ends the server within its limit, at any moment (design.md 3)', async () => {
  await hub.call('POST', '/sync/trigger', {
    body: { provider_config_key: 'acme', connection_id: 'c1', syncs: ['copy'] },
  });
  const cutOff = Promise.allSettled([
    hub.action('ask'),
    hub.action('spin'),
    hub.call('GET', '/proxy/slow', { headers: { 'provider-config-key': 'acme', 'connection-id': 'c1' } }),
  ]);
  await waitFor(() => hub.provider.requestsTo('/slow').length === 2, { what: 'the action and the proxy call' });
  await waitFor(isAsked('/pages'), { what: 'the sync' });

  // Status 1 would mean that the time limit ended it.
  expect(await hub.server.end()).toBe(0);
  await cutOff;

  hub.provider.on('GET /pages', { body: [] });
  await hub.server.restart();
  await waitFor(
    async () => {
      const { body } = await hub.call('GET', '/sync/status?syncs=copy&provider_config_key=acme&connection_id=c1');
      return body.syncs[0].latestExecutionStatus === 'SUCCESS';
    },
    { what: 'the sync that goes on' },
  );
});

it('SIGTERM does not wait for the function of a new connection, which the next start runs again', async () => {
  hub.provider.on('POST /welcome', NEVER_ANSWERS);
  await hub.deploy({ 'on-events/welcome.ts': AFTERWARDS });
  const before = hub.provider.requestsTo('/welcome').length;
  await hub.addConnection('c2');
  await waitFor(() => hub.provider.requestsTo('/welcome').length > before, { what: 'the function of the connection' });

  expect(await hub.server.end()).toBe(0);
  expect(await readdir(hub.server.home)).not.toContain('server.json');

  hub.provider.on('POST /welcome', { body: {} });
  await hub.server.restart();
  await waitFor(() => hub.provider.requestsTo('/welcome').length > before + 1, { what: 'the function, run again' });
});
