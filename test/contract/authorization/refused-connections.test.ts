import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { lookInto } from '../../support/look-into.ts';
import { syncSource } from '../../support/server-workspace.ts';
import { waitFor } from '../../support/wait-for.ts';
import { DashboardClient } from '../dashboard/dashboard-client.ts';
import { WebhookReceiver } from '../webhooks/webhook-receiver.ts';
import { AuthModesHub, onEventSource } from './auth-modes-hub.ts';

const CHECK = onEventSource(
  'validate-connection',
  `
    const { data } = await nango.get({ endpoint: '/whoami', params: { id: nango.connectionId } });
    if (data.refused === 'memory') for (const filled = []; ; ) filled.push(new Array(1_000_000).fill(0));
    if (data.refused === 'after lock') {
      try {
        await nango.getConnection();
      } catch {
        throw new nango.ActionError({ message: 'Not welcome' });
      }
    }
    if (data.refused === 'text') throw new Error('not this one');
    if (data.refused) throw new nango.ActionError(data.refused);`,
);
const STARTING_SYNC = syncSource(`await nango.batchSave([{ id: '1', text: 'x' }], 'Item');`).replace(
  'autoStart: false',
  'autoStart: true',
);
const FILES = {
  'own-key/on-events/check.ts': CHECK,
  'own-cc/on-events/check.ts': CHECK,
  'own-key/on-events/welcome.ts': onEventSource(
    'post-connection-creation',
    `await nango.updateMetadata({ welcomed: nango.connectionId });`,
  ),
  'own-key/syncs/items.ts': STARTING_SYNC,
  'own-outbound/on-events/welcome.ts': onEventSource('post-connection-creation', `await nango.log('hello');`),
  'own-outbound/syncs/items.ts': STARTING_SYNC,
};
const KEY = '/api-auth/api-key/own-key';
const CC = '/oauth2/auth/own-cc';
const CLIENT = { client_id: 'client-1', client_secret: 'secret-1' };

let hub: AuthModesHub;
let receiver: WebhookReceiver;

beforeAll(async () => {
  receiver = await WebhookReceiver.start();
  hub = await AuthModesHub.start({ files: FILES, env: { HOMEPORT_WEBHOOK_URL: receiver.address() } });
  hub.provider
    .on('GET /check-key', { body: {} })
    .on('GET /me', (request) => ({ body: { key: request.headers['x-own-key'] ?? request.headers['authorization'] } }))
    .on('POST /cc/acme/token', ({ body }) => ({
      body: { access_token: `token of ${new URLSearchParams(body.toString()).get('client_id')}`, expires_in: 3600 },
    }));
});
afterAll(async () => {
  await hub?.stop();
  await receiver?.stop();
});
beforeEach(async () => {
  refuse(null);
  for (const { connection_id } of await hub.listOf('own-key'))
    await hub.api.send(`DELETE /connections/${connection_id}?provider_config_key=own-key`);
  receiver.server.requests.length = 0;
});

function refuse(refused: unknown): void {
  hub.provider.on('GET /whoami', { body: { refused } });
}

/** At least so many webhooks about the authorization of a connection; those of other tests may still arrive. */
const authWebhooks = (count: number, id: unknown) =>
  receiver.webhooks(count, ({ type, connectionId }) => type === 'auth' && connectionId === id);

/** The rows in the database, including those of deleted connections. */
async function storedCredentials(connectionId: string): Promise<string[]> {
  const sql = 'SELECT credentials FROM connections WHERE connection_id = ?';
  const rows = await lookInto(hub.server.home, ({ reader }) =>
    reader.all<{ credentials: Buffer | string }>(sql, [connectionId]),
  );
  return rows.map(({ credentials }) => credentials.toString());
}

const whoIs = async (key: string, id: string): Promise<unknown> => {
  const { body } = await hub.api.send('GET /proxy/me', {
    headers: { 'provider-config-key': key, 'connection-id': id },
  });
  return (body as { key: unknown }).key;
};

describe('a new connection that a function refuses', () => {
  it.each([
    [{ message: 'Wrong workspace' }, 'Wrong workspace'],
    [{ error: 'From error' }, 'From error'],
    ['text', 'not this one'],
  ])('leaves nothing behind and says why: %j', async (thrown, message) => {
    refuse(thrown);

    const refusal = await hub.refusal(KEY, { body: { apiKey: 'key-1' } });

    expect(refusal).toEqual({ status: 400, code: 'connection_validation_failed', message });
    expect(await hub.listOf('own-key')).toEqual([]);
    const id = new URL(hub.provider.requestsTo('/whoami').at(-1)?.url ?? '', hub.server.url).searchParams.get('id');
    expect(await authWebhooks(1, id)).toMatchObject([
      {
        operation: 'creation',
        success: false,
        error: { type: 'connection_validation_failed', description: message },
        endUser: { endUserId: 'u1' },
      },
    ]);
  });
});

