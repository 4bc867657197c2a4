import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { syncSource } from '../../support/server-workspace.ts';
import { waitFor } from '../../support/wait-for.ts';
import { APP_LINK, GithubHub } from './github-hub.ts';

const KEY = 'github-app-oauth';
const BACK = '/oauth/callback';
const MINUTE_MS = 60_000;
const FILES = {
  [`${KEY}/syncs/issues.ts`]: syncSource(`await nango.batchSave([{ id: '1', text: 'x' }], 'Item');`).replace(
    'autoStart: false',
    'autoStart: true',
  ),
  [`${KEY}/on-events/greet.ts`]: `import { createOnEvent } from 'homeport';

export default createOnEvent({
  description: 'Greets',
  event: 'post-connection-creation',
  exec: async (nango) => {
    await nango.updateMetadata({ greeted: true });
  },
});
`,
};

let hub: GithubHub;

beforeAll(async () => {
  hub = await GithubHub.start(FILES);
  await waitFor(
    async () => {
      const { body } = await hub.api.send('GET /scripts/config');
      return JSON.stringify(body).includes('greet') && JSON.stringify(body).includes('issues');
    },
    { what: 'the functions' },
  );
});
afterEach(() => {
  hub.github.installationAnswer = undefined;
  hub.github.userAnswer = undefined;
});
afterAll(() => hub?.stop());

const withUser = (id: string, options = {}) =>
  hub.connect(KEY, BACK, { installation_id: id, code: 'good-code', setup_action: 'install' }, options);
const installed = (id: string) => hub.connect(KEY, BACK, { installation_id: id, setup_action: 'update' });
const read = async (id: string, query = '&refresh_token=true') => (await hub.read(KEY, id, query)).body;
const refreshes = () => hub.github.userCalls().filter((form) => form['grant_type'] === 'refresh_token');

/** The syncs of a connection, once everything that follows its creation is done. */
async function syncsOf(connectionId: string): Promise<string[]> {
  await hub.settled(connectionId);
  expect((await read(connectionId)).metadata).toEqual({ greeted: true });
  const path = `/sync/status?provider_config_key=${KEY}&connection_id=${connectionId}&syncs=*`;
  const { body } = await hub.api.send(`GET ${path}`);
  return (body as { syncs: Array<{ name: string }> }).syncs.map(({ name }) => name);
}

describe('installing a GitHub app and signing in', () => {
  it('begins at the app as a sign-in of its user', async () => {
    const { location, state } = await hub.begin(KEY);

    expect(`${location.origin}${location.pathname}`).toBe(`${APP_LINK}/installations/new`);
    expect(Object.fromEntries(location.searchParams)).toMatchObject({
      client_id: hub.github.client.id,
      redirect_uri: expect.stringMatching(/\/oauth\/callback$/),
      state,
      code_challenge_method: 'S256',
    });
  });

  it('keeps the token of the installation, with the user’s in the configuration', async () => {
    const message = await withUser('71');

    expect(message).toMatchObject({ message_type: 'success', is_pending: false });
    const { credentials, connection_config: config, end_user: endUser } = await read(message.connection_id);
    expect(credentials).toMatchObject({ type: 'APP', access_token: expect.stringMatching(/^ghs_71_/) });
    expect(config).toMatchObject({
      installation_id: '71',
      app_id: '12345',
      jwtToken: credentials.jwtToken,
      userCredentials: {
        type: 'OAUTH2',
        access_token: expect.stringMatching(/^ghu_/),
        refresh_token: expect.stringMatching(/^ghr_/),
      },
    });
    expect(config.pending).toBeUndefined();
    expect(endUser.id).toBe('u1');
    expect(await syncsOf(message.connection_id)).toEqual(['issues']);
    expect((await read(message.connection_id, '')).connection_config.userCredentials.refresh_token).toBeUndefined();
  });

  it('waits for the approval of an owner, without syncs', async () => {
    const message = await hub.connect(KEY, BACK, { code: 'good-code', setup_action: 'request' });

    expect(message).toMatchObject({ message_type: 'success', is_pending: true });
    const { credentials, connection_config: config } = await read(message.connection_id);
    expect(credentials).toMatchObject({ type: 'OAUTH2', access_token: expect.stringMatching(/^ghu_/) });
    expect(config).toMatchObject({ pending: true, pendingLog: expect.any(String), app_id: '12345' });
    expect(config.installation_id).toBeUndefined();
    expect(await syncsOf(message.connection_id)).toEqual([]);
  });

  it('renews the tokens of a waiting user', async () => {
    const { connection_id: id } = await hub.connect(KEY, BACK, { code: 'good-code' });
    const before = (await read(id)).credentials;

    const after = (await read(id, '&refresh_token=true&force_refresh=true')).credentials;

    expect(refreshes().at(-1)).toMatchObject({ refresh_token: before.refresh_token });
    expect(after).toMatchObject({ type: 'OAUTH2', access_token: expect.not.stringMatching(before.access_token) });
  });

  it('takes an installation without a user', async () => {
    const before = hub.github.userCalls().length;

    const message = await installed('72');

    const { credentials, connection_config: config } = await read(message.connection_id);
    expect(credentials).toMatchObject({ type: 'APP', access_token: expect.stringMatching(/^ghs_72_/) });
    expect(config.userCredentials).toBeUndefined();
    expect(hub.github.userCalls()).toHaveLength(before);
  });

  it('fails without a code and an installation', async () => {
    const message = await hub.connect(KEY, BACK, { setup_action: 'request' });

    expect(message).toMatchObject({ message_type: 'error', error_type: 'callback_err' });
  });

  it('fails with GitHub’s error about the code', async () => {
    const message = await hub.connect(KEY, BACK, { code: 'other-code', installation_id: '79' });

    expect(message).toMatchObject({
      message_type: 'error',
      error_type: 'unknown_err',
      error_desc: expect.stringContaining('bad_verification_code'),
    });
    expect(hub.github.installationCalls('79')).toEqual([]);
  });

  it.each([{}, { state: 'unknown' }])('with the state %j is refused', async (state) => {
    const query = { code: 'good-code', ...state };

    expect((await hub.comeBack(BACK, query)).status).toBe(400);
  });
});

