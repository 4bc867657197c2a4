import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AuthorizationCaller } from '../../support/authorization-caller.ts';
import { MovableClock } from '../../support/movable-clock.ts';
import type { InProcessServer } from '../../support/start-in-process.ts';
import { STRICT_CLIENT, StrictAuthorizer } from '../../support/strict-authorizer.ts';
import { DashboardClient } from '../dashboard/dashboard-client.ts';
import { ApiCaller } from '../http/api-caller.ts';
import { startWithProviders } from '../http/workspace-providers.ts';
import { type RedirectHub, startRedirectHub, strictEntry } from './redirect-hub.ts';

const MINUTE = 60_000;

describe('time between start and callback', () => {
  const clock = new MovableClock();
  let hub: RedirectHub;

  beforeAll(async () => {
    hub = await startRedirectHub((address) => ({ plain: strictEntry(address) }), { clock });
  });
  afterAll(() => hub?.stop());

  it('may be longer than the session lives', async () => {
    const token = await hub.caller.newSession({ tags: { team: 'a' } });
    const page = await hub.caller.openPage();
    const location = await hub.caller.startAt('plain', { token, page });
    clock.skip(31 * MINUTE);
    expect((await hub.caller.start('plain', { token })).status).toBe(401);

    expect((await fetch(hub.authorizer.consent(location))).status).toBe(200);

    const message = await page.next();
    page.close();
    expect(await hub.connection('plain', message['connection_id'])).toMatchObject({
      end_user: { id: 'u1', email: 'u1@example.test' },
      tags: { end_user_id: 'u1', team: 'a' },
    });
  });

  it('is an hour at most', async () => {
    const page = await hub.caller.openPage();
    const location = await hub.caller.startAt('plain', { token: await hub.caller.newSession(), page });
    clock.skip(61 * MINUTE);
    hub.authorizer.received.splice(0);

    const response = await fetch(hub.authorizer.consent(location));

    expect([response.status, hub.authorizer.received.length]).toEqual([400, 0]);
    expect(await response.text()).toContain('took longer than an hour');
    page.close();
  });
});

describe('a vault that is locked when the person comes back', () => {
  it('is told on the page, and the same callback works after it was unlocked', async () => {
    const hub = await startRedirectHub((address) => ({ plain: strictEntry(address) }));
    try {
      const page = await hub.caller.openPage();
      const location = await hub.caller.startAt('plain', { token: await hub.caller.newSession(), page });
      const callback = hub.authorizer.consent(location);
      const dashboard = await DashboardClient.signIn({ url: hub.server.url, signIn: hub.server });
      await dashboard.call('POST /api/v1/vault/lock');

      const locked = await fetch(callback);
      expect(locked.headers.get('content-type')).toContain('text/html');
      expect(await locked.text()).toContain('Unlock it, then load this page again.');

      await dashboard.call('POST /api/v1/vault/unlock');
      expect((await fetch(callback)).status).toBe(200);
      const message = await page.next();
      page.close();
      expect(await hub.connection('plain', message['connection_id'])).toMatchObject({ end_user: { id: 'u1' } });
    } finally {
      await hub.stop();
    }
  });
});

describe('a vault that is locked while the provider exchanges the code', () => {
  it('costs no second sign-in: the same callback finishes with what the provider gave', async () => {
    const hub = await startRedirectHub((address) => ({ plain: strictEntry(address) }));
    try {
      const dashboard = await DashboardClient.signIn({ url: hub.server.url, signIn: hub.server });
      const page = await hub.caller.openPage();
      const location = await hub.caller.startAt('plain', { token: await hub.caller.newSession(), page });
      const callback = hub.authorizer.consent(location);
      hub.authorizer.gate = () => dashboard.call('POST /api/v1/vault/lock');

      const locked = await fetch(callback);
      expect(await locked.text()).toContain('Unlock it, then load this page again.');

      await dashboard.call('POST /api/v1/vault/unlock');
      expect((await fetch(callback)).status).toBe(200);
      const message = await page.next();
      page.close();
      expect(await hub.connection('plain', message['connection_id'])).toMatchObject({
        credentials: { access_token: 'strict-access', refresh_token: 'strict-refresh' },
      });
      expect(hub.authorizer.received).toHaveLength(1);
      expect((await fetch(callback)).status).toBe(400);
    } finally {
      await hub.stop();
    }
  });

  it('believes its token no longer when the clock was ahead then, and is right now', async () => {
    const clock = new MovableClock();
    const hub = await startRedirectHub((address) => ({ plain: strictEntry(address) }), { clock });
    try {
      const dashboard = await DashboardClient.signIn({ url: hub.server.url, signIn: hub.server });
      const page = await hub.caller.openPage();
      const location = await hub.caller.startAt('plain', { token: await hub.caller.newSession(), page });
      const callback = hub.authorizer.consent(location);
      clock.skip(30 * MINUTE);
      hub.authorizer.gate = () => dashboard.call('POST /api/v1/vault/lock');
      await (await fetch(callback)).text();
      hub.authorizer.gate = async () => {};
      clock.skip(-30 * MINUTE);
      await dashboard.call('POST /api/v1/vault/unlock');
      expect((await fetch(callback)).status).toBe(200);
      const message = await page.next();
      page.close();

      await hub.connection('plain', message['connection_id']);

      const grants = hub.authorizer.received.map(({ params }) => params['grant_type']);
      expect(grants).toEqual(['authorization_code', 'refresh_token']);
    } finally {
      await hub.stop();
    }
  });
});

describe('a restart between start and callback', () => {
  let authorizer: StrictAuthorizer;
  let server: InProcessServer;
  let caller: AuthorizationCaller;
  let api: ApiCaller;

  beforeAll(async () => {
    authorizer = await StrictAuthorizer.start();
    const entries = { plain: strictEntry(authorizer.address), leaving: strictEntry(authorizer.address) };
    server = await startWithProviders(JSON.stringify(entries));
    api = new ApiCaller(server);
    caller = new AuthorizationCaller(server);
    for (const provider of Object.keys(entries)) {
      const credentials = { type: 'OAUTH2', client_id: STRICT_CLIENT.id, client_secret: STRICT_CLIENT.secret };
      await api.send('POST /integrations', { body: { provider, unique_key: provider, credentials } });
    }
  });
  afterAll(async () => {
    await server?.stop();
    await authorizer?.stop();
  });

  it('loses no sign-in', async () => {
    const location = await caller.startAt('plain', { token: await caller.newSession() });
    await server.restart();

    const response = await fetch(authorizer.consent(location));

    expect([response.status, (await response.text()).includes('nango_oauth_callback_success')]).toEqual([200, true]);
    const { body } = await api.send('GET /connections?integrationId=plain');
    expect(body).toMatchObject({ connections: [{ end_user: { id: 'u1' } }] });
  });

  it('continues although its entry was removed from the file: an integration uses it (providers.md 12.9)', async () => {
    const token = await caller.newSession();
    const location = await caller.startAt('leaving', { token });
    await writeFile(
      join(server.workspace, 'providers.yaml'),
      JSON.stringify({ plain: strictEntry(authorizer.address) }),
    );
    await server.restart();

    const begun = await caller.start('leaving', { token: await caller.newSession() });
    const ended = await fetch(authorizer.consent(location));

    expect(begun.status).toBe(302);
    expect([ended.status, (await ended.text()).includes('nango_oauth_callback_success')]).toEqual([200, true]);
  });
});
