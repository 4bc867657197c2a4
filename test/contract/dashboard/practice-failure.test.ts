import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { DashboardClient } from './dashboard-client.ts';

const query = { env: 'dev' };

let hub: InProcessServer;
let page: DashboardClient;
beforeAll(async () => {
  hub = await startInProcess();
  page = await DashboardClient.signIn({ url: hub.url, signIn: hub });
  await page.call('POST /api/v1/practice', { query });
});
afterAll(() => hub?.stop());

const failure = async () => (await page.call('GET /api/v1/practice/failure', { query })).failure;
const start = (kind: string, minutes?: number) =>
  page.call('PUT /api/v1/practice/failure', { query, body: { kind, ...(minutes === undefined ? {} : { minutes }) } });
const proxied = () =>
  fetch(`${hub.url}/proxy/v1/issues?limit=1`, {
    headers: {
      authorization: `Bearer ${hub.secretKey}`,
      'provider-config-key': 'practice',
      'connection-id': 'practice-user',
    },
  });

describe('a failure of the practice provider', () => {
  it('is started, seen by callers of the hub, and ended', async () => {
    expect(await failure()).toBeNull();

    const { failure: running } = await start('rate_limited', 1);

    expect(running?.kind).toBe('rate_limited');
    expect(Date.parse(running?.endsAt ?? '') - Date.parse(running?.startedAt ?? '')).toBe(60_000);
    expect(await failure()).toEqual(running);
    const refused = await proxied();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5']);
    await start('broken_record');
    expect(await (await proxied()).json()).toMatchObject({ issues: [{ id: null }] });
    await page.call('DELETE /api/v1/practice/failure', { query });
    expect(await failure()).toBeNull();
    expect((await proxied()).status).toBe(200);
  });

  it('is one of a list, for one of three times', async () => {
    const send = (body: object) => page.refusal('PUT /api/v1/practice/failure', { query, body });

    expect((await send({ kind: 'earthquake' })).status).toBe(400);
    expect((await send({ kind: 'timeout', minutes: 600 })).status).toBe(400);
  });

  it('does not survive a restart', async () => {
    await start('server_error', 15);
    await hub.restart();
    page = await DashboardClient.signIn({ url: hub.url, signIn: hub });

    expect(await failure()).toBeNull();
    expect((await proxied()).status).toBe(200);
  });
});
