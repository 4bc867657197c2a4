import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SyncEvent } from '../../../server/webhooks-out/payloads.ts';
import type { NewDestination } from '../../../server/webhooks-out/webhook-destinations.ts';
import { waitFor } from '../../support/wait-for.ts';
import { NotificationsFixture } from './notifications-fixture.ts';

let hub: NotificationsFixture;

beforeEach(async () => {
  hub = await NotificationsFixture.open();
  for (const path of ['/hook', '/second', '/billing', '/audit']) hub.receiver.on(`POST ${path}`, { status: 200 });
});
afterEach(() => hub?.close());

const at = (path: string): string => `${hub.receiver.address}${path}`;
const paths = (): string[] => hub.receiver.requests.map(({ url }) => url).sort();

function add(path: string, part: Partial<NewDestination> = {}) {
  const destination = { name: null, url: at(path), isEnabled: true, types: [], integrations: [], ...part };
  return hub.notifications.destinations.create(hub.environment.id, destination);
}

function synced(part: Partial<SyncEvent> = {}): SyncEvent {
  return {
    environmentId: hub.environment.id,
    connectionId: 'c-1',
    providerConfigKey: 'github',
    providerName: 'github',
    syncName: 'issues',
    syncVariant: 'base',
    syncType: 'INCREMENTAL',
    success: true,
    model: 'Issue',
    responseResults: { added: 1, updated: 0, deleted: 0 },
    modifiedAfter: 0,
    ...part,
  } as SyncEvent;
}

function forwarded(connections: string[], overrides: Record<string, string> = {}) {
  return hub.notifications.forward({
    environment: hub.environment,
    integration: { uniqueKey: 'github', provider: 'github', forwardsWebhooks: true },
    json: '{"action":"opened"}',
    headers: { 'x-github-event': 'issues' },
    connections: connections.map((connectionId) => ({
      connectionId,
      webhookUrlOverride: overrides[connectionId] ?? null,
    })),
  });
}

const newest = async () => {
  const { deliveries } = await hub.notifications.history.list(
    { environmentId: hub.environment.id },
    { offset: 0, limit: 20 },
  );
  return deliveries;
};

