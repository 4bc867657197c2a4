import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FunctionHub, startFunctionHub } from '../../support/function-hub.ts';
import { waitFor } from '../../support/wait-for.ts';

function onEvent(event: string, body: string): string {
  return `import { createOnEvent } from 'homeport';

export default createOnEvent({
  description: 'Written by a test',
  event: '${event}',
  exec: async (nango) => {
    ${body}
  },
});
`;
}

const FILES = {
  'on-events/check.ts': onEvent(
    'validate-connection',
    `
    const { data } = await nango.get({ endpoint: '/whoami', params: { id: nango.connectionId } });
    if (data.refused === 'text') throw new Error('not this one');
    if (data.refused) throw new nango.ActionError(data.refused);`,
  ),
  'on-events/welcome.ts': onEvent(
    'post-connection-creation',
    `
    await nango.updateMetadata({ welcomed: nango.scriptType });
    await nango.post({ endpoint: '/created', data: { id: nango.connectionId } });`,
  ),
  'on-events/fails.ts': onEvent('pre-connection-deletion', `throw new Error('no matter');`),
  'on-events/goodbye.ts': onEvent(
    'pre-connection-deletion',
    `await nango.post({ endpoint: '/deleted', data: { id: nango.connectionId } });`,
  ),
};

let hub: FunctionHub;

beforeAll(async () => {
  hub = await startFunctionHub(FILES, {
    prepare: (provider) => {
      provider.on('GET /whoami', { body: {} }).on('POST /created', { body: {} }).on('POST /deleted', { body: {} });
    },
  });
});
afterAll(() => hub?.stop());

function refuse(refused: unknown): void {
  hub.provider.on('GET /whoami', { body: { refused } });
}

const read = (id: string) => hub.call('GET', `/connections/${id}?provider_config_key=acme`);

describe('functions on events of a connection', () => {
  it('a refusal of validate-connection leaves no new connection behind', async () => {
    refuse({ message: 'Wrong workspace' });

    const refused = await hub.addConnection('refused');

    expect(refused).toMatchObject({
      status: 400,
      body: { error: { code: 'connection_validation_failed', message: 'Wrong workspace' } },
    });
    expect((await read('refused')).status).toBe(404);
    expect(hub.provider.requestsTo('/created').map(({ body }) => body.toString())).not.toContain('{"id":"refused"}');
  });

  it.each([
    [{ error: 'From error' }, 'From error'],
    ['text', 'not this one'],
  ])('says why: %j', async (thrown, message) => {
    refuse(thrown);

    expect((await hub.addConnection('refused-too')).body.error.message).toBe(message);
  });

  it('post-connection-creation runs after the creation, and may change the connection', async () => {
    refuse(null);

    expect((await hub.addConnection('made')).status).toBe(201);

    const metadata = await waitFor(async () => {
      const found = (await read('made')).body.metadata;
      return found.welcomed && found;
    });
    expect(metadata).toEqual({ welcomed: 'on-event' });
  });

  it('pre-connection-deletion runs before the deletion, and its failure does not prevent it', async () => {
    refuse(null);
    await hub.addConnection('leaving');

    const deleted = await hub.call('DELETE', '/connections/leaving?provider_config_key=acme');

    expect(deleted.status).toBe(200);
    expect(hub.provider.requestsTo('/deleted').map(({ body }) => body.toString())).toEqual(['{"id":"leaving"}']);
    expect((await read('leaving')).status).toBe(404);
  });
});
