import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type FunctionHubProcess, type HubResponse, startFunctionHubProcess } from '../../support/function-hub.ts';
import { actionSource, syncSource } from '../../support/server-workspace.ts';
import { waitFor } from '../../support/wait-for.ts';
import { waitForSync } from '../../support/wait-for-sync.ts';
import { type Webhook, WebhookReceiver } from './webhook-receiver.ts';

const FILES = {
  'syncs/two-models.ts': syncSource(
    `await nango.batchSave([{ id: '1', text: 'x' }], 'First'); await nango.saveCheckpoint({ page: 2 });`,
  ).replace('Item: z.object', `Second: z.object({ id: z.string() }), First: z.object`),
  'syncs/fails.ts': syncSource(`throw new TypeError('told to fail');`).replace('Item:', 'Failing:'),
  'syncs/refused.ts': syncSource(`await nango.get({ endpoint: '/refuses' });`).replace('Item:', 'Refused:'),
  'syncs/held.ts': syncSource(`await nango.get({ endpoint: '/gate' });`).replace('Item:', 'Held:'),
  'actions/good.ts': actionSource(`return { input };`),
  'actions/bad.ts': actionSource(`throw new nango.ActionError({ message: 'no' });`),
};
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

let hub: FunctionHubProcess;
let receiver: WebhookReceiver;

beforeAll(async () => {
  receiver = await WebhookReceiver.start();
  hub = await startFunctionHubProcess(FILES, { env: { HOMEPORT_WEBHOOK_URL: receiver.address() } });
});
afterAll(async () => {
  await hub?.stop();
  await receiver?.stop();
});
beforeEach(() => {
  receiver.server.requests.length = 0;
});

const settings = (webhook: Record<string, unknown>): Promise<HubResponse> =>
  hub.call('PATCH', '/environment/settings', { body: { webhook } });
const trigger = (name: string, part: Record<string, unknown> = {}): Promise<HubResponse> =>
  hub.call('POST', '/sync/trigger', {
    body: { provider_config_key: 'acme', connection_id: 'c1', syncs: [name], ...part },
  });
const ofSync =
  (name: string) =>
  (webhook: Webhook): boolean =>
    webhook.type === 'sync' && webhook.syncName === name;
const ofAction = (webhook: Webhook): boolean => webhook.type === 'async_action';

describe('the webhooks of a sync', () => {
  it('come one per model, INITIAL for the first run and INCREMENTAL for the next one of a full sync', async () => {
    await hub.renewConnection();
    await trigger('two-models');
    const first = await receiver.webhooks(2, ofSync('two-models'));

    const common = {
      from: 'nango',
      type: 'sync',
      success: true,
      connectionId: 'c1',
      providerConfigKey: 'acme',
      syncName: 'two-models',
      syncVariant: 'base',
      syncType: 'INITIAL',
      checkpoints: { from: null, to: { page: 2 } },
      modifiedAfter: expect.stringMatching(TIME),
    };
    const byModel = Object.fromEntries(first.map((webhook) => [webhook.model, webhook]));
    expect(byModel).toEqual({
      First: {
        ...common,
        queryTimeStamp: byModel['First'].modifiedAfter,
        model: 'First',
        responseResults: { added: 1, updated: 0, deleted: 0 },
      },
      Second: {
        ...common,
        queryTimeStamp: byModel['First'].modifiedAfter,
        model: 'Second',
        responseResults: { added: 0, updated: 0, deleted: 0 },
      },
    });
    const { body } = await hub.records(`model=First&modified_after=${byModel['First'].modifiedAfter}`);
    expect(body.records).toHaveLength(1);

    await waitForSync(hub.connection, 'two-models', ({ finishedAt }) => finishedAt !== undefined);
    receiver.server.requests.length = 0;
    await trigger('two-models');
    const second = await receiver.webhooks(2, ofSync('two-models'));

    expect(second).toMatchObject([{ syncType: 'INCREMENTAL' }, { syncType: 'INCREMENTAL' }]);
  });

  it('leave out models without changes when the setting is off', async () => {
    await settings({ on_sync_completion_always: false });
    await trigger('two-models', { opts: { reset: true, emptyCache: true } });
    const [only] = await receiver.webhooks(1, ofSync('two-models'));
    await trigger('fails');
    // Later than all webhooks of the first run: queued in the same way, after them.
    await receiver.webhooks(1, ofSync('fails'));
    await settings({ on_sync_completion_always: true });

    expect(only).toMatchObject({ model: 'First', responseResults: { added: 1 } });
    expect(await receiver.webhooks(1, ofSync('two-models'))).toHaveLength(1);
  });

  it('tell a failure with the message that was thrown', async () => {
    await trigger('fails');
    const [webhook] = await receiver.webhooks(1, ofSync('fails'));

    expect(webhook).toEqual({
      from: 'nango',
      type: 'sync',
      success: false,
      connectionId: 'c1',
      providerConfigKey: 'acme',
      syncName: 'fails',
      syncVariant: 'base',
      syncType: 'INITIAL',
      model: 'Failing',
      error: {
        type: 'script_error',
        description: 'told to fail',
        payload: { name: 'TypeError', message: 'told to fail', stacktrace: expect.any(Array) },
      },
      startedAt: expect.stringMatching(TIME),
      failedAt: expect.stringMatching(TIME),
    });
    expect(Date.parse(webhook.failedAt)).toBeGreaterThanOrEqual(Date.parse(webhook.startedAt));
  });

  it('tell what the provider answered', async () => {
    hub.provider.on('GET /refuses', { status: 403, body: { reason: 'not you' } });
    await trigger('refused');
    const [webhook] = await receiver.webhooks(1, ofSync('refused'));

    expect(webhook.error).toMatchObject({
      type: 'script_error',
      payload: { reason: 'not you' },
      additional_properties: { upstream_response: { status: 403, body: { reason: 'not you' } } },
    });
  });

  it('tell a cancelled run as a failure without a model', async () => {
    const begun = new Promise<void>((resolve) => {
      hub.provider.on('GET /gate', () => {
        resolve();
        return new Promise(() => {});
      });
    });
    await trigger('held');
    await begun;
    // A full run replaces the running one.
    hub.provider.on('GET /gate', { body: {} });
    await trigger('held', { opts: { reset: true } });
    const [cancelled, next] = await receiver.webhooks(2, ofSync('held'));

    expect(cancelled).toMatchObject({ success: false, model: '', error: { description: 'The run was cancelled.' } });
    expect(next).toMatchObject({ success: true, model: 'Held' });
  });

  it('go to the address of the connection only, when it has one', async () => {
    await hub.addConnection('own-address', { webhook_url_override: receiver.address('/second') });
    await trigger('fails', { connection_id: 'own-address' });
    const own = await receiver.webhooks(1, ofSync('fails'), '/second');

    expect(own).toMatchObject([{ connectionId: 'own-address' }]);
    expect(receiver.server.requestsTo('/hook')).toEqual([]);
  });
});