describe('further webhook destinations', () => {
  it('get the same signed body as the primary URL, each by a delivery of its own', async () => {
    await hub.set({ primaryUrl: at('/hook'), secondaryUrl: at('/second') });
    await add('/billing', { name: 'Billing' });
    await add('/audit');
    await hub.notifications.notifyAuth(hub.auth());
    await hub.settled();

    expect(paths()).toEqual(['/audit', '/billing', '/hook', '/second']);
    const client = await hub.client();
    const bodies = hub.receiver.requests.map(({ body }) => String(body));
    expect(new Set(bodies).size).toBe(1);
    for (const { body, headers } of hub.receiver.requests)
      expect(client.verifyIncomingWebhookRequest(String(body), headers)).toBe(true);
    expect(await newest()).toMatchObject([
      { state: 'delivered', destinationName: null, url: at('/audit'), destinationCount: 1 },
      { state: 'delivered', destinationName: 'Billing', url: at('/billing'), destinationCount: 1 },
      { state: 'delivered', destinationName: null, destinationCount: 2 },
    ]);
  });

  it('get events from their creation on, also when there was no destination at the last event', async () => {
    await hub.notifications.notifyAuth(hub.auth());
    await add('/billing');
    await hub.notifications.notifyAuth(hub.auth());
    await hub.settled();

    expect(paths()).toEqual(['/billing']);
  });

  it('need neither a primary nor a secondary URL', async () => {
    await add('/billing');
    await hub.notifications.notifyAuth(hub.auth());
    await hub.settled();

    expect(paths()).toEqual(['/billing']);
  });

  it('get what their filters let through, and nothing while they are off', async () => {
    await add('/billing', { types: ['sync', 'forward'], integrations: ['github'] });
    await add('/audit', { types: ['auth'] });
    await add('/second', { isEnabled: false });
    await hub.notifications.notifyAuth(hub.auth({ providerConfigKey: 'slack' }));
    await hub.notifications.notifySync(synced());
    await hub.notifications.notifySync(synced({ providerConfigKey: 'slack' }));
    await hub.notifications.notifyAsyncAction({
      environment: hub.environment,
      providerConfigKey: 'github',
      connectionId: 'c-1',
      actionName: 'create',
      callId: '00000000-0000-4000-8000-000000000001',
    });
    expect(await forwarded(['c-1', 'c-2'])).toBe(2);
    expect(await forwarded([])).toBe(1);
    await hub.settled();

    expect(paths()).toEqual(['/audit', '/billing', '/billing', '/billing', '/billing']);
    const types = hub.receiver.requestsTo('/billing').map(({ body }) => JSON.parse(String(body)).type ?? 'raw');
    expect(types.sort()).toEqual(['forward', 'forward', 'raw', 'sync']);
  });

  it('follow the five switches of the environment', async () => {
    await add('/billing');
    await hub.set({ onAuthCreation: false, onSyncCompletionAlways: false });
    await hub.notifications.notifyAuth(hub.auth());
    await hub.notifications.notifySync(synced({ responseResults: { added: 0, updated: 0, deleted: 0 } }));
    await hub.idle();

    expect(hub.receiver.requests).toEqual([]);
    expect(hub.log.operations.map(({ state }) => state)).toEqual(['success']);
  });

  it('get nothing of a connection that has an address of its own', async () => {
    await add('/billing');
    await hub.notifications.notifyAuth(hub.auth({ webhookUrlOverride: at('/audit') }));
    await forwarded(['c-1', 'c-2'], { 'c-1': at('/second') });
    await hub.settled();

    expect(paths()).toEqual(['/audit', '/billing', '/second']);
  });

  it('have attempts of their own: one that fails keeps the others neither waiting nor from being done', async () => {
    await hub.set({ primaryUrl: at('/hook') });
    hub.receiver.on('POST /hook', { status: 500 });
    await add('/billing');
    await hub.notifications.notifyAuth(hub.auth());
    await waitFor(
      async () => {
        const [further, primary] = await newest();
        return further?.state === 'delivered' && primary?.state === 'waiting' && primary.attempt === 2;
      },
      { what: 'the end of the one and the second attempt of the other' },
    );
    hub.receiver.on('POST /hook', { status: 200 });
    await hub.advance(3000);
    await hub.settled();

    expect(hub.receiver.requestsTo('/hook')).toHaveLength(2);
    expect(hub.receiver.requestsTo('/billing')).toHaveLength(1);
  });

  it('are tried again after a restart', async () => {
    await add('/billing');
    hub.receiver.on('POST /billing', { status: 503 });
    await hub.notifications.notifyAuth(hub.auth());
    await hub.stands(0, 2);
    await hub.restart();
    hub.receiver.on('POST /billing', { status: 200 });
    await hub.advance(3000);
    await hub.settled();

    expect(await newest()).toMatchObject([{ state: 'delivered', attempt: 2 }]);
  });
});

describe('a deleted webhook destination', () => {
  it('ends what waits for it, and says why', async () => {
    const { id } = await add('/billing', { name: 'Billing' });
    hub.receiver.on('POST /billing', { status: 500 });
    await hub.notifications.notifyAuth(hub.auth());
    await hub.stands(0, 2);
    await hub.notifications.destinations.remove(hub.environment.id, id);

    expect(await newest()).toMatchObject([
      { state: 'failed', code: null, error: 'DESTINATION_DELETED', nextAttemptAt: null, destinationName: null },
    ]);
    expect(hub.log.operations).toMatchObject([
      { state: 'failed', end: { error: { message: 'The destination was deleted before it accepted the webhook.' } } },
    ]);
    await hub.advance(3000);
    expect(hub.receiver.requests).toHaveLength(1);
  });

  it('gets no further attempt after the one that is under way', async () => {
    const { id } = await add('/billing');
    const responses = Promise.withResolvers<{ status: number }>();
    hub.receiver.on('POST /billing', () => responses.promise);
    await hub.notifications.notifyAuth(hub.auth());
    await hub.received('/billing', 1);
    await hub.notifications.destinations.remove(hub.environment.id, id);
    responses.resolve({ status: 500 });
    await waitFor(async () => (await newest())[0]?.code === 500, { what: 'the answer' });

    expect(await newest()).toMatchObject([{ state: 'failed', attempt: 1 }]);
    await hub.advance(3000);
    expect(hub.receiver.requests).toHaveLength(1);
  });

  it('leaves its history, which can be sent again to where it went', async () => {
    const { id } = await add('/billing');
    await hub.notifications.notifyAuth(hub.auth());
    await hub.settled();
    await hub.notifications.destinations.remove(hub.environment.id, id);
    const [first] = await newest();
    await hub.notifications.history.replay(hub.environment.id, first?.id ?? '');
    await hub.settled();

    expect(paths()).toEqual(['/billing', '/billing']);
    expect(await newest()).toMatchObject([{ cause: 'replay', state: 'delivered' }, { cause: 'event' }]);
  });

  it('is left out when everything that failed is sent again', async () => {
    const { id } = await add('/billing');
    hub.receiver.on('POST /billing', { status: 410 });
    await hub.notifications.notifyAuth(hub.auth());
    await hub.settled();
    await hub.notifications.destinations.remove(hub.environment.id, id);

    expect(await hub.notifications.history.replayFailed({ environmentId: hub.environment.id })).toBe(0);
  });
});

