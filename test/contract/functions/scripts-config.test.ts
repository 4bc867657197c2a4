import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FunctionHub, startFunctionHub } from '../../support/function-hub.ts';

const FILES = {
  'actions/create-contact.ts': `import { createAction } from 'homeport';
import * as z from 'zod';

export default createAction({
  description: 'Creates a contact.\\n- name: The full name\\n- age: In years',
  version: '2.1.0',
  scopes: ['contacts:write'],
  endpoint: { method: 'POST', path: '/contacts', group: 'Contacts' },
  input: z.object({ name: z.string(), age: z.number().optional() }),
  output: z.object({ id: z.string() }),
  exec: async () => ({ id: '1' }),
});
`,
  'actions/ping.ts': `import { createAction } from 'homeport';
import * as z from 'zod';

export default createAction({ description: 'Pings', input: z.void(), output: z.null(), exec: async () => null });
`,
  'syncs/contacts.ts': `import { createSync } from 'homeport';
import * as z from 'zod';

export default createSync({
  description: 'Copies contacts',
  frequency: 'every 5 minutes',
  syncType: 'incremental',
  autoStart: false,
  scopes: ['contacts:read'],
  models: { Contact: z.object({ id: z.string() }), Company: z.object({ id: z.string() }) },
  endpoints: [{ method: 'GET', path: '/contacts' }, { method: 'GET', path: '/companies' }],
  webhookSubscriptions: ['contact.created'],
  metadata: z.object({ region: z.string() }),
  exec: async (nango) => {
    await nango.getCheckpoint();
  },
  onWebhook: async () => {},
});
`,
  'on-events/greet.ts': `import { createOnEvent } from 'homeport';

export default createOnEvent({ description: 'Greets', event: 'post-connection-creation', exec: async () => {} });
`,
};

let hub: FunctionHub;

beforeAll(async () => {
  hub = await startFunctionHub(FILES);
});
afterAll(() => hub?.stop());

describe('GET /scripts/config', () => {
  it('lists the functions of each integration by name, with their facts', async () => {
    const { status, body } = await hub.call('GET', '/scripts/config');

    expect(status).toBe(200);
    expect(body).toHaveLength(1);
    expect(body[0]).toMatchObject({ providerConfigKey: 'acme', provider: 'acme' });
    expect(body[0].actions.map(({ name }: { name: string }) => name)).toEqual(['create-contact', 'ping']);
    expect(body[0].actions[0]).toEqual({
      id: expect.any(Number),
      name: 'create-contact',
      type: 'action',
      returns: ['ActionOutput_acme_createcontact'],
      description: 'Creates a contact.\n- name: The full name\n- age: In years',
      attributes: {},
      scopes: ['contacts:write'],
      version: '2.1.0',
      source: 'repo',
      endpoints: [{ method: 'POST', path: '/contacts', group: 'Contacts' }],
      input: 'ActionInput_acme_createcontact',
      enabled: true,
      last_deployed: expect.stringMatching(/^\d{4}-.*Z$/),
      webhookSubscriptions: [],
      sdk_version: null,
      models: [{ name: 'ActionOutput_acme_createcontact', fields: [] }],
      features: [],
      json_schema: {
        definitions: {
          ActionInput_acme_createcontact: {
            type: 'object',
            properties: { name: { type: 'string' }, age: { type: 'number' } },
            required: ['name'],
            additionalProperties: false,
          },
          ActionOutput_acme_createcontact: {
            type: 'object',
            properties: { id: { type: 'string' } },
            required: ['id'],
            additionalProperties: false,
          },
        },
      },
    });
  });

  it('describes how and when a sync runs', async () => {
    const { body } = await hub.call('GET', '/scripts/config?format=anything');

    expect(body[0].syncs).toHaveLength(1);
    expect(body[0].syncs[0]).toMatchObject({
      name: 'contacts',
      type: 'sync',
      returns: ['Contact', 'Company'],
      version: '1',
      input: 'SyncMetadata_acme_contacts',
      endpoints: [
        { method: 'GET', path: '/contacts', group: null },
        { method: 'GET', path: '/companies', group: null },
      ],
      webhookSubscriptions: ['contact.created'],
      features: ['checkpoints'],
      scopes: ['contacts:read'],
      models: [
        { name: 'Contact', fields: [] },
        { name: 'Company', fields: [] },
      ],
      sync_type: 'incremental',
      auto_start: false,
      runs: 'every 5 minutes',
      track_deletes: false,
    });
    expect(Object.keys(body[0].syncs[0].json_schema.definitions).sort()).toEqual([
      'Company',
      'Contact',
      'SyncMetadata_acme_contacts',
    ]);
  });

  it('describes functions as tools', async () => {
    const { status, body } = await hub.call('GET', '/scripts/config?format=openai');

    const tool = (name: string): unknown => body.data.find((one: { name: string }) => one.name === name);
    const nothing = { type: 'object', properties: {}, required: [] };
    expect(status).toBe(200);
    expect(body.data).toHaveLength(3);
    expect(tool('create-contact')).toEqual({
      name: 'create-contact',
      description: 'Creates a contact.\n- name: The full name\n- age: In years',
      parameters: {
        type: 'object',
        required: ['name'],
        properties: {
          name: { type: 'string', description: 'The full name' },
          age: { type: 'number', description: 'In years' },
        },
      },
    });
    expect(tool('ping')).toEqual({ name: 'ping', description: 'Pings', parameters: nothing });
    expect(tool('contacts')).toEqual({ name: 'contacts', description: 'Copies contacts', parameters: nothing });
  });
});
