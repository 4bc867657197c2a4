// @module-tag slow
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FunctionHubProcess, startFunctionHubProcess } from '../../support/function-hub.ts';
import { saveFunction, syncSource } from '../../support/server-workspace.ts';
import { waitFor } from '../../support/wait-for.ts';

const IMPORTS = 40;

/** Asks the provider whether the connection is valid. */
const VALIDATE = `import { createOnEvent } from 'homeport';

export default createOnEvent({
  description: 'Written by a test',
  event: 'validate-connection',
  exec: async (nango) => {
    const { data } = await nango.get({ endpoint: '/validation' });
    if (data.refused) throw new nango.ActionError({ message: 'no' });
  },
});
`;

let hub: FunctionHubProcess;

beforeAll(async () => {
  hub = await startFunctionHubProcess(
    { 'syncs/copy.ts': syncSource('await nango.getCheckpoint();'), 'on-events/validate.ts': VALIDATE },
    { prepare: (provider) => provider.on('GET /validation', { body: {} }).on('POST /app', { body: {} }) },
  );
  await hub.call('PATCH', '/environment/settings', {
    body: { webhook: { primary_url: `${hub.provider.address}/app`, on_auth_creation: true } },
  });
  await hub.call('POST', '/integrations', { body: { provider: 'acme', unique_key: 'plain' } });
  await saveFunction(hub.server.workspace, 'plain/syncs/copy.ts', syncSource('await nango.getCheckpoint();'));
  await waitFor(async () => (await hub.call('GET', '/integrations/plain/functions/copy')).status === 200);
});
afterAll(() => hub?.stop());

async function syncsOf(integration: string): Promise<string[]> {
  const { body } = await hub.call('GET', `/sync/status?syncs=*&provider_config_key=${integration}`);
  return body.syncs.map((sync: { connection_id: string }) => sync.connection_id).sort();
}

async function connectionsOf(integration: string): Promise<string[]> {
  const { body } = await hub.call('GET', '/connections');
  return body.connections
    .filter((one: { provider_config_key: string }) => one.provider_config_key === integration)
    .map((one: { connection_id: string }) => one.connection_id)
    .sort();
}

/**
 * The webhooks that the application received about a connection: operation and success, each once. An attempt that a kill
 * interrupted is repeated.
 */
function outcomesOf(connectionId: string): Array<[string, boolean]> {
  const bodies = hub.provider.requestsTo('/app').map(({ body }) => JSON.parse(body.toString()));
  const outcomes = bodies
    .filter((event) => event.connectionId === connectionId)
    .map(({ operation, success }): [string, boolean] => [operation, success]);
  return [...new Map(outcomes.map((one) => [one.join(), one])).values()];
}

/** The server dies while a function validates the connection; after the restart the provider gives this response. */
async function dieDuringValidation(body: { refused: boolean }, send: () => Promise<unknown>): Promise<void> {
  const asked = new Promise<void>((resolve) => {
    hub.provider.on('GET /validation', () => {
      resolve();
      return new Promise(() => {});
    });
  });
  const response = send().catch(() => undefined);
  await asked;
  await hub.server.kill();
  expect(await response).toBeUndefined();
  hub.provider.on('GET /validation', { body: body });
  await hub.server.restart();
}

const add = (id: string, apiKey: string) => hub.addConnection(id, { credentials: { type: 'API_KEY', apiKey } });

const keyOf = async (id: string): Promise<string> =>
  (await hub.call('GET', `/connections/${id}?provider_config_key=acme`)).body.credentials.apiKey;

describe('what follows a connection that was stored when the server was killed', () => {
  it('is done after the restart for every connection there is', async () => {
    const ids = Array.from({ length: IMPORTS }, (_, index) => `burst-${index}`);
    const answered: string[] = [];
    const first = Promise.withResolvers<void>();
    const calls = Promise.allSettled(
      ids.map(async (id) => {
        const { status } = await hub.addConnection(id, { provider_config_key: 'plain' });
        if (status === 201) answered.push(id);
        first.resolve();
      }),
    );
    await first.promise;
    await hub.server.kill();
    await calls;

    await hub.server.restart();

    const there = await connectionsOf('plain');
    expect(there).toEqual(expect.arrayContaining(answered));
    await waitFor(async () => (await syncsOf('plain')).length === there.length, { what: 'the syncs of all of them' });
    expect(await syncsOf('plain')).toEqual(there);
    await waitFor(() => there.every((id) => outcomesOf(id).length > 0), { what: 'the outcomes of all of them' });
    expect(there.map((id) => outcomesOf(id)[0])).toEqual(there.map(() => ['creation', true]));
  });

  it('begins with the result of its functions', { tags: ['nightly'] }, async () => {
    await dieDuringValidation({ refused: false }, () => add('judged', 'fresh'));

    await waitFor(async () => (await syncsOf('acme')).includes('judged'));
    await waitFor(() => outcomesOf('judged').length > 0);
    expect(outcomesOf('judged')).toEqual([['creation', true]]);
  });

  it('removes a new connection that they refuse', async () => {
    await dieDuringValidation({ refused: true }, () => add('refused', 'fresh'));

    await waitFor(() => outcomesOf('refused').length > 0);
    expect(outcomesOf('refused')).toEqual([['creation', false]]);
    expect(await connectionsOf('acme')).not.toContain('refused');
  });

  it('marks an overwritten connection that they refuse', { tags: ['nightly'] }, async () => {
    hub.provider.on('GET /validation', { body: {} });
    await add('renewed', 'old');

    await dieDuringValidation({ refused: true }, () => add('renewed', 'new'));

    await waitFor(() => outcomesOf('renewed').length > 1);
    expect(outcomesOf('renewed')).toEqual([
      ['creation', true],
      ['override', false],
    ]);
    expect(await keyOf('renewed')).toBe('new');
    expect((await hub.call('GET', '/connections/renewed?provider_config_key=acme')).body.errors).toMatchObject([
      { type: 'auth' },
    ]);
  });

  it('puts the old credentials back when they refuse a sign-in', { tags: ['nightly'] }, async () => {
    hub.provider.on('GET /validation', { body: {} });
    await add('signed-in', 'old');
    const session = await hub.call('POST', '/connect/sessions/reconnect', {
      body: { connection_id: 'signed-in', integration_id: 'acme' },
    });
    const at = `/api-auth/api-key/acme?connect_session_token=${session.body.data.token}`;

    await dieDuringValidation({ refused: true }, () => hub.call('POST', at, { body: { apiKey: 'new' } }));

    await waitFor(() => outcomesOf('signed-in').length > 1);
    expect(outcomesOf('signed-in')[1]).toEqual(['override', false]);
    expect(await keyOf('signed-in')).toBe('old');
  });
});
