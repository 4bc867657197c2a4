import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { waitFor } from '../../support/wait-for.ts';
import { DashboardClient } from './dashboard-client.ts';
import { type DashboardFixture, startDashboard } from './dashboard-fixture.ts';
import { EventPage } from './event-page.ts';

let server: DashboardFixture;
let client: DashboardClient;
beforeAll(async () => {
  server = await startDashboard();
  client = await DashboardClient.signIn(server);
});
afterAll(() => server.close());

const connectionFact = (connectionId: string) => ({
  environmentId: server.environment.id,
  integrationKey: 'crm',
  connectionId,
  change: 'created' as const,
});

describe('GET /api/v1/events', () => {
  it('asks for the session and for an environment that exists', async () => {
    expect((await fetch(`${server.url}/api/v1/events?env=dev`)).status).toBe(401);
    expect((await fetch(`${server.url}/api/v1/events?env=other`, { headers: client.headers })).status).toBe(404);
  });

  it('sends operations whole, also when only their state changed', async () => {
    const page = await EventPage.open(client);
    const operation = server.logs.start({
      environmentId: server.environment.id,
      type: 'action',
      action: 'run',
      message: 'Run it',
      functionName: 'it',
    });
    await server.logs.flush();
    operation.log({ level: 'info', message: 'working' });
    operation.finish('success');
    await server.logs.flush();

    await page.seen('operation', 2);
    await page.seen('message');
    expect(page.of('operation')).toMatchObject([
      { id: operation.id, state: 'running', syncConfigName: 'it' },
      { id: operation.id, state: 'success', syncConfigName: 'it', message: 'Run it' },
    ]);
    expect(page.of('message')).toMatchObject([{ operationId: operation.id, message: { message: 'working' } }]);
    page.close();
  });

  it('sends changes of connections, functions and health of its own environment only', async () => {
    const page = await EventPage.open(client);
    server.feed.emit('connection', { ...connectionFact('elsewhere'), environmentId: 999 });
    server.feed.emit('connection', connectionFact('here'));
    server.feed.emit('function', {
      kind: 'broken',
      function: {
        environmentId: server.environment.id,
        integrationKey: 'crm',
        type: 'sync',
        name: 'contacts',
      } as never,
    });
    server.feed.emit('health', undefined);

    await page.seen('health');
    expect(page.of('connection')).toEqual([{ integrationKey: 'crm', connectionId: 'here', change: 'created' }]);
    expect(page.of('function')).toEqual([{ integrationKey: 'crm', type: 'sync', name: 'contacts', change: 'updated' }]);
    // The notification about the broken function comes later; the next tests must not receive it.
    await page.seen('notification');
    page.close();
  });

  it('continues after the last event that a page received', async () => {
    const first = await EventPage.open(client);
    server.feed.emit('connection', connectionFact('a'));
    await first.seen('connection');
    first.close();
    server.feed.emit('connection', connectionFact('b'));
    server.feed.emit('connection', connectionFact('c'));

    const second = await EventPage.open(client, first.events.at(-1)?.id);

    await second.seen('connection', 2);
    expect(second.of('connection')).toMatchObject([{ connectionId: 'b' }, { connectionId: 'c' }]);
    expect(second.of('reset')).toEqual([]);
    second.close();
  });

  it.each(['abcd-1', 'nonsense'])('tells a page that comes from another start (%s) to fetch again', async (id) => {
    const page = await EventPage.open(client, id);

    await page.seen('reset');
    expect(page.events.map((event) => event.name)).toEqual(['reset']);
    page.close();
  });

  it('tells a page that missed too many events to refetch, and continues from there', async () => {
    const first = await EventPage.open(client);
    server.feed.emit('connection', connectionFact('seen'));
    await first.seen('connection');
    first.close();
    for (let count = 0; count < 1001; count += 1) server.feed.emit('connection', connectionFact(`missed-${count}`));

    const second = await EventPage.open(client, first.events.at(-1)?.id);
    await second.seen('reset');
    server.feed.emit('connection', connectionFact('next'));

    await second.seen('connection');
    expect(second.of('connection')).toMatchObject([{ connectionId: 'next' }]);
    second.close();
  });

  it('ends when the server stops', async () => {
    const other = await startDashboard();
    const page = await EventPage.open(await DashboardClient.signIn(other));

    await other.close();

    await waitFor(async () => page.hasEnded, { what: 'the end of the stream' });
  });
});