describe('the webhook of a deletion', () => {
  const ofDeletion = ({ type, operation }: { type: string; operation?: string }): boolean =>
    type === 'auth' && operation === 'deletion';

  it('is sent when it is switched on', async () => {
    await hub.addConnection('deleted-quietly', {});
    await hub.call('DELETE', '/connections/deleted-quietly?provider_config_key=acme');
    await settings({ on_connection_deletion: true });
    await hub.addConnection('deleted', { tags: { team: 'a' } });
    expect((await hub.call('DELETE', '/connections/deleted?provider_config_key=acme')).status).toBe(200);

    expect(await receiver.webhooks(1, ofDeletion)).toEqual([
      expect.objectContaining({
        connectionId: 'deleted',
        providerConfigKey: 'acme',
        success: true,
        tags: { team: 'a' },
      }),
    ]);
    await settings({ on_connection_deletion: false });
  });
});

describe('the webhook of an asynchronous action', () => {
  it.each([
    ['good', { status: 200, body: { input: 7 } }],
    ['bad', { status: 500, body: { error: { code: 'action_script_runtime_error' } } }],
  ])('says that %s ended and where its answer is', async (name, response) => {
    const { body } = await hub.action(name, 7, { 'x-async': 'true', 'x-max-retries': '1' });
    const webhooks = await receiver.webhooks(1, ofAction);

    expect(webhooks).toEqual([
      {
        from: 'nango',
        type: 'async_action',
        connectionId: 'c1',
        providerConfigKey: 'acme',
        payload: { id: body.id, statusUrl: `/action/${body.id}` },
      },
    ]);
    expect(await hub.call('GET', webhooks[0].payload.statusUrl)).toMatchObject(response);
  });

  it('is not sent of a synchronous call, nor when it is switched off', async () => {
    await hub.action('good', 1);
    await settings({ on_async_action_completion: false });
    const { body: quiet } = await hub.action('good', 2, { 'x-async': 'true' });
    // Its webhook would be queued together with its response.
    await waitFor(async () => (await hub.call('GET', quiet.statusUrl)).status === 200);
    await settings({ on_async_action_completion: true });
    const { body: response } = await hub.action('good', 3, { 'x-async': 'true' });
    const webhooks = await receiver.webhooks(1, ofAction);

    expect(webhooks.map(({ payload }) => payload.id)).toEqual([response.id]);
  });
});

describe('kill -9 during a delivery', () => {
  it('delivers once more what was not answered, and nothing to a destination that had answered', {
    tags: ['slow'],
  }, async () => {
    await settings({ secondary_url: receiver.address('/second') });
    const held = receiver.holdFirst('/second');
    const { body } = await hub.action('good', 1, { 'x-async': 'true' });
    await held;

    await hub.server.kill();
    await hub.server.restart();
    await receiver.webhooks(2, ofAction, '/second');
    await settings({ secondary_url: '' });
    // The next webhook uses the same queue: webhooks that the restart had to repeat came before it.
    const { body: next } = await hub.action('good', 2, { 'x-async': 'true' });
    await receiver.webhooks(1, ({ payload }) => payload?.id === next.id);

    const idsAt = (path: string): string[] =>
      receiver.server
        .requestsTo(path)
        .map((request) => JSON.parse(request.body.toString()))
        .filter(ofAction)
        .map(({ payload }) => payload.id);
    expect(idsAt('/hook')).toEqual([body.id, next.id]);
    expect(idsAt('/second')).toEqual([body.id, body.id]);
  });

  it('loses no webhook whose first destination had not answered', async () => {
    const held = receiver.holdFirst('/hook');
    const { body } = await hub.action('good', 1, { 'x-async': 'true' });
    await held;

    await hub.server.kill();
    await hub.server.restart();
    const webhooks = await receiver.webhooks(2, ofAction);

    expect(webhooks.map(({ payload }) => payload.id)).toEqual([body.id, body.id]);
  });
});