describe('an installation that is connected already', () => {
  it('gets a fresh token on its own connection, whose user and end user stay', async () => {
    const { connection_id: id } = await withUser('73');
    const before = await read(id);
    const exchanges = hub.github.userCalls().length;
    const count = (await hub.listOf(KEY)).length;

    const message = await withUser('73', { user: 'u2' });

    expect(message).toMatchObject({ message_type: 'success', connection_id: id, is_pending: false });
    const after = await read(id);
    expect(after.id).toBe(before.id);
    expect(after.credentials.access_token).not.toBe(before.credentials.access_token);
    expect(after.connection_config).toEqual({
      ...before.connection_config,
      jwtToken: after.credentials.jwtToken,
    });
    expect([after.end_user, after.tags]).toEqual([before.end_user, before.tags]);
    expect(hub.github.userCalls()).toHaveLength(exchanges);
    expect(await hub.listOf(KEY)).toHaveLength(count);
  });

  it('is reconnected under its own id', async () => {
    const { connection_id: id } = await withUser('74');

    const message = await withUser('74', { reconnect: id });

    expect(message).toMatchObject({ message_type: 'success', connection_id: id });
    expect((await read(id)).end_user.id).toBe('u1');
  });
});

describe('a connection of a GitHub app with a user', () => {
  it('renews both tokens together and keeps the rest', async () => {
    const { connection_id: id } = await withUser('75');
    const before = await read(id);
    hub.clock.skip(50 * MINUTE_MS);

    const after = await read(id);

    expect(refreshes().at(-1)).toEqual({
      grant_type: 'refresh_token',
      refresh_token: before.connection_config.userCredentials.refresh_token,
      client_id: hub.github.client.id,
      client_secret: hub.github.client.secret,
    });
    expect(after.credentials).toMatchObject({ type: 'APP', access_token: expect.stringMatching(/^ghs_75_/) });
    expect(after.credentials.access_token).not.toBe(before.credentials.access_token);
    const { jwtToken, userCredentials, ...rest } = after.connection_config;
    const { jwtToken: oldJwt, userCredentials: oldUser, ...oldRest } = before.connection_config;
    expect(rest).toEqual(oldRest);
    expect(jwtToken).not.toBe(oldJwt);
    expect(userCredentials.access_token).not.toBe(oldUser.access_token);
    expect(userCredentials.refresh_token).not.toBe(oldUser.refresh_token);
  });

  it.each([
    ['refused', { body: { error: 'bad_refresh_token', error_description: 'Incorrect or expired.' } }],
    ['not answered', { drop: true }],
  ])('bears that the user’s is %s', async (_how, response) => {
    const { connection_id: id } = await withUser('76');
    const before = await read(id);
    hub.github.userAnswer = response;

    const after = await read(id, '&refresh_token=true&force_refresh=true');

    expect(after.credentials.access_token).not.toBe(before.credentials.access_token);
    expect(after.connection_config.userCredentials).toEqual(before.connection_config.userCredentials);
    expect(after.errors).toEqual([]);
  });

  it('loses no new refresh token when the installation’s is refused', async () => {
    const { connection_id: id } = await withUser('77');
    const before = await read(id);
    hub.github.installationAnswer = { status: 500, body: { message: 'Server Error' } };

    const failed = await hub.read(KEY, id, '&force_refresh=true');

    expect([failed.status, failed.body.error.code]).toEqual([400, 'invalid_credentials']);
    hub.clock.skip(MINUTE_MS);
    const kept = await read(id);
    expect(kept.credentials).toEqual(before.credentials);
    expect(kept.connection_config.userCredentials.refresh_token).not.toBe(
      before.connection_config.userCredentials.refresh_token,
    );
    expect(kept.errors).toMatchObject([{ type: 'auth' }]);
    hub.github.installationAnswer = undefined;
    const renewed = await read(id, '&refresh_token=true&force_refresh=true');
    expect(renewed.credentials.access_token).not.toBe(before.credentials.access_token);
    expect(renewed.errors).toEqual([]);
    expect(refreshes().at(-1)).toMatchObject({
      refresh_token: kept.connection_config.userCredentials.refresh_token,
    });
  });

  it('renews only the token of the installation when there is no user', async () => {
    const { connection_id: id } = await installed('78');
    const before = await read(id);
    const exchanges = hub.github.userCalls().length;

    const after = await read(id, '&force_refresh=true');

    expect(after.credentials.access_token).not.toBe(before.credentials.access_token);
    expect(hub.github.userCalls()).toHaveLength(exchanges);
  });
});
