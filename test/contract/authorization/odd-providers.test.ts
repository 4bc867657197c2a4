import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ScriptedAnswer } from '../../support/fake-provider.ts';
import { STRICT_CLIENT } from '../../support/strict-authorizer.ts';
import { type SignInHub, startSignInHub, strictEntry } from './sign-in-hub.ts';

const OWN_CLIENT = { id: 'own-client', secret: 'own-client-secret' };
const TOKENS = { access_token: 'at', refresh_token: 'rt', expires_in: 3600 };

let hub: SignInHub;

beforeAll(async () => {
  hub = await startSignInHub((address) => ({
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
  hub.authorizer.clients.set(OWN_CLIENT.id, OWN_CLIENT.secret);
});
beforeEach(() => {
  hub.authorizer.asked.splice(0);
  answerWith({ body: TOKENS });
});
afterAll(() => hub?.stop());

function answerWith(answer: ScriptedAnswer): void {
  hub.authorizer.tokens = () => answer;
}

interface Way {
  session?: object;
  query?: Record<string, string>;
  consent?: Parameters<SignInHub['authorizer']['consent']>[1];
  /** How the callback spells what came back. */
  change?: (callback: URL) => URL;
}

/** The whole way of one end user. */
async function signIn(key: string, { session, query = {}, consent, change = (url) => url }: Way = {}) {
  const { authorizer, caller } = hub;
  const token = await caller.newSession(session);
  const page = await caller.openPage();
  const location = await caller.startAt(key, { token, page, query });
  const answer = await fetch(change(authorizer.consent(location, consent)));
  const news = await page.next();
  page.close();
  return { asked: new URL(location).searchParams, location, page: await answer.text(), status: answer.status, news };
}

async function connect(key: string, way?: Way) {
  const done = await signIn(key, way);
  expect(done.news).toMatchObject({ message_type: 'success', provider_config_key: key, is_pending: false });
  expect(done.status).toBe(200);
  return { ...done, connection: await hub.connection(key, done.news['connection_id']) };
}

const defaults = (key: string, values: object): object => ({ integrations_config_defaults: { [key]: values } });

describe('a strict provider', () => {
  it('gives tokens for a code with its verifier', async () => {
    const { asked, connection } = await connect('plain');

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

  it('gets no PKCE where it wants none, and the client in the header', async () => {
    const { asked } = await connect('no-pkce');

    expect(asked.has('code_challenge')).toBe(false);
    expect(hub.authorizer.asked[0]?.params).toEqual({
      grant_type: 'authorization_code',
      code: expect.any(String),
      redirect_uri: asked.get('redirect_uri'),
    });
  });

  it('gets JSON with the client in both places', async () => {
    await connect('json');

    const { params, request } = hub.authorizer.asked[0] ?? { params: {}, request: { headers: {} } };
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
    answerWith({ body: { ...TOKENS, instance_url: 'https://i.test', team: { id: 'T1' }, is_admin: false } });

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
    answerWith({ body: { ok: true, authed_user: { ...TOKENS, access_token: 'user-token' } } });

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

    const answer = await fetch(change(authorizer.consent(location, { more: { customField: state } })));

    expect([answer.status, (await page.next())['message_type']]).toEqual([200, 'success']);
    page.close();
  });

  it('has addresses made of what was entered', async () => {
    hub.authorizer.serveTokens('/t/a%2Fb/token');

    const { location, connection } = await connect('tenant', { query: { 'params[tenant]': 'a/b' } });

    expect(new URL(location).pathname).toBe('/t/a%2Fb/authorize');
    expect(new URL(location).searchParams.get('resource')).toBe('https://a/b.test');
    expect(hub.authorizer.asked[0]?.request.url).toBe('/t/a%2Fb/token?v=2');
    expect(connection['connection_config']).toEqual({ tenant: 'a/b' });
  });

  it('may give no refresh token and no end: the token then never ends', async () => {
    answerWith({ body: { access_token: 'for-ever' } });

    const { connection, news } = await connect('plain');

    expect(connection['credentials']).toEqual({
      type: 'OAUTH2',
      access_token: 'for-ever',
      raw: { access_token: 'for-ever' },
    });
    const path = `/connections/${String(news['connection_id'])}?provider_config_key=plain&force_refresh=true`;
    expect(await hub.api.send(`GET ${path}`)).toMatchObject({
      status: 200,
      body: { credentials: { access_token: 'for-ever' } },
    });
    expect(hub.authorizer.asked.length).toBe(1);
  });
});

describe('what a session sets', () => {
  it('wins over what the end user enters', async () => {
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

    const { asked, connection, news } = await connect('plain', { session: defaults('plain', { connection_config }) });

    expect(asked.get('client_id')).toBe(OWN_CLIENT.id);
    expect(connection['connection_config']).toEqual({});
    expect(connection['credentials']).toMatchObject({
      config_override: { client_id: OWN_CLIENT.id, client_secret: OWN_CLIENT.secret },
    });
    const path = `/connections/${String(news['connection_id'])}?provider_config_key=plain&force_refresh=true`;
    expect((await hub.api.send(`GET ${path}`)).status).toBe(200);
    expect(hub.authorizer.asked.at(-1)?.params).toMatchObject({
      grant_type: 'refresh_token',
      client_id: OWN_CLIENT.id,
    });
  });
});

describe('what the end user brings', () => {
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

  it('is ignored where it says nothing, or sets what is not theirs', async () => {
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

describe('answers that make no connection', () => {
  it.each<[string, ScriptedAnswer, string]>([
    [
      'a refusal',
      { status: 400, body: { error: 'invalid_grant', error_description: 'Spent' } },
      'invalid_grant, Spent',
    ],
    ['a failure without words', { status: 503, body: '<h1>Down</h1>' }, 'status 503'],
    ['something else than JSON', { body: 'access_token=at&scope=read' }, 'did not answer with JSON'],
    ['no token', { body: { error: 'bad_verification_code' } }, 'bad_verification_code'],
    ['a redirect', { status: 302, headers: { location: 'http://127.0.0.1:1/token' } }, 'status 302'],
    ['no answer at all', { drop: true }, 'could not be reached'],
  ])('%s', async (_what, answer, said) => {
    answerWith(answer);

    const { news, page, status } = await signIn('plain');

    expect(news).toMatchObject({
      message_type: 'error',
      provider_config_key: 'plain',
      connection_id: expect.any(String),
      error_type: 'unknown_err',
      error_desc: expect.stringContaining(said),
    });
    expect(status).toBe(400);
    expect(page).toContain('nango_oauth_callback_error');
    expect(hub.authorizer.asked.length).toBe(1);
  });
});
