import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RecordedRequest, ScriptedResponse } from '../../support/fake-provider.ts';
import { findSecrets } from '../../support/find-secrets.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';
import { waitFor } from '../../support/wait-for.ts';
import { AuthModesHub, onEventSource, type Submission } from './auth-modes-hub.ts';

/** Characters that addresses, forms, JSON and base64 encode differently. */
const ODD = '!\'()*~ +/&=?#%"<>{}ü';
const ENTERED = {
  apiKey: `canary-key-11aa${ODD}`,
  username: 'canary-user-22bb',
  password: `canary-password-33cc${ODD}`,
  clientSecret: `canary-client-secret-44dd${ODD}`,
  privateKey: 'canary-jwt-55ee:canary-jwt-secret-55ee',
  tokenSecret: `canary-token-secret-66ff${ODD}`,
  overrideSecret: `canary-override-77aa${ODD}`,
  devKey: `canary-dev-key-88bb${ODD}`,
  pin: `canary-pin-99cc${ODD}`,
  wsse: `canary-wsse-a1b2${ODD}`,
};
const OF_PROVIDER = {
  ccToken: 'canary-cc-token-1212',
  ticket: 'canary-ticket-3434',
  sessionToken: 'canary-session-5656',
  refreshToken: 'canary-refresh-7878',
  cookie: 'canary-cookie-9090',
  billSession: 'canary-bill-session-abab',
};
const OF_DEVELOPER = { partnerKey: 'canary-partner-cdcd', stsKey: 'canary-sts-efef' };

/** Uses the secrets as careless functions do, and refuses the validations that the test selects. */
const LEAK = `
    const connection = await nango.getConnection();
    const text = JSON.stringify(connection.credentials);
    await nango.log('credentials ' + text, { level: 'error' });
    await nango.log('connection', connection, { level: 'error' });
    if (connection.connection_config.refuse) throw new nango.ActionError({ message: 'no: ' + text });`;

let home: TempHome;
let hub: AuthModesHub;

beforeAll(async () => {
  home = await createTempHome();
  const keys = ['own-key', 'own-basic', 'own-cc', 'own-two-step', 'own-jwt', 'own-tba', 'own-bill', 'own-signature'];
  hub = await AuthModesHub.start({
    home: home.path,
    files: Object.fromEntries(
      keys.map((key) => [`${key}/on-events/check.ts`, onEventSource('validate-connection', LEAK)]),
    ),
    env: { HOMEPORT_LOGGER_LEVEL: 'debug', HOMEPORT_PROGRAM_LOG: 'debug' },
  });
});
afterAll(() => home?.remove());

/** An error response that repeats the whole request. */
const echo = ({ headers, body, url }: RecordedRequest): ScriptedResponse => ({
  status: 401,
  headers: { 'x-echo': encodeURIComponent(String(headers['authorization'] ?? 'none')) },
  body: { error: body.toString(), error_description: decodeURIComponent(url), message: JSON.stringify(headers) },
});

const ROUTES: Record<string, ScriptedResponse> = {
  'GET /check-key': { body: {} },
  'GET /check-basic': { body: {} },
  'GET /check-jwt': { body: {} },
  'GET /check-tba': { body: {} },
  'GET /check-signature': { body: {} },
  'POST /cc/acme/token': { body: { access_token: OF_PROVIDER.ccToken, expires_in: 3600 } },
  'POST /login': { body: { ticket: OF_PROVIDER.ticket } },
  'POST /session': {
    headers: { 'set-cookie': `c=${OF_PROVIDER.cookie}` },
    body: { session: { id: OF_PROVIDER.sessionToken, again: OF_PROVIDER.refreshToken, ends: '2999-01-01T00:00:00Z' } },
  },
  'POST /bill/login': { body: { sessionId: OF_PROVIDER.billSession, userId: 'u' } },
};