describe('the number of a refused connection', () => {
  it('is given to no later one, which a session of an agent that knows it could use', async () => {
    const made = async (): Promise<unknown> =>
      (await hub.read('own-key', await hub.connect(KEY, { body: { apiKey: 'key-1' } })))['id'];
    const first = await made();
    refuse('text');
    await hub.refusal(KEY, { body: { apiKey: 'key-1' } });
    refuse(null);

    expect(await made()).toBe(Number(first) + 2);
  });
});

describe('a check that ends without a decision', () => {
  const unavailable = { status: 503, code: 'validation_unavailable' };

  it('purges nothing, and runs again until there is a decision', async () => {
    refuse('memory');
    expect(await hub.refusal(KEY, { body: { apiKey: 'key-1' } })).toMatchObject(unavailable);
    const [kept] = await hub.listOf('own-key');
    expect(kept).toBeDefined();

    refuse(null);
    expect(await authWebhooks(1, kept.connection_id)).toMatchObject([{ operation: 'creation', success: true }]);
  });

  it('removes the connection when the decision is a refusal', async () => {
    refuse('memory');
    expect(await hub.refusal(KEY, { body: { apiKey: 'key-1' } })).toMatchObject(unavailable);
    const [kept] = await hub.listOf('own-key');

    refuse({ message: 'Wrong workspace' });
    const [webhook] = await authWebhooks(1, kept.connection_id);
    expect(webhook).toMatchObject({ success: false, error: { type: 'connection_validation_failed' } });
    expect(await hub.listOf('own-key')).toEqual([]);
  });
});

describe('a check during which the hub fails', () => {
  it('is no refusal, whatever the function throws in its place', async () => {
    const dashboard = await DashboardClient.signInByLink(hub.server);
    let isLocking = true;
    hub.provider.on('GET /whoami', async () => {
      if (!isLocking) return { body: { refused: null } };
      await dashboard.call('POST /api/v1/vault/lock');
      return { body: { refused: 'after lock' } };
    });

    const refusal = hub.refusal(KEY, { body: { apiKey: 'key-1' } });
    await waitFor(() => hub.provider.requestsTo('/whoami').length > 0, { what: 'the check' });
    expect(await refusal).toMatchObject({ status: 503, code: 'validation_unavailable' });
    isLocking = false;
    await dashboard.call('POST /api/v1/vault/unlock');
    const [kept] = await hub.listOf('own-key');
    expect(await authWebhooks(1, kept.connection_id)).toMatchObject([{ operation: 'creation', success: true }]);
  });
});

