import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AuthModesHub, END_USER } from './auth-modes-hub.ts';

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const NONE = '/auth/unauthenticated/own-none';
const KEY = '/api-auth/api-key/own-key';
const KEY_BODY = { apiKey: 'key-1' };

let hub: AuthModesHub;

beforeAll(async () => {
  hub = await AuthModesHub.start();
  hub.provider.on('GET /check-key', { body: {} });
});
afterAll(() => hub?.stop());

const patch = (key: string, id: string, body: object) =>
  hub.api.send(`PATCH /connections/${id}?provider_config_key=${key}`, { body });
const setMetadata = (key: string, id: string, metadata: object) =>
  hub.api.send('POST /connections/metadata', { body: { provider_config_key: key, connection_id: id, metadata } });

describe('a connection made with a session', () => {
  it('gets an id, the end user, tags, configuration and the address for its webhooks', async () => {
    const token = await hub.openSession({
      organization: { id: 'o1', display_name: 'Org' },
      tags: { Plan: 'pro' },
      webhook_url_override: 'http://127.0.0.1:9/own',
      integrations_config_defaults: { 'own-none': { connection_config: { area: 'ours', deep: { a: [1] } } } },
    });

    const id = await hub.connect(NONE, { token, query: 'params[area]=theirs&params[own]=1' });

    expect(await hub.read('own-none', id)).toMatchObject({
      connection_id: expect.stringMatching(UUID_V4),
      end_user: {
        id: 'u1',
        email: 'u1@example.test',
        display_name: 'U One',
        organization: { id: 'o1', display_name: 'Org' },
      },
      tags: {
        end_user_id: 'u1',
        end_user_email: 'u1@example.test',
        end_user_display_name: 'U One',
        organization_id: 'o1',
        organization_display_name: 'Org',
        plan: 'pro',
      },
      connection_config: { area: 'ours', deep: { a: [1] }, own: '1' },
      metadata: {},
      webhook_url_override: 'http://127.0.0.1:9/own',
      errors: [],
    });
  });

  it('takes the older spelling of the address for webhooks, and keeps it out of the configuration', async () => {
    const token = await hub.openSession({
      integrations_config_defaults: { 'own-none': { connection_config: { webhook_url: 'http://127.0.0.1:9/old' } } },
    });

    const connection = await hub.read('own-none', await hub.connect(NONE, { token }));

    expect(connection).toMatchObject({ connection_config: {}, webhook_url_override: 'http://127.0.0.1:9/old' });
  });

  it('has a copy of the end user of its own', async () => {
    const token = await hub.openSession();
    const first = await hub.connect(NONE, { token });
    const second = await hub.connect(KEY, { token, body: KEY_BODY });

    await patch('own-none', first, { end_user: { id: 'u1', email: 'new@example.test' } });

    expect((await hub.read('own-none', first)).end_user.email).toBe('new@example.test');
    expect((await hub.read('own-key', second)).end_user.email).toBe(END_USER.email);
  });

  it('needs no end user when the session has tags', async () => {
    const token = await hub.openSession({ end_user: undefined, tags: { team: 'x' } });

    const connection = await hub.read('own-none', await hub.connect(NONE, { token }));

    expect(connection).toMatchObject({ end_user: null, tags: { team: 'x' } });
  });
});