const SUBMISSIONS: Record<string, Submission> = {
  '/api-auth/api-key/own-key': { body: { apiKey: ENTERED.apiKey } },
  '/api-auth/basic/own-basic': { body: { username: ENTERED.username, password: ENTERED.password } },
  '/oauth2/auth/own-cc': {
    body: { client_id: 'client-1', client_secret: ENTERED.clientSecret },
    query: 'params[tenant]=acme',
  },
  '/auth/two-step/own-two-step': { body: { username: ENTERED.username, assertionOption: { pin: ENTERED.pin } } },
  '/auth/jwt/own-jwt': { body: { privateKey: ENTERED.privateKey } },
  '/auth/tba/own-tba': {
    body: {
      token_id: 'token-1',
      token_secret: ENTERED.tokenSecret,
      oauth_client_id_override: 'client-2',
      oauth_client_secret_override: ENTERED.overrideSecret,
    },
    query: 'params[accountId]=a1',
  },
  '/auth/bill/own-bill': {
    body: { username: ENTERED.username, password: ENTERED.password, organization_id: 'o', dev_key: ENTERED.devKey },
  },
  '/auth/signature/own-signature': { body: { type: 'SIGNATURE', username: 'me', password: ENTERED.wsse } },
};

async function connectAndFail(path: string, submission: Submission, token: string): Promise<void> {
  const key = path.split('/').at(-1) ?? '';
  for (const [route, response] of Object.entries(ROUTES)) hub.provider.on(route, response);
  const id = await hub.connect(path, { ...submission, token });
  const query = [submission.query ?? '', 'params[refuse]=1'].filter(Boolean).join('&');
  const refused = { status: 400, code: 'connection_validation_failed' };
  expect(await hub.refusal(path, { ...submission, token, query })).toMatchObject(refused);
  const renewal = await hub.openReconnect(key, id);
  expect(await hub.refusal(path, { ...submission, token: renewal, query })).toMatchObject(refused);
  for (const route of Object.keys(ROUTES)) hub.provider.on(route, echo);
  expect((await hub.refusal(path, { ...submission, token })).status).toBe(400);
  await hub.api.send(`GET /connections/${id}?provider_config_key=${key}&force_refresh=true`);
  await hub.submit(path, { ...submission, token, body: JSON.stringify(submission.body).slice(1) });
  await hub.submit(path, { ...submission, token, body: { unfit: submission.body } });
}

describe('secrets that end users enter', () => {
  it('lies in no file of the data folder and in no output, in clear or in disguise', async () => {
    const tokens = [await hub.openSession(), await hub.openSession()];
    await hub.api.send('PATCH /environment/settings', {
      body: { webhook: { primary_url: `${hub.provider.address}/webhooks` } },
    });
    // Webhooks that could not be delivered are still stored at the end.
    hub.provider.on('POST /webhooks', { status: 500 });
    await hub.api.send('PATCH /integrations/own-two-step', {
      body: { integration_config: { partner_key: OF_DEVELOPER.partnerKey } },
    });
    const sts = { stsMode: 'custom', stsEndpointUrl: `${hub.provider.address}/sts` };
    const custom = {
      ...sts,
      service: 's3',
      defaultRegion: 'eu',
      stsAuthType: 'api_key',
      stsApiKey: OF_DEVELOPER.stsKey,
    };
    await hub.api.send('PATCH /integrations/own-aws', { body: { custom } });
    hub.provider.on('POST /sts', echo);

    for (const [path, submission] of Object.entries(SUBMISSIONS))
      await connectAndFail(path, submission, tokens[0] ?? '');
    hub.provider.on('GET /check-key', { body: {} });
    const imported = {
      provider_config_key: 'own-key',
      credentials: { type: 'API_KEY', apiKey: ENTERED.apiKey },
      connection_config: { refuse: 1 },
    };
    expect(await hub.api.refusal('POST /connections', { body: imported })).toMatchObject({
      code: 'connection_validation_failed',
    });
    const role_arn = 'arn:aws:iam::123456789012:role/Reader';
    const aws = { token: tokens[1] ?? '', body: { role_arn } };
    expect((await hub.refusal('/auth/aws-sigv4/own-aws', aws)).status).toBe(502);
    // Ends with its failure in the log.
    await hub.api.send('DELETE /connect/session', { headers: { authorization: `Bearer ${tokens[1]}` } });
    await waitFor(() => hub.provider.requestsTo('/webhooks').length > 0);
    await hub.stop();

    const session = Object.fromEntries(tokens.map((token, at) => [`session${at}`, token.slice(-64)]));
    const secrets = { ...ENTERED, ...OF_PROVIDER, ...OF_DEVELOPER, ...session };
    expect(await findSecrets(home.path, secrets, { stderr: hub.errorOutput() })).toEqual([]);
  });
});
