import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { waitFor } from '../../support/wait-for.ts';
import { DashboardClient } from '../dashboard/dashboard-client.ts';
import { ApiCaller } from '../http/api-caller.ts';

let server: InProcessServer;
beforeAll(async () => {
  server = await startInProcess();
});
afterAll(() => server?.stop());

describe('a link to connect, over a restart of the hub', () => {
  it('waits on, is no failed sign-in, and its operation ends with the session', async () => {
    const first = new ApiCaller(server);
    await first.send('POST /integrations', { body: { provider: 'practice', unique_key: 'practice' } });
    const created = await first.send('POST /connect/sessions', { body: { end_user: { id: 'u' } } });
    const { token } = (created.body as { data: { token: string } }).data;
    await server.restart();

    const client = await DashboardClient.signIn({ url: server.url, signIn: server });
    const read = async () =>
      (await client.call('GET /api/v1/logs/operations', { query: { types: 'auth:create_connection' } })).data[0];
    expect(await read()).toMatchObject({ state: 'waiting', error: null });
    const { buckets } = await client.call('GET /api/v1/overview/activity', { query: { period: '1h' } });
    expect(buckets.some(({ counts }) => (counts['sign-in']?.failed ?? 0) > 0)).toBe(false);

    const ended = await fetch(`${server.url}/connect/session`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${token}` },
    });
    expect(ended.status).toBe(204);
    await waitFor(async () => (await read())?.state === 'cancelled', { what: 'the end of the operation' });
  });
});