describe('a renewal that a function refuses', () => {
  it('leaves the old key working and marks the connection', async () => {
    const id = await hub.connect(KEY, { body: { apiKey: 'old-key' }, query: 'params[area]=old' });
    await waitFor(async () => (await hub.read('own-key', id)).metadata.welcomed);
    const before = await hub.read('own-key', id);
    await authWebhooks(1, id);
    refuse({ message: 'Other account' });
    const token = await hub.openReconnect('own-key', id, { end_user: { id: 'u2' }, tags: { other: 'x' } });

    const refusal = await hub.refusal(KEY, { token, body: { apiKey: 'new-key' } });

    expect(refusal).toMatchObject({ code: 'connection_validation_failed', message: 'Other account' });
    expect(await hub.read('own-key', id)).toEqual({
      ...before,
      errors: [{ type: 'auth', log_id: expect.any(String) }],
      updated_at: expect.any(String),
      last_fetched_at: expect.any(String),
    });
    expect(await whoIs('own-key', id)).toBe('old-key');
    expect(await authWebhooks(2, id)).toMatchObject([
      { operation: 'creation' },
      {
        operation: 'override',
        success: false,
        error: { type: 'connection_validation_failed', description: 'Other account' },
      },
    ]);
  });

  it('keeps credentials that are renewed and their counters', async () => {
    const query = 'params[tenant]=acme';
    const id = await hub.connect(CC, { body: CLIENT, query });
    refuse({ message: 'Other account' });
    const token = await hub.openReconnect('own-cc', id);

    await hub.refusal(CC, { token, body: { ...CLIENT, client_id: 'client-2' }, query });

    const kept = await hub.read('own-cc', id);
    expect(kept).toMatchObject({
      credentials: { token: 'token of client-1', client_id: 'client-1' },
      errors: [{ type: 'auth' }],
    });
    const renewed = await hub.read('own-cc', id, '&force_refresh=true');
    expect(renewed).toMatchObject({ credentials: { token: 'token of client-1' }, errors: [] });
    expect(await whoIs('own-cc', id)).toBe('Bearer token of client-1');
  });

  it('touches nothing that changed meanwhile', async () => {
    const id = await hub.connect(KEY, { body: { apiKey: 'old-key' } });
    await waitFor(async () => (await hub.read('own-key', id)).metadata.welcomed);
    const token = await hub.openReconnect('own-key', id, { end_user: { id: 'u2' } });
    hub.provider.on('GET /whoami', async () => {
      await hub.api.send('PATCH /connections/metadata', {
        body: { connection_id: id, provider_config_key: 'own-key', metadata: { meanwhile: true } },
      });
      await hub.api.send(`PATCH /connections/${id}?provider_config_key=own-key`, { body: { tags: { team: 'blue' } } });
      return { body: { refused: { message: 'no' } } };
    });
    await hub.refusal(KEY, { token, body: { apiKey: 'new-key' } });

    expect(await hub.read('own-key', id)).toMatchObject({
      metadata: { welcomed: id, meanwhile: true },
      tags: { team: 'blue' },
      end_user: { id: 'u1' },
    });
    expect(await whoIs('own-key', id)).toBe('old-key');
  });

  it('is forgotten once a renewal is accepted', async () => {
    const id = await hub.connect(KEY, { body: { apiKey: 'old-key' } });
    const token = await hub.openReconnect('own-key', id);
    refuse({ message: 'no' });
    await hub.refusal(KEY, { token, body: { apiKey: 'new-key' } });
    refuse(null);

    await hub.connect(KEY, { token, body: { apiKey: 'new-key' } });

    expect((await hub.read('own-key', id)).errors).toEqual([]);
    expect(await whoIs('own-key', id)).toBe('new-key');
  });
});

describe('while a function decides about a renewal', () => {
  /** Answers the first request with a refusal, after `meanwhile`; every later one with approval. */
  function refuseFirst(meanwhile: () => Promise<void>): void {
    let isFirst = true;
    hub.provider.on('GET /whoami', async () => {
      if (!isFirst) return { body: { refused: null } };
      isFirst = false;
      await meanwhile();
      return { body: { refused: { message: 'no' } } };
    });
  }

  it('a second renewal waits, and is not undone by the refusal', async () => {
    const id = await hub.connect(KEY, { body: { apiKey: 'old-key' } });
    const token = await hub.openReconnect('own-key', id);
    let second: Promise<string> | undefined;
    refuseFirst(async () => {
      const tested = hub.provider.requestsTo('/check-key').length;
      second = hub.connect(KEY, { token, body: { apiKey: 'second-key' } });
      await waitFor(() => hub.provider.requestsTo('/check-key').length > tested);
    });

    await hub.refusal(KEY, { token, body: { apiKey: 'first-key' } });
    await second;

    expect(await whoIs('own-key', id)).toBe('second-key');
  });

  it('a deletion stays one: nothing is put back', async () => {
    const id = await hub.connect(KEY, { body: { apiKey: 'old-key' } });
    const token = await hub.openReconnect('own-key', id);
    refuseFirst(async () => {
      await hub.api.send(`DELETE /connections/${id}?provider_config_key=own-key`);
    });

    await hub.refusal(KEY, { token, body: { apiKey: 'new-key' } });

    expect(await storedCredentials(id)).toEqual(['']);
  });
});

describe('a connection that is accepted', () => {
  it('is followed by its functions, its syncs, then the webhook', async () => {
    const id = await hub.connect(KEY, { body: { apiKey: 'key-1' } });

    expect(await authWebhooks(1, id)).toMatchObject([{ operation: 'creation', success: true }]);
    expect((await hub.read('own-key', id)).metadata).toEqual({ welcomed: id });
    const headers = { 'provider-config-key': 'own-key', 'connection-id': id };
    await waitFor(async () => {
      const { body } = await hub.api.send('GET /records?model=Item', { headers });
      return (body as { records: unknown[] }).records?.length === 1;
    });
  });

  it('starts no sync while it waits for the provider', async () => {
    const id = await hub.connect('/auth/oauth-outbound/own-outbound');
    await authWebhooks(1, id);

    const query = `provider_config_key=own-outbound&connection_id=${id}&syncs=*`;
    expect((await hub.api.send(`GET /sync/status?${query}`)).body).toEqual({ syncs: [] });
  });
});