describe('a replay of what a further destination got', () => {
  it('goes only to that one and keeps its name; at another address it has no name', async () => {
    await hub.set({ primaryUrl: at('/hook') });
    await add('/billing', { name: 'Billing' });
    await hub.notifications.notifyAuth(hub.auth());
    await hub.settled();
    const [first] = await newest();
    await hub.notifications.history.replay(hub.environment.id, first?.id ?? '');
    await hub.notifications.history.replay(hub.environment.id, first?.id ?? '', at('/audit'));
    await hub.settled();

    expect(paths()).toEqual(['/audit', '/billing', '/billing', '/hook']);
    expect((await newest()).slice(0, 2)).toMatchObject([
      { cause: 'replay', destinationName: null, url: at('/audit') },
      { cause: 'replay', destinationName: 'Billing', url: at('/billing') },
    ]);
  });

  it('is among those that replay what failed', async () => {
    await hub.set({ primaryUrl: at('/hook') });
    await add('/billing');
    hub.receiver.on('POST /billing', { status: 410 });
    await hub.notifications.notifyAuth(hub.auth());
    await hub.settled();
    hub.receiver.on('POST /billing', { status: 200 });

    expect(await hub.notifications.history.replayFailed({ environmentId: hub.environment.id })).toBe(1);
    await hub.settled();
    expect(paths()).toEqual(['/billing', '/billing', '/hook']);
  });
});

describe('the list of webhook destinations', () => {
  it('keeps addresses sealed on the disk and changes what is given', async () => {
    const made = await add('/billing?token=canary', { types: ['sync'] });
    const changed = await hub.notifications.destinations.change(hub.environment.id, made.id, { isEnabled: false });

    expect(changed).toEqual({ ...made, isEnabled: false });
    expect(await hub.notifications.destinations.list(hub.environment.id)).toEqual([changed]);
    const [row] = await hub.database.reader.all<{ url: string }>('SELECT url FROM webhook_destinations');
    expect(row?.url).not.toContain('canary');
  });

  it('holds twenty', async () => {
    for (let count = 0; count < 20; count += 1) await add(`/hook-${count}`);

    await expect(add('/one-more')).rejects.toMatchObject({ code: 'invalid_body' });
    expect(await hub.notifications.destinations.list(hub.environment.id)).toHaveLength(20);
  });

  it('belongs to one environment', async () => {
    const { id } = await add('/billing');
    const other = await hub.environments.create('other');

    expect(await hub.notifications.destinations.list(other.id)).toEqual([]);
    await expect(hub.notifications.destinations.remove(other.id, id)).rejects.toMatchObject({ code: 'not_found' });
    await expect(hub.notifications.destinations.change(other.id, id, { name: 'x' })).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('is replaced as a whole: changed by id, added without, deleted when left out', async () => {
    const [kept, gone] = [await add('/billing'), await add('/audit')];
    const all = await hub.notifications.destinations.replaceAll(hub.environment.id, [
      { ...kept, name: 'Kept' },
      { name: 'New', url: at('/second'), isEnabled: true, types: [], integrations: [] },
    ]);

    expect(all).toMatchObject([{ id: kept.id, name: 'Kept' }, { name: 'New' }]);
    await expect(hub.notifications.destinations.replaceAll(hub.environment.id, [gone])).rejects.toMatchObject({
      code: 'not_found',
    });
    expect(await hub.notifications.destinations.list(hub.environment.id)).toEqual(all);
  });
});
