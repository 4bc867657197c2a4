import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ScriptedResponse } from '../../support/fake-provider.ts';
import { STRICT_CLIENT } from '../../support/strict-authorizer.ts';
import {
  type AuthorizationWay,
  authorizeAt,
  connectAt,
  type RedirectHub,
  startRedirectHub,
  strictEntry,
} from './redirect-hub.ts';

const TOKENS = { access_token: 'at', refresh_token: 'rt', expires_in: 3600 };

let hub: RedirectHub;

beforeAll(async () => {
  hub = await startRedirectHub((address) => ({
    plain: strictEntry(address),
    'no-pkce': strictEntry(address, { disable_pkce: true, authorization_method: 'header' }),
    json: strictEntry(address, { body_format: 'json', token_request_auth_method: 'basic' }),
    'other-code': strictEntry(address, {
      authorization_code_param_in_callback: 'spapi_oauth_code',
      redirect_uri_metadata: ['selling_partner_id', 'accounts-server'],
    }),
    metadata: strictEntry(address, { token_response_metadata: ['instance_url', 'team.id', 'is_admin'] }),
    elsewhere: strictEntry(address, { alternate_access_token_response_path: 'authed_user' }),
    tenant: strictEntry(address, {
      authorization_url: `${address}/t/\${connectionConfig.tenant}/authorize`,
      token_url: `${address}/t/\${connectionConfig.tenant}/token?v=2`,
      authorization_params: { resource: 'https://${connectionConfig.tenant}.test' },
      connection_config: { tenant: { type: 'string', title: 'Tenant', description: 'Yours' } },
    }),
    renamed: strictEntry(address, { authorization_url_replacements: { 'state=': 'customField=' } }),
  }));
});
beforeEach(() => {
  hub.authorizer.received.splice(0);
  respondWith({ body: TOKENS });
});
afterAll(() => hub?.stop());

function respondWith(response: ScriptedResponse): void {
  hub.authorizer.tokens = () => response;
}

const connect = (key: string, way?: AuthorizationWay) => connectAt(hub, key, way);

