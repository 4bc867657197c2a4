import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SyncEvent } from '../../../server/webhooks-out/payloads.ts';
import { NotificationsFixture } from './notifications-fixture.ts';

let hub: NotificationsFixture;

beforeEach(async () => {
  hub = await NotificationsFixture.open();
  hub.receiver.on('POST /hook', { status: 200 }).on('POST /own', { status: 200 });
  await hub.set({ primaryUrl: `${hub.receiver.address}/hook` });
});
afterEach(() => hub?.close());

const bodies = (): unknown[] => hub.receiver.requests.map(({ body }) => JSON.parse(body.toString()));

function synced(part: Partial<SyncEvent> = {}): SyncEvent {
  return {
    environmentId: hub.environment.id,
    connectionId: 'c-1',
    providerConfigKey: 'crm',
    providerName: 'hubspot',
    syncName: 'contacts',
    syncVariant: 'base',
    syncType: 'INITIAL',
    success: true,
    model: 'Contact',
    responseResults: { added: 1, updated: 0, deleted: 0 },
    modifiedAfter: hub.clock.now(),
    ...part,
  } as SyncEvent;
}

describe('the webhook of a sync', () => {
  it('is logged with what it concerns, without what people wrote', async () => {
    const checkpoints = { from: null, to: { cursor: 'private' } };
    await hub.notifications.notifySync(synced({ checkpoints }));
    await hub.settled();

    expect(bodies()).toMatchObject([{ type: 'sync', model: 'Contact', checkpoints }]);
    expect(hub.log.operations).toMatchObject([
      {
        start: {
          type: 'webhook',
          action: 'sync',
          connectionId: 'c-1',
          integrationKey: 'crm',
          functionName: 'contacts',
        },
        messages: [
          {
            type: 'http',
            context: 'webhook',
            level: 'info',
            request: {
              method: 'POST',
              url: `${hub.receiver.address}/hook`,
              headers: { 'content-type': 'application/json', 'x-nango-hmac-sha256': 'REDACTED' },
            },
            response: { code: 200 },
            meta: { body: { model: 'Contact', checkpoints: '[not logged]' } },
          },
        ],
        state: 'success',
      },
    ]);
  });

  it('that nothing changed in is logged and not sent', async () => {
    await hub.set({ onSyncCompletionAlways: false });
    const unchanged = synced({ responseResults: { added: 0, updated: 0, deleted: 0 } });
    await hub.notifications.notifySync(unchanged);
    await hub.database.transaction((tx) => hub.notifications.notifySync(unchanged, tx));
    const undone = hub.database.transaction(async (tx) => {
      await hub.notifications.notifySync(unchanged, tx);
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');

    expect(hub.log.operations.map(({ state }) => state)).toEqual(['success', 'success']);
    expect(await hub.deliveries()).toEqual([]);
  });

  it('that failed is sent unless switched off', async () => {
    const failed = synced({
      success: false,
      error: { message: 'boom' },
      startedAt: 0,
      failedAt: 1,
    } as Partial<SyncEvent>);
    await hub.notifications.notifySync(failed);
    await hub.set({ onSyncError: false });
    await hub.notifications.notifySync(failed);
    await hub.settled();

    expect(bodies()).toMatchObject([{ success: false, error: { type: 'script_error', description: 'boom' } }]);
    expect(JSON.stringify(hub.log.operations)).not.toContain('boom');
  });
});

describe('the webhook of an asynchronous action', () => {
  const event = (operationId?: string) => ({
    environment: hub.environment,
    providerConfigKey: 'crm',
    connectionId: 'c-1',
    actionName: 'do',
    callId: '5d0f2f7e-6a53-4c0e-9a53-3f6d7a1c2b4e',
    operationId,
  });

  it('is logged in the operation of the action', async () => {
    await hub.notifications.notifyAsyncAction(event('op-1'));
    await hub.settled();

    expect(hub.log.operations).toMatchObject([
      { start: undefined, messages: [{ type: 'http' }, { level: 'info', message: 'The webhook was delivered.' }] },
    ]);
  });

  it('has an operation of its own when the action never ran', async () => {
    await hub.notifications.notifyAsyncAction(event());
    await hub.settled();

    expect(hub.log.operations).toMatchObject([{ start: { type: 'action', action: 'run' }, state: 'success' }]);
  });

  it('can be switched off', async () => {
    await hub.set({ onAsyncActionCompletion: false });
    await hub.notifications.notifyAsyncAction(event('op-1'));

    expect(await hub.deliveries()).toEqual([]);
  });
});

describe('the webhook of an authorization', () => {
  it.each([
    ['creation', 'connection_create'],
    ['override', 'connection_refresh'],
    ['refresh', 'connection_refresh'],
  ] as const)('of kind %s is logged as %s', async (operation, action) => {
    const error = { type: 'unknown', description: 'private words' };
    await hub.notifications.notifyAuth(hub.auth({ operation, success: false, error }));
    await hub.settled();

    expect(bodies()).toMatchObject([{ type: 'auth', operation, success: false, error }]);
    expect(hub.log.operations).toMatchObject([{ start: { type: 'webhook', action }, state: 'success' }]);
    expect(JSON.stringify(hub.log.operations)).not.toContain('private words');
  });
});

describe('a forwarded webhook', () => {
  const forward = (connections: Array<{ connectionId: string; webhookUrlOverride: string | null }>) => ({
    environment: hub.environment,
    integration: { uniqueKey: 'my-hubspot', provider: 'hubspot', forwardsWebhooks: true },
    json: '[{ "b": "private words", "a": 738529527931269425 }]',
    headers: { 'x-hubspot-signature': 'sig', 'content-type': 'text/plain', cookie: 'c', host: 'h' },
    connections,
  });

  it('goes out once per matched connection, each to its own address', async () => {
    await hub.notifications.forward(
      forward([
        { connectionId: 'c-1', webhookUrlOverride: null },
        { connectionId: 'c-2', webhookUrlOverride: `${hub.receiver.address}/own` },
      ]),
    );
    await hub.settled();

    const [first] = hub.receiver.requestsTo('/hook');
    const [second] = hub.receiver.requestsTo('/own');
    expect(first?.body.toString()).toBe(
      '{"connectionId":"c-1","from":"hubspot","payload":[{"b":"private words","a":738529527931269425}],"providerConfigKey":"my-hubspot","type":"forward"}',
    );
    expect(JSON.parse(second?.body.toString() ?? '')).toMatchObject({ connectionId: 'c-2' });
    expect(hub.receiver.requests).toHaveLength(2);
  });

  it('is sent unchanged when no connection matched: signed, without wrapper, with the headers of the provider', async () => {
    await hub.notifications.forward(forward([]));
    await hub.settled();

    const [request] = hub.receiver.requests;
    expect(request?.body.toString()).toBe('[{"b":"private words","a":738529527931269425}]');
    expect(request?.headers).toMatchObject({ 'x-hubspot-signature': 'sig', 'content-type': 'application/json' });
    expect(request?.headers['cookie']).toBeUndefined();
    const client = await hub.client();
    expect(client.verifyIncomingWebhookRequest(request?.body.toString() ?? '', request?.headers ?? {})).toBe(true);
    expect(hub.log.operations).toMatchObject([
      {
        start: { type: 'webhook', action: 'forward', expiresAt: hub.clock.now() + 15 * 60_000 },
        messages: [{ request: { headers: { 'x-hubspot-signature': 'REDACTED' } } }],
      },
    ]);
    expect(JSON.stringify(hub.log.operations)).not.toContain('private words');
  });

  it('is not sent when the integration does not forward webhooks', async () => {
    const event = forward([]);
    await hub.notifications.forward({ ...event, integration: { ...event.integration, forwardsWebhooks: false } });

    expect(await hub.deliveries()).toEqual([]);
  });
});
