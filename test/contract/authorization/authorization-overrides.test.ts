import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { STRICT_CLIENT } from '../../support/strict-authorizer.ts';
import { type AuthorizationWay, connectAt, type RedirectHub, startRedirectHub, strictEntry } from './redirect-hub.ts';

const OWN_CLIENT = { id: 'own-client', secret: 'own-client-secret' };

let hub: RedirectHub;

beforeAll(async () => {
  hub = await startRedirectHub((address) => ({
    plain: strictEntry(address),
    tenant: strictEntry(address, {
      authorization_url: `${address}/t/\${connectionConfig.tenant}/authorize`,
      token_url: `${address}/t/\${connectionConfig.tenant}/token?v=2`,
      authorization_params: { resource: 'https://${connectionConfig.tenant}.test' },
      connection_config: { tenant: { type: 'string', title: 'Tenant', description: 'Yours' } },
    }),
  }));
  hub.authorizer.clients.set(OWN_CLIENT.id, OWN_CLIENT.secret);
});
beforeEach(() => void hub.authorizer.received.splice(0));
afterAll(() => hub?.stop());

const connect = (key: string, way?: AuthorizationWay) => connectAt(hub, key, way);

const defaults = (key: string, values: object): object => ({ integrations_config_defaults: { [key]: values } });

describe('values that a session sets', () => {
  it('win over the values that the end user enters', async () => {
    hub.authorizer.serveTokens('/t/theirs/token');
    const session = defaults('tenant', { connection_config: { tenant: 'theirs', region: 'eu' } });

    const { connection } = await connect('tenant', {
      session,
      query: { 'params[tenant]': 'mine', 'params[note]': 'x' },
    });

    expect(connection['connection_config']).toEqual({ tenant: 'theirs', region: 'eu', note: 'x' });
  });

  it('replaces the parameters of the client as a whole', async () => {
    const session = defaults('plain', { authorization_params: { prompt: 'consent', scope: 'undefined' } });
    const query = { 'authorization_params[prompt]': 'login', 'authorization_params[hint]': 'me' };

    const { asked } = await connect('plain', { session, query });

    expect([asked.get('prompt'), asked.has('hint'), asked.has('scope')]).toEqual(['consent', false, false]);
    const { asked: without } = await connect('plain', { query: { ...query, 'authorization_params[state]': 'theirs' } });
    expect([without.get('prompt'), without.get('hint')]).toEqual(['login', 'me']);
    expect(without.get('state')).not.toBe('theirs');
  });

  it('chooses the scopes; the end user cannot', async () => {
    const session = defaults('plain', { connection_config: { oauth_scopes_override: 'one, two' } });

    const { asked, connection } = await connect('plain', { session });

    expect(asked.get('scope')).toBe('one two');
    expect(connection['connection_config']).toEqual({ oauth_scopes_override: ['one', 'two'] });
    const { asked: without, connection: plain } = await connect('plain', {
      query: { 'params[oauth_scopes_override]': 'all' },
    });
    expect(without.get('scope')).toBe('read write');
    expect(plain['connection_config']).toEqual({});
  });

  it('may be a client of its own, which then renews the tokens, too', async () => {
    const connection_config = {
      oauth_client_id_override: OWN_CLIENT.id,
      oauth_client_secret_override: OWN_CLIENT.secret,
    };

    const { asked, connection, message } = await connect('plain', {
      session: defaults('plain', { connection_config }),
    });

    expect(asked.get('client_id')).toBe(OWN_CLIENT.id);
    expect(connection['connection_config']).toEqual({});
    expect(connection['credentials']).toMatchObject({
      config_override: { client_id: OWN_CLIENT.id, client_secret: OWN_CLIENT.secret },
    });
    const path = `/connections/${String(message['connection_id'])}?provider_config_key=plain&force_refresh=true`;
    expect((await hub.api.send(`GET ${path}`)).status).toBe(200);
    expect(hub.authorizer.received.at(-1)?.params).toMatchObject({
      grant_type: 'refresh_token',
      client_id: OWN_CLIENT.id,
    });
  });
});

describe('values that the end user brings', () => {
  it('may be a client of their own and a refresh token', async () => {
    const query = {
      'credentials[oauth_client_id_override]': OWN_CLIENT.id,
      'credentials[oauth_client_secret_override]': OWN_CLIENT.secret,
      'credentials[oauth_refresh_token_override]': 'own-refresh',
    };

    const { asked, connection } = await connect('plain', { query });

    expect(asked.get('client_id')).toBe(OWN_CLIENT.id);
    expect(connection['connection_config']).toEqual({ overrideTokenRefresh: true });
    expect(connection['credentials']).toMatchObject({
      refresh_token: 'own-refresh',
      raw: { refresh_token: 'own-refresh' },
      config_override: { client_id: OWN_CLIENT.id, client_secret: OWN_CLIENT.secret },
    });
  });

  it('are ignored when they are empty, or not theirs to set', async () => {
    const query = {
      'credentials[oauth_client_id_override]': 'undefined',
      'credentials[oauth_client_secret_override]': '',
      'params[webhook_url]': 'https://evil.test',
      user_scope: 'admin',
    };

    const { asked, connection } = await connect('plain', { query });

    expect([asked.get('client_id'), asked.has('user_scope')]).toEqual([STRICT_CLIENT.id, false]);
    expect(connection['connection_config']).toEqual({});
  });
});
