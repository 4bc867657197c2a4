import { decodeJwt } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { APP_LINK, GithubHub } from './github-hub.ts';

const BACK = '/app-auth/connect';
const MINUTE_MS = 60_000;

let hub: GithubHub;

beforeAll(async () => {
  hub = await GithubHub.start();
});
afterEach(() => {
  hub.github.installationAnswer = undefined;
});
afterAll(() => hub?.stop());

const install = (id: string): Promise<{ connection_id: string }> =>
  hub.connect('github-app', BACK, { installation_id: id, setup_action: 'install' });

describe('installing a GitHub app', () => {
  it('begins at the app and ends with a token of the installation', async () => {
    const { location, state, nextMessage } = await hub.begin('github-app');
    expect(location.href).toBe(`${APP_LINK}/installations/new?state=${state}`);

    const page = await hub.comeBack(BACK, { state, installation_id: '71', setup_action: 'install' });

    expect(page.status).toBe(200);
    const message = await nextMessage();
    expect(message).toMatchObject({ message_type: 'success', provider_config_key: 'github-app', is_pending: false });
    const { body } = await hub.read('github-app', message.connection_id);
    expect(body).toMatchObject({
      credentials: { type: 'APP', access_token: expect.stringMatching(/^ghs_71_/), raw: { permissions: {} } },
      connection_config: { installation_id: '71', app_id: '12345', appPublicLink: APP_LINK },
      end_user: { id: 'u1' },
    });
    expect(decodeJwt(body.credentials.jwtToken)).toMatchObject({ iss: '12345' });
    expect(body.connection_config.jwtToken).toBe(body.credentials.jwtToken);
    const [call] = hub.github.installationCalls('71');
    expect(call?.headers).toMatchObject({ accept: 'application/vnd.github.v3+json' });
  });

  it('is not done while an owner has to approve it', async () => {
    const { state, nextMessage } = await hub.begin('github-app');
    const before = (await hub.listOf('github-app')).length;

    const page = await hub.comeBack(BACK, { state, setup_action: 'request' });

    expect([page.status, page.text]).toEqual([400, expect.stringContaining('approve')]);
    expect(await nextMessage()).toMatchObject({ message_type: 'error', error_type: 'auth_mode_err' });
    expect(await hub.listOf('github-app')).toHaveLength(before);
  });

  it('requires the installation', async () => {
    const { state, nextMessage } = await hub.begin('github-app');

    expect((await hub.comeBack(BACK, { state, setup_action: 'install' })).status).toBe(400);
    expect(await nextMessage()).toMatchObject({ error_type: 'callback_err' });
  });

  it.each([
    ['no state', { setup_action: 'request', installation_id: '73' }, 400],
    ['an unknown state', { state: 'unknown', installation_id: '73' }, 404],
    [
      'an unknown state of a change at GitHub',
      { state: 'unknown', installation_id: '73', setup_action: 'update' },
      404,
    ],
  ])('with %s is unknown here', async (_what, query, status) => {
    expect((await hub.comeBack(BACK, query)).status).toBe(status);
    expect(hub.github.installationCalls('73')).toEqual([]);
  });

  it('is good for one callback', async () => {
    const { state } = await hub.begin('github-app');
    const query = { state, installation_id: '71', setup_action: 'install' };

    const statuses = [await hub.comeBack(BACK, query), await hub.comeBack(BACK, query)].map(({ status }) => status);

    expect(statuses).toEqual([200, 404]);
  });

  it.each(['install', 'update'])('sends a person who began at GitHub back there (%s)', async (action) => {
    const path = `${hub.server.url}${BACK}?installation_id=71&setup_action=${action}`;
    const referer = 'https://github.com/organizations/acme/settings/installations/71';

    const without = await fetch(path, { redirect: 'manual' });
    const withReferer = await fetch(path, { redirect: 'manual', headers: { referer } });

    expect([without.status, without.headers.get('location')]).toEqual([302, 'https://github.com']);
    expect([withReferer.status, withReferer.headers.get('location')]).toEqual([302, referer]);
  });

  it('fails with GitHub’s error, and leaves nothing behind', async () => {
    hub.github.installationAnswer = { status: 403, body: { message: 'This installation has been suspended' } };
    const before = (await hub.listOf('github-app')).length;
    const { state, nextMessage } = await hub.begin('github-app');

    const page = await hub.comeBack(BACK, { state, installation_id: '72', setup_action: 'install' });

    expect(page.status).toBe(400);
    expect(await nextMessage()).toMatchObject({
      message_type: 'error',
      error_desc: expect.stringContaining('This installation has been suspended'),
    });
    expect(await hub.listOf('github-app')).toHaveLength(before);
  });

  it('does not end where users come back', async () => {
    const { state, nextMessage } = await hub.begin('github-app');

    expect((await hub.comeBack('/oauth/callback', { state, installation_id: '72' })).status).toBe(400);
    expect(await nextMessage()).toMatchObject({ error_type: 'auth_mode_err' });
  });
});

describe('a connection of a GitHub app', () => {
  it('renews its token, with a new JWT, 15 minutes before its end', async () => {
    const { connection_id: id } = await install('73');
    const first = (await hub.read('github-app', id)).body;

    hub.clock.skip(44 * MINUTE_MS);
    const early = (await hub.read('github-app', id)).body;
    hub.clock.skip(2 * MINUTE_MS);
    const late = (await hub.read('github-app', id)).body;

    expect(early.credentials).toEqual(first.credentials);
    expect(late.credentials.access_token).not.toBe(first.credentials.access_token);
    expect(late.credentials.jwtToken).not.toBe(first.credentials.jwtToken);
    expect(late.connection_config).toEqual({
      ...first.connection_config,
      jwtToken: late.credentials.jwtToken,
    });
    expect(hub.github.installationCalls('73')).toHaveLength(2);
  });

  it('renews the JWT alone when that is asked for', async () => {
    const { connection_id: id } = await install('74');
    const first = (await hub.read('github-app', id)).body;
    hub.clock.skip(2 * MINUTE_MS);

    const plain = (await hub.read('github-app', id)).body;
    const asked = (await hub.read('github-app', id, '&refresh_github_app_jwt_token=true')).body;

    expect(plain.credentials).toEqual(first.credentials);
    expect(asked.credentials).toMatchObject({
      access_token: first.credentials.access_token,
      expires_at: first.credentials.expires_at,
    });
    const end = decodeJwt(asked.credentials.jwtToken).exp ?? 0;
    expect(end).toBeGreaterThan(decodeJwt(first.credentials.jwtToken).exp ?? 0);
    expect(asked.connection_config.jwtToken).toBe(asked.credentials.jwtToken);
    expect(hub.github.installationCalls('74')).toHaveLength(1);
  });

  it('says why its token could not be renewed', async () => {
    const { connection_id: id } = await install('75');
    hub.github.installationAnswer = { status: 404, body: { message: 'Not Found' } };

    const { status, body } = await hub.read('github-app', id, '&force_refresh=true');

    expect([status, body.error.code]).toEqual([400, 'invalid_credentials']);
    expect(body.error.message).toContain('Not Found');
  });
});
