import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AuthorizationCaller } from '../../support/authorization-caller.ts';
import { findSecrets } from '../../support/find-secrets.ts';
import { saveFunction } from '../../support/server-workspace.ts';
import { type StartedServer, startServer } from '../../support/start-server.ts';
import { StrictAuthorizer } from '../../support/strict-authorizer.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';
import { waitFor } from '../../support/wait-for.ts';
import { ApiCaller } from '../http/api-caller.ts';
import { strictEntry } from './redirect-hub.ts';

const CLIENT = { id: 'canary-client', secret: 'canary-client-secret-93aa/+=' };
const OWN = { id: 'canary-own-client', secret: 'canary-own-secret-1d1d' };
const TOKENS = { access_token: 'canary-access-77d1.ab_c', refresh_token: 'canary-refresh-0e4b' };

let home: TempHome;
let authorizer: StrictAuthorizer;
let server: StartedServer;
let api: ApiCaller;
let caller: AuthorizationCaller;

beforeAll(async () => {
  home = await createTempHome();
  authorizer = await StrictAuthorizer.start();
  const { address } = authorizer;
  for (const { id, secret } of [CLIENT, OWN]) authorizer.clients.set(id, secret);
  const first = { auth_mode: 'OAUTH1', request_url: `${address}/request`, token_url: `${address}/first-token` };
  const entries = {
    plain: strictEntry(address, { token_response_metadata: ['instance_url'] }),
    header: strictEntry(address, { authorization_method: 'header', body_format: 'json' }),
    first: strictEntry(address, first),
    'first-plain': strictEntry(address, { ...first, signature_method: 'PLAINTEXT' }),
  };
  await saveFunction(`${home.path}/functions`, 'providers.yaml', JSON.stringify(entries));
  server = await startServer({
    home: home.path,
    env: {
      HOMEPORT_LOGGER_LEVEL: 'debug',
      HOMEPORT_PROGRAM_LOG: 'debug',
      // No server listens there, so the webhooks are still queued at the end.
      HOMEPORT_WEBHOOK_URL: `${address}/webhooks`,
    },
  });
  api = new ApiCaller(server);
  caller = new AuthorizationCaller(server);
  for (const [key, entry] of Object.entries(entries)) {
    const { auth_mode: type } = entry as { auth_mode: string };
    const credentials = { type, client_id: CLIENT.id, client_secret: CLIENT.secret };
    const made = await api.send('POST /integrations', { body: { provider: key, unique_key: key, credentials } });
    expect(made.status, JSON.stringify(made.body)).toBe(200);
  }
});
afterAll(async () => {
  // Already stopped, unless the test failed before.
  await server?.kill();
  await authorizer?.stop();
  await home?.remove();
});

/** Everything that a program, a person or a page could see. */
const seen: string[] = [];
const codes: string[] = [];

async function signIn(
  key: string,
  { query = {}, session = {} }: { query?: Record<string, string>; session?: object } = {},
) {
  const page = await caller.openPage();
  const location = await caller.startAt(key, { token: await caller.newSession(session), page, query });
  const callback = authorizer.consent(location);
  codes.push(callback.searchParams.get('code') ?? '');
  const response = await fetch(callback);
  seen.push(await response.text(), JSON.stringify(await page.next()), location);
  page.close();
  return response.status;
}

async function authorizeFirst(key: string): Promise<number> {
  const location = await caller.startAt(key, { token: await caller.newSession() });
  const callback = new URL(new URL(location).searchParams.get('oauth_callback') ?? '');
  callback.searchParams.set('oauth_token', 'temporary');
  callback.searchParams.set('oauth_verifier', 'canary-oauth-verifier-12');
  const response = await fetch(callback);
  seen.push(await response.text(), location);
  return response.status;
}

describe('secrets of sign-ins', () => {
  it('are in no log, no page and no file in clear, however the sign-in ends', async () => {
    authorizer.tokens = () => ({ body: { ...TOKENS, expires_in: 3600 } });
    expect(await signIn('plain')).toBe(200);
    expect(await signIn('header')).toBe(200);
    const own = { oauth_client_id_override: OWN.id, oauth_client_secret_override: OWN.secret };
    const refresh = { oauth_refresh_token_override: 'canary-own-refresh-5c5c' };
    const asQuery = Object.entries({ ...own, ...refresh }).map(([name, value]) => [`credentials[${name}]`, value]);
    expect(await signIn('plain', { query: Object.fromEntries(asQuery) as Record<string, string> })).toBe(200);
    const defaults = { plain: { connection_config: { ...own, ...refresh } } };
    expect(await signIn('plain', { session: { integrations_config_defaults: defaults } })).toBe(200);

    // A careless provider repeats the request in its response.
    const echo = ({ params, request }: Parameters<StrictAuthorizer['tokens']>[0]): string =>
      `no: ${JSON.stringify(params)} ${String(request.headers['authorization'])}`;
    for (const status of [200, 400]) {
      authorizer.tokens = (ask) => ({
        status,
        body: { error: 'invalid', error_description: echo(ask), message: TOKENS },
      });
      expect(await signIn('plain')).toBe(400);
      expect(await signIn('header')).toBe(400);
      authorizer.tokens = (ask) => ({ status, body: echo(ask) });
      expect(await signIn('plain')).toBe(400);
    }
    authorizer.tokens = () => ({ drop: true });
    expect(await signIn('plain')).toBe(400);

    const token = 'oauth_token=canary-oauth-token-3f3f&oauth_token_secret=canary-oauth-secret-6b6b';
    authorizer.provider.on('POST /request', { body: token }).on('POST /first-token', { body: token });
    expect(await authorizeFirst('first')).toBe(200);
    expect(await authorizeFirst('first-plain')).toBe(200);
    authorizer.provider.on('POST /first-token', ({ headers }) => ({
      status: 401,
      body: { error: `not signed well: ${String(headers['authorization'])}` },
    }));
    expect(await authorizeFirst('first')).toBe(400);
    expect(await authorizeFirst('first-plain')).toBe(400);
    // An authorization that is never finished stays in the file.
    await caller.startAt('plain', {
      token: await caller.newSession(),
      query: Object.fromEntries(asQuery) as Record<string, string>,
    });
    const webhooks = await waitFor(
      () => authorizer.provider.requestsTo('/webhooks').length >= 7 && authorizer.provider.requestsTo('/webhooks'),
      { what: 'the webhooks' },
    );
    seen.push(...webhooks.map(({ body }) => body.toString()));
    await server.stop();

    const verifiers = authorizer.received
      .map(({ params }) => params['code_verifier'] ?? '')
      .filter((text) => text !== '');
    expect([codes.length, verifiers.length]).toEqual([11, 11]);
    const numbered = (name: string, list: string[]) =>
      Object.fromEntries(list.map((text, at) => [`${name} ${at}`, text]));
    const secrets = {
      client: CLIENT.secret,
      own: OWN.secret,
      access: TOKENS.access_token,
      refresh: TOKENS.refresh_token,
      ...refresh,
      oauthSecret: 'canary-oauth-secret-6b6b',
      oauthVerifier: 'canary-oauth-verifier-12',
      ...numbered('code', codes),
      ...numbered('verifier', verifiers),
    };
    expect(await findSecrets(home.path, secrets, { stderr: server.errorOutput(), seen: seen.join('\n') })).toEqual([]);
  });
});
