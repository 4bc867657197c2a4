import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RoutingResult } from '../../../server/webhooks-in/routing/webhook-routing.ts';
import { syncSource } from '../../support/server-workspace.ts';
import { waitFor } from '../../support/wait-for.ts';
import { GithubHub } from '../authorization/github-hub.ts';
import { DashboardClient } from '../dashboard/dashboard-client.ts';

const KEY = 'github-app-oauth';
const BACK = '/oauth/callback';

let hub: GithubHub;
let path: string;

beforeAll(async () => {
  // The provider reports an installation; the test writes the payload.
  const routing = ({ body }: { body: unknown }): RoutingResult => body as RoutingResult;
  hub = await GithubHub.start(
    { [`${KEY}/syncs/issues.ts`]: syncSource('return;').replace('autoStart: false', 'autoStart: true') },
    { webhookRoutings: new Map([['unauthenticatedWebhookRouting', routing]]) },
  );
  await waitFor(async () => JSON.stringify((await hub.api.send('GET /scripts/config')).body).includes('issues'), {});
  const { body } = await hub.api.send(`GET /integrations/${KEY}?include=webhook`);
  path = new URL((body as { data: { webhook_url: string } }).data.webhook_url).pathname;
});
afterAll(() => hub?.stop());

const wait = async (): Promise<string> =>
  (await hub.connect(KEY, BACK, { code: 'good-code', setup_action: 'request' })).connection_id;
const bodyOf = (installationId: string, where: Record<string, string>) => {
  const installation = { where, config: { installation_id: installationId } };
  return { kind: 'handled', events: [], forward: {}, installation };
};
const tell = async (installationId: string, where: Record<string, string>): Promise<number> =>
  (await hub.api.send(`POST ${path}`, { body: bodyOf(installationId, where) })).status;
const read = async (id: string) => (await hub.read(KEY, id)).body;
const syncsOf = async (id: string): Promise<unknown[]> => {
  const query = `provider_config_key=${KEY}&connection_id=${id}&syncs=*`;
  return ((await hub.api.send(`GET /sync/status?${query}`)).body as { syncs: unknown[] }).syncs;
};

describe('an installation that the provider reports', () => {
  it('completes the connection that waits for it: its token, its user’s half, its syncs', async () => {
    const id = await wait();
    const user = (await read(id)).credentials;

    expect(await tell('75', { app_id: '12345' })).toBe(200);

    const { credentials, connection_config: config } = await read(id);
    expect(credentials).toMatchObject({ type: 'APP', access_token: expect.stringMatching(/^ghs_75_/) });
    expect(config).toMatchObject({
      installation_id: '75',
      app_id: '12345',
      userCredentials: { access_token: user.access_token },
    });
    expect(config).not.toHaveProperty('pending');
    expect(config).not.toHaveProperty('pendingLog');
    expect((await read(id)).end_user.id).toBe('u1');
    await waitFor(async () => (await syncsOf(id)).length === 1, { what: 'the syncs' });
  });

  it('does not change connections that are not pending, or wait for another installation', async () => {
    const complete = await wait();
    await tell('74', { app_id: '12345' });
    const id = await wait();
    expect(await tell('76', { app_id: '12345', handle: 'somebody-else' })).toBe(200);

    expect((await read(id)).connection_config).toMatchObject({ pending: true });
    expect((await read(complete)).connection_config.installation_id).toBe('74');
  });

  it('that gives no token at first is accepted anyway; the connection is completed as soon as it does', async () => {
    const id = await wait();
    hub.github.installationAnswer = { status: 500 };

    expect(await tell('77', { app_id: '12345' })).toBe(200);
    expect((await read(id)).connection_config).toMatchObject({ pending: true });
    hub.github.installationAnswer = undefined;

    await waitFor(async () => (await read(id)).connection_config.installation_id === '77', {
      what: 'the installation',
    });
    expect((await read(id)).connection_config).not.toHaveProperty('pending');
  });

  it('while the vault is being locked is kept until it is unlocked', async () => {
    const id = await wait();
    const dashboard = await DashboardClient.signIn({ url: hub.server.url, signIn: hub.server });
    const asked = Promise.withResolvers<void>();
    const isLocked = Promise.withResolvers<void>();
    hub.github.beforeInstallationAnswer = () => {
      asked.resolve();
      return isLocked.promise;
    };
    const told = tell('78', { app_id: '12345' });
    await asked.promise;
    await dashboard.call('POST /api/v1/vault/lock');
    isLocked.resolve();

    expect(await told).toBe(200);
    hub.github.beforeInstallationAnswer = undefined;
    await dashboard.call('POST /api/v1/vault/unlock');

    await waitFor(async () => (await read(id)).connection_config.installation_id === '78', {
      what: 'the installation',
    });
  });
});
