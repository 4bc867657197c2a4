import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { lookInto } from '../../support/look-into.ts';
import { saveFunction } from '../../support/server-workspace.ts';
import { waitFor } from '../../support/wait-for.ts';
import { type RedirectHub, startRedirectHub, strictEntry } from './redirect-hub.ts';

const VALIDATE = `import { createOnEvent } from 'homeport';

export default createOnEvent({
  description: 'Written by a test',
  event: 'validate-connection',
  exec: async () => {
    throw new Error('Not this workspace');
  },
});
`;

const TENANT = { connection_config: { tenant: { type: 'string', title: 'Tenant', description: 'Yours' } } };

let hub: RedirectHub;

beforeAll(async () => {
  hub = await startRedirectHub((address) => ({
    plain: strictEntry(address),
    keyed: { display_name: 'Keyed', auth_mode: 'BASIC', proxy: { base_url: address } },
    'odd-grant': strictEntry(address, { token_params: { grant_type: 'password' } }),
    'lacks-address': strictEntry(address, {
      authorization_url: `${address}/\${connectionConfig.tenant}`,
      ...TENANT,
    }),
    'lacks-param': strictEntry(address, {
      authorization_params: { audience: '${connectionConfig.tenant}' },
      ...TENANT,
    }),
    'lacks-token-param': strictEntry(address, {
      token_params: { audience: '${connectionConfig.tenant}' },
      ...TENANT,
    }),
    'late-param': strictEntry(address, {
      token_params: { realm: '${connectionConfig.realm}' },
      redirect_uri_metadata: ['realm'],
      connection_config: { realm: { type: 'string', title: 'Realm', description: 'Found', automated: true } },
    }),
    'first-oauth': strictEntry(address, { auth_mode: 'OAUTH1', request_url: `${address}/request` }),
    validated: strictEntry(address),
    linkless: strictEntry(address, { auth_mode: 'INSTALL_PLUGIN' }),
  }));
  await saveFunction(hub.functions, 'validated/on-events/check.ts', VALIDATE);
});
beforeEach(() => void hub.authorizer.received.splice(0));
afterAll(() => hub?.stop());

/** The response to a program and to a browser, and the message to the waiting page. */
async function refusedStart(
  key: string,
  parts: { token?: string; session?: object; query?: Record<string, string> } = {},
) {
  const { caller } = hub;
  const token = parts.token ?? (await caller.newSession(parts.session));
  const page = await caller.openPage();
  const query = parts.query ?? {};
  const forProgram = await caller.start(key, { token, page, query });
  const heard = await page.next();
  page.close();
  const forBrowser = await caller.start(key, { token, query, accept: 'text/html,*/*;q=0.8' });
  const { error } = (await forProgram.json()) as { error: { code: string; message?: string; errors?: unknown } };
  return { status: forProgram.status, error, heard, browserStatus: forBrowser.status, html: await forBrowser.text() };
}

/** The error of the operation that failed with a text; the session itself goes on. */
function failedOperation(text: string): Promise<unknown> {
  return lookInto(hub.server.home, async ({ reader }) => {
    const find = () =>
      reader.get<{ error: string }>("SELECT error FROM log_operations WHERE state = 'failed' AND error LIKE ?", [
        `%${text}%`,
      ]);
    return JSON.parse((await waitFor(find, { what: 'the end of the operation' })).error);
  });
}

const UNKNOWN_TOKEN = `nango_connect_session_${'0'.repeat(64)}`;

