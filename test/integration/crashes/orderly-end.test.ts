// @module-tag slow
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiCaller } from '../../contract/http/api-caller.ts';
import { type FunctionHubProcess, startFunctionHubProcess } from '../../support/function-hub.ts';
import { RotatingProvider } from '../../support/rotating-provider.ts';
import { actionSource, syncSource } from '../../support/server-workspace.ts';
import { startInProcess } from '../../support/start-in-process.ts';
import { createTempHome } from '../../support/temp-home.ts';
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

describe('a renewal at the moment of the stop', () => {
  it.each([
    ['comes', true],
    ['does not come', false],
  ])('ends before the parts that it uses, when its answer %s', async (_what, comes) => {
    const provider = await RotatingProvider.start();
    const gate = Promise.withResolvers<void>();
    const home = await createTempHome();
    await mkdir(join(home.path, 'functions'));
    await writeFile(join(home.path, 'functions', 'providers.yaml'), provider.entry('rotating'));
    const server = await startInProcess({ home: home.path });
    const api = new ApiCaller(server);
    const read = 'GET /connections/c1?provider_config_key=rotating&refresh_token=true';
    const credentials = { access_token: provider.accessToken, refresh_token: provider.refreshToken };
    try {
      await api.send('POST /integrations', {
        body: {
          provider: 'rotating',
          unique_key: 'rotating',
          credentials: { type: 'OAUTH2', client_id: 'client-1', client_secret: 'secret-1' },
        },
      });
      await api.send('POST /connections', {
        body: {
          provider_config_key: 'rotating',
          connection_id: 'c1',
          credentials: { type: 'OAUTH2', ...credentials, no_expiration: true },
        },
      });
      provider.gate = gate.promise;
      const cutOff = api.send(`${read}&force_refresh=true`).catch(() => 'cut off');
      await waitFor(() => provider.refreshCount > 0, { what: 'the request for a token' });

      const ended = server.end();
      expect(await cutOff).toBe('cut off');
      if (comes) gate.resolve();
      await ended;
      expect(server.errorOutput()).toBe('');

      provider.gate = undefined;
      await server.restart();
      const { body } = await api.send(read);
      expect(body).toMatchObject({
        errors: [],
        credentials: comes ? { access_token: provider.accessToken, refresh_token: provider.refreshToken } : credentials,
      });
    } finally {
      gate.resolve();
      await server.stop();
      await provider.stop();
      await home.remove();
    }
  });
});