describe('a session that renews a connection', () => {
  /** A connection with everything that a reconnect preserves. */
  async function makeConnection(): Promise<string> {
    const token = await hub.openSession({ tags: { plan: 'pro' }, webhook_url_override: 'http://127.0.0.1:9/kept' });
    const id = await hub.connect(KEY, { token, body: { apiKey: 'old-key' }, query: 'params[area]=old' });
    await setMetadata('own-key', id, { kept: { deep: true } });
    return id;
  }

  it('keeps the id, metadata, tags, end user and address; credentials and configuration are new', async () => {
    const id = await makeConnection();
    const before = await hub.read('own-key', id);
    const token = await hub.openReconnect('own-key', id);

    expect(await hub.connect(KEY, { token, body: KEY_BODY, query: 'params[other]=1' })).toBe(id);

    expect(await hub.read('own-key', id)).toEqual({
      ...before,
      credentials: { type: 'API_KEY', apiKey: 'key-1' },
      connection_config: { other: '1' },
      updated_at: expect.any(String),
      last_fetched_at: expect.any(String),
    });
    expect(before).toMatchObject({ tags: { plan: 'pro' }, end_user: { id: 'u1' }, metadata: { kept: { deep: true } } });
  });

  it('takes a new end user, tags and address', async () => {
    const id = await makeConnection();
    const parts = { end_user: { id: 'u2' }, tags: { plan: 'free' }, webhook_url_override: '' };
    const token = await hub.openReconnect('own-key', id, parts);

    await hub.connect(KEY, { token, body: KEY_BODY });

    expect(await hub.read('own-key', id)).toMatchObject({
      end_user: { id: 'u2' },
      tags: { plan: 'free', end_user_id: 'u2' },
      webhook_url_override: null,
      metadata: { kept: { deep: true } },
    });
  });

  it('is for its integration only', async () => {
    const token = await hub.openReconnect('own-key', await makeConnection());

    expect(await hub.refusal(NONE, { token })).toEqual({ status: 400, code: 'integration_not_allowed' });
  });

  it('clears the errors of the connection', async () => {
    const login = { type: 'TWO_STEP', username: 'me' };
    const answerLogin = (session: object): void => {
      hub.provider.on('POST /login', { body: { ticket: 't' } }).on('POST /session', { body: { session } });
    };
    answerLogin({ id: 's-1', ends: '2001-01-01T00:00:00Z' });
    const id = await hub.connect('/auth/two-step/own-two-step', { body: login });
    hub.provider.on('POST /login', { status: 401 });
    const path = `/connections/${id}?provider_config_key=own-two-step`;
    expect(await hub.api.refusal(`GET ${path}`)).toMatchObject({ status: 400, code: 'invalid_credentials' });
    expect(await hub.api.refusal(`GET ${path}`)).toMatchObject({ status: 424 });
    answerLogin({ id: 's-2', ends: '2999-01-01T00:00:00Z' });

    await hub.connect('/auth/two-step/own-two-step', {
      token: await hub.openReconnect('own-two-step', id),
      body: login,
    });

    expect(await hub.read('own-two-step', id)).toMatchObject({ errors: [], credentials: { token: 's-2' } });
  });

  it('shows the refresh token of a two-step login only when asked for it, also in raw', async () => {
    const session = { id: 's-1', again: 'rt-1', ends: '2999-01-01T00:00:00Z' };
    hub.provider.on('POST /login', { body: { ticket: 't' } }).on('POST /session', { body: { session } });
    const id = await hub.connect('/auth/two-step/own-two-step', { body: { type: 'TWO_STEP', username: 'me' } });

    const shown = JSON.stringify(await hub.read('own-two-step', id));
    expect(shown).toContain('s-1');
    expect(shown).not.toContain('rt-1');
    const path = `/connections/${id}?provider_config_key=own-two-step&refresh_token=true`;
    expect((await hub.api.send(`GET ${path}`)).body).toMatchObject({
      credentials: { refresh_token: 'rt-1', raw: { session: { again: 'rt-1' } } },
    });
  });

  it('does not change the connection when the new credentials are refused', async () => {
    const id = await makeConnection();
    const before = await hub.read('own-key', id);
    hub.provider.on('GET /check-key', { status: 401 });
    const token = await hub.openReconnect('own-key', id);

    const refusal = await hub.refusal(KEY, { token, body: { apiKey: 'wrong' } });
    hub.provider.on('GET /check-key', { body: {} });

    expect(refusal).toMatchObject({ status: 400, code: 'connection_test_failed' });
    expect(await hub.read('own-key', id)).toEqual({ ...before, last_fetched_at: expect.any(String) });
  });

  it('is refused when the connection was deleted', async () => {
    const id = await makeConnection();
    const token = await hub.openReconnect('own-key', id);
    await hub.api.send(`DELETE /connections/${id}?provider_config_key=own-key`);

    // Before the integration is checked.
    const expected = { status: 400, code: 'invalid_connection' };
    expect(await hub.refusal('/api-auth/api-key/nobody', { token, body: KEY_BODY })).toMatchObject(expected);
    expect(await hub.refusal(KEY, { token, body: KEY_BODY })).toMatchObject(expected);
  });

  it('does not bring back a connection that was deleted while the provider was asked', async () => {
    const id = await makeConnection();
    const token = await hub.openReconnect('own-key', id);
    hub.provider.on('GET /check-key', async () => {
      await hub.api.send(`DELETE /connections/${id}?provider_config_key=own-key`);
      return { body: {} };
    });

    const refusal = await hub.refusal(KEY, { token, body: KEY_BODY });
    hub.provider.on('GET /check-key', { body: {} });

    expect(refusal).toMatchObject({ status: 400, code: 'invalid_connection' });
    expect((await hub.listOf('own-key')).map(({ connection_id }) => connection_id)).not.toContain(id);
  });
});