describe('a sign-in that cannot begin', () => {
  it.each<[string, number, string, string, string, Parameters<typeof refusedStart>[1]]>([
    ['without a token', 401, 'missing_public_key', 'missing_public_key', 'plain', { token: '' }],
    [
      'with a public key',
      401,
      'deprecated_authentication',
      'deprecated_authentication',
      'plain',
      { token: '', query: { public_key: 'b5b9b9b2-5b0e-4b0e-8b0e-5b0e4b0e8b0e' } },
    ],
    [
      'with a token of another kind',
      401,
      'invalid_connect_session_token_format',
      'invalid_connect_session_token_format',
      'plain',
      { token: 'x' },
    ],
    [
      'with a token that is over',
      401,
      'unknown_connect_session_token',
      'unknown_connect_session_token',
      'plain',
      { token: UNKNOWN_TOKEN },
    ],
    [
      'with a connection id',
      400,
      'invalid_query_params',
      'invalid_query_params',
      'plain',
      { query: { connection_id: 'mine' } },
    ],
    ['at no integration', 404, 'unknown_provider_config', 'provider_config_err', 'nowhere', {}],
    ['at a key that cannot be', 400, 'invalid_uri_params', 'invalid_uri_params', 'a<b>', {}],
    ['at an integration that lacks a value', 400, 'provider_config_err', 'provider_config_err', 'linkless', {}],
    ['in another way', 400, 'invalid_auth_mode', 'auth_mode_err', 'keyed', {}],
    [
      'at an integration that is not allowed',
      400,
      'integration_not_allowed',
      'integration_not_allowed',
      'plain',
      { session: { allowed_integrations: ['keyed'] } },
    ],
    ['with an unknown grant', 400, 'grant_type_err', 'grant_type_err', 'odd-grant', {}],
    ['without a value of the address', 400, 'url_param_err', 'url_param_err', 'lacks-address', {}],
    ['without a value of a parameter', 400, 'url_param_err', 'url_param_err', 'lacks-param', {}],
    ['without a value of the token request', 400, 'url_param_err', 'url_param_err', 'lacks-token-param', {}],
    ['because the provider gives no temporary token', 400, 'token_err', 'token_err', 'first-oauth', {}],
  ])('%s: %i %s', async (_what, status, code, socketType, key, parts) => {
    const refused = await refusedStart(key, parts);

    expect(refused).toMatchObject({ status, error: { code }, browserStatus: status });
    expect(refused.heard).toMatchObject({ message_type: 'error', error_type: socketType });
    expect(String(refused.heard['error_desc'])).not.toBe('');
    expect(refused.html).toContain('nango_oauth_callback_error');
    expect(refused.html).toContain(`&quot;errorType&quot;:&quot;${code}&quot;`);
  });

  it('keeps silent in JSON where the contract has no message, and says it to people', async () => {
    const { error, heard, html } = await refusedStart('plain', { session: { allowed_integrations: ['keyed'] } });

    expect(error).toEqual({
      code: 'integration_not_allowed',
      docs: expect.stringMatching(/\/docs\/errors#integration_not_allowed$/),
    });
    expect(heard['error_desc']).toBe('The session does not allow this integration.');
    expect(html).toContain('The session does not allow this integration.');
  });

  it('is in the log of its session', async () => {
    const token = await hub.caller.newSession();
    await hub.caller.start('nowhere', { token });

    expect(await failedOperation('nowhere')).toMatchObject({ type: 'unknown_provider_config' });
  });

  it('names the parameter that may not be there', async () => {
    const { error } = await refusedStart('plain', { query: { connection_id: 'mine' } });

    expect(error.errors).toMatchObject([{ path: ['connection_id'] }]);
  });

  it('without a key', async () => {
    const page = await hub.caller.openPage();

    const { status, body } = await hub.api.send(`GET /oauth/connect/?ws_client_id=${page.id}`);

    expect({ status, body }).toMatchObject({ status: 400, body: { error: { code: 'missing_provider_config_key' } } });
    expect(await page.next()).toMatchObject({ message_type: 'error', error_type: 'no_provider_config_key' });
    page.close();
  });

  it('for a connection that was deleted in the meantime', async () => {
    const token = await hub.caller.newSession();
    const made = await fetch(hub.authorizer.consent(await hub.caller.startAt('plain', { token })));
    expect(made.status).toBe(200);
    const { body } = await hub.api.send('GET /connections?integrationId=plain');
    const id = (body as { connections: Array<{ connection_id: string }> }).connections[0]?.connection_id ?? '';
    const again = await hub.caller.newSession(
      { connection_id: id, integration_id: 'plain' },
      '/connect/sessions/reconnect',
    );
    expect((await hub.api.send(`DELETE /connections/${id}?provider_config_key=plain`)).status).toBe(200);

    expect(await refusedStart('plain', { token: again })).toMatchObject({
      status: 400,
      error: { code: 'invalid_connection' },
      heard: { error_type: 'invalid_connection' },
    });
  });

  it('takes a value that only the callback brings for no reason', async () => {
    const location = await hub.caller.startAt('late-param', { token: await hub.caller.newSession() });

    expect(new URL(location).pathname).toBe('/authorize');
  });
});

describe('a sign-in that ends without a connection', () => {
  async function finish(key: string, change: (callback: URL) => void) {
    const page = await hub.caller.openPage();
    const location = await hub.caller.startAt(key, { token: await hub.caller.newSession(), page });
    const callback = hub.authorizer.consent(location);
    change(callback);
    const response = await fetch(callback);
    const heard = await page.next();
    page.close();
    return { status: response.status, html: await response.text(), heard };
  }

  it('says everything that the provider’s page said', async () => {
    const said = {
      error: 'access_denied',
      error_description: 'The person said no',
      error_reason: 'user_denied',
      error_uri: 'https://acme.test/why',
      status_code: '403',
      error_message: 'No',
    };

    const { heard, html, status } = await finish('plain', (url) => {
      url.searchParams.delete('code');
      for (const [name, value] of Object.entries(said)) url.searchParams.set(name, value);
    });

    expect(status).toBe(400);
    expect(heard).toMatchObject({
      message_type: 'error',
      provider_config_key: 'plain',
      error_type: 'callback_err',
      error_desc: `The provider did not give access: ${Object.values(said).join(', ')}.`,
    });
    for (const value of Object.values(said)) expect(html).toContain(value);
    expect(hub.authorizer.received).toEqual([]);
    expect(await failedOperation('The person said no')).toMatchObject({ type: 'invalid_callback' });
  });

  it('makes the connection, and shows the problem, when the provider says both', async () => {
    const { heard, html, status } = await finish('plain', (url) => url.searchParams.set('error', 'partly_denied'));

    expect([status, heard['message_type']]).toEqual([200, 'success']);
    expect(html).toContain('nango_oauth_callback_error');
    expect(html).toContain('partly_denied');
  });

  it('because a function refuses it', async () => {
    const refused = await waitFor(
      async () => {
        const outcome = await finish('validated', () => {});
        return outcome.status === 400 && outcome;
      },
      { what: 'the function to be live' },
    );

    expect(refused.heard).toMatchObject({
      error_type: 'connection_validation_failed',
      error_desc: expect.stringContaining('Not this workspace'),
    });
    expect(refused.html).toContain('&quot;errorType&quot;:&quot;connection_validation_failed&quot;');
  });

  it('because its integration was deleted', async () => {
    await hub.api.send('POST /integrations', {
      body: {
        provider: 'plain',
        unique_key: 'short-lived',
        credentials: { type: 'OAUTH2', client_id: 'a', client_secret: 'b' },
      },
    });
    const page = await hub.caller.openPage();
    const location = await hub.caller.startAt('short-lived', { token: await hub.caller.newSession(), page });
    await hub.api.send('DELETE /integrations/short-lived');

    const response = await fetch(hub.authorizer.consent(location));

    expect(response.status).toBe(400);
    expect(await page.next()).toMatchObject({ error_type: 'provider_config_err', provider_config_key: 'short-lived' });
    page.close();
  });
});
