import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GithubHub, PLUGIN } from './github-hub.ts';

const KEY = 'acme-plugin';

let hub: GithubHub;

beforeAll(async () => {
  hub = await GithubHub.start();
});
afterAll(() => hub?.stop());

describe('installing a plugin', () => {
  it('begins at its page and ends with the developer’s credentials, tested', async () => {
    hub.github.server.on('GET /whoami', { body: {} });
    const { location, state, nextMessage } = await hub.begin(KEY);
    expect(location.href).toBe(`https://shop.test/plugins/acme?theme=dark&payload=${state}`);

    const page = await hub.comeBack('/oauth/callback', { payload: state });

    expect(page.status).toBe(200);
    const message = await nextMessage();
    expect(message).toMatchObject({ message_type: 'success', provider_config_key: KEY, is_pending: false });
    const { body } = await hub.read(KEY, message.connection_id);
    expect(body).toMatchObject({ credentials: { type: 'BASIC', ...PLUGIN }, end_user: { id: 'u1' } });
    const basic = Buffer.from(`${PLUGIN.username}:${PLUGIN.password}`).toString('base64');
    expect(hub.github.server.requestsTo('/whoami').at(-1)?.headers['authorization']).toBe(`Basic ${basic}`);
  });

  it('fails when the provider does not take the credentials', async () => {
    hub.github.server.on('GET /whoami', { status: 401, body: { error: 'unknown plugin' } });
    const before = (await hub.listOf(KEY)).length;
    const { state, nextMessage } = await hub.begin(KEY);

    const page = await hub.comeBack('/oauth/callback', { payload: state });

    expect(page.status).toBe(400);
    expect(await nextMessage()).toMatchObject({ message_type: 'error', error_type: 'connection_test_failed' });
    expect(await hub.listOf(KEY)).toHaveLength(before);
  });

  it('needs the credentials of the integration', async () => {
    const body = { provider: KEY, unique_key: 'bare-plugin', custom: { app_link: 'https://shop.test/plugins/acme' } };
    await hub.api.send('POST /integrations', { body });
    const { state, nextMessage } = await hub.begin('bare-plugin');

    expect((await hub.comeBack('/oauth/callback', { payload: state })).status).toBe(400);
    expect(await nextMessage()).toMatchObject({ error_type: 'provider_config_err' });
  });

  it.each([undefined, 'javascript:alert(1)', 'no address'])('does not begin at %s', async (link) => {
    const key = `plugin-${String(link).length}`;
    const custom = { ...PLUGIN, ...(link === undefined ? {} : { app_link: link }) };
    await hub.api.send('POST /integrations', { body: { provider: KEY, unique_key: key, custom } });

    await expect(hub.begin(key)).rejects.toThrow(/app_link/);
  });
});