describe('a strict provider', () => {
  it('gives tokens for a code with its verifier', async () => {
    const { asked, connection, message } = await connect('plain');

    expect(message).toEqual({
      message_type: 'success',
      provider_config_key: 'plain',
      connection_id: expect.any(String),
      is_pending: false,
    });
    expect(Object.fromEntries(asked)).toMatchObject({
      response_type: 'code',
      client_id: STRICT_CLIENT.id,
      scope: 'read write',
      code_challenge_method: 'S256',
      redirect_uri: expect.stringMatching(/^http:\/\/localhost:\d+\/oauth\/callback$/),
    });
    expect(connection).toMatchObject({
      credentials: { type: 'OAUTH2', access_token: 'at', refresh_token: 'rt', raw: TOKENS },
      connection_config: {},
      metadata: {},
    });
  });

  it('gets no PKCE when its entry turns it off, and the client in the header', async () => {
    const { asked } = await connect('no-pkce');

    expect(asked.has('code_challenge')).toBe(false);
    expect(hub.authorizer.received[0]?.params).toEqual({
      grant_type: 'authorization_code',
      code: expect.any(String),
      redirect_uri: asked.get('redirect_uri'),
    });
  });

  it('gets JSON with the client in both places', async () => {
    await connect('json');

    const { params, request } = hub.authorizer.received[0] ?? { params: {}, request: { headers: {} } };
    expect(params).toMatchObject({ client_id: STRICT_CLIENT.id, client_secret: STRICT_CLIENT.secret });
    expect(request.headers).toMatchObject({
      'content-type': 'application/json',
      authorization: `Basic ${Buffer.from(`${STRICT_CLIENT.id}:${STRICT_CLIENT.secret}`).toString('base64')}`,
    });
  });

  it('may bring the code under another name, with facts for the configuration', async () => {
    const more = { selling_partner_id: 'SP1', 'accounts-server': 'https://x.test', code: 'decoy', other: 'x' };

    const { connection } = await connect('other-code', { consent: { codeParam: 'spapi_oauth_code', more } });

    expect(connection['connection_config']).toEqual({ selling_partner_id: 'SP1', 'accounts-server': 'https://x.test' });
  });

  it('may say facts with the tokens; those that were entered win', async () => {
    respondWith({ body: { ...TOKENS, instance_url: 'https://i.test', team: { id: 'T1' }, is_admin: false } });

    const { connection } = await connect('metadata', {
      query: { 'params[team.id]': 'mine', 'params[instance_url]': '' },
    });

    expect(connection['connection_config']).toEqual({
      instance_url: 'https://i.test',
      'team.id': 'mine',
      is_admin: false,
    });
  });

  it('may put the tokens deeper into its answer', async () => {
    respondWith({ body: { ok: true, authed_user: { ...TOKENS, access_token: 'user-token' } } });

    const { connection } = await connect('elsewhere');

    expect(connection['credentials']).toMatchObject({ access_token: 'user-token', refresh_token: 'rt' });
  });

  it('may call the state by another name', async () => {
    const change = (url: URL): URL => {
      url.searchParams.delete('state');
      return url;
    };
    const { caller, authorizer } = hub;
    const page = await caller.openPage();
    const location = await caller.startAt('renamed', { token: await caller.newSession(), page });
    const state = new URL(location).searchParams.get('customField') ?? '';

    const response = await fetch(change(authorizer.consent(location, { more: { customField: state } })));

    expect([response.status, (await page.next())['message_type']]).toEqual([200, 'success']);
    page.close();
  });

  it('has addresses made of the entered values', async () => {
    hub.authorizer.serveTokens('/t/a%2Fb/token');

    const { location, connection } = await connect('tenant', { query: { 'params[tenant]': 'a/b' } });

    expect(new URL(location).pathname).toBe('/t/a%2Fb/authorize');
    expect(new URL(location).searchParams.get('resource')).toBe('https://a/b.test');
    expect(hub.authorizer.received[0]?.request.url).toBe('/t/a%2Fb/token?v=2');
    expect(connection['connection_config']).toEqual({ tenant: 'a/b' });
  });

  it('may give no refresh token and no end: the token then never ends', async () => {
    respondWith({ body: { access_token: 'for-ever' } });

    const { connection, message } = await connect('plain');

    expect(connection['credentials']).toEqual({
      type: 'OAUTH2',
      access_token: 'for-ever',
      raw: { access_token: 'for-ever' },
    });
    const path = `/connections/${String(message['connection_id'])}?provider_config_key=plain&force_refresh=true`;
    expect(await hub.api.send(`GET ${path}`)).toMatchObject({
      status: 200,
      body: { credentials: { access_token: 'for-ever' } },
    });
    expect(hub.authorizer.received.length).toBe(1);
  });
});

describe('answers that make no connection', () => {
  it.each<[string, ScriptedResponse, string]>([
    [
      'a refusal',
      { status: 400, body: { error: 'invalid_grant', error_description: 'Spent' } },
      'invalid_grant, Spent',
    ],
    ['a failure without words', { status: 503, body: '<h1>Down</h1>' }, 'status 503'],
    ['neither JSON nor a form', { body: '<h1>Welcome</h1>' }, 'did not answer with a JSON object'],
    ['no token', { body: { error: 'bad_verification_code' } }, 'bad_verification_code'],
    ['a redirect', { status: 302, headers: { location: 'http://127.0.0.1:1/token' } }, 'status 302'],
    ['no answer at all', { drop: true }, 'could not be reached'],
  ])('%s', async (_what, response, said) => {
    respondWith(response);

    const { message, page, status } = await authorizeAt(hub, 'plain');

    expect(message).toMatchObject({
      message_type: 'error',
      provider_config_key: 'plain',
      connection_id: expect.any(String),
      error_type: 'unknown_err',
      error_desc: expect.stringContaining(said),
    });
    expect(status).toBe(400);
    expect(page).toContain('nango_oauth_callback_error');
    expect(hub.authorizer.received.length).toBe(1);
  });
});
