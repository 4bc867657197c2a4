import { describe, expect, it } from 'vitest';
import {
  describePostConnection,
  type PostConnectionCase,
  type PostConnectionFailure,
} from '../../../test/support/describe-post-connection.ts';
import { type Exchange, NOW, StepFixture, tokenWith } from '../../../test/support/step-fixture.ts';
import { microsoftTeamsBotPostConnection } from './lookup-steps.ts';

const app = { clientId: 'app-1', clientSecret: 'app-secret-1' };
const inTenant = tokenWith({ tid: 't-1' });
const secondToken = (form: object, response: object): Exchange => ({
  ask: 'POST https://login.microsoftonline.com/t-1/oauth2/v2.0/token',
  plain: true,
  body: { client_id: 'app-1', client_secret: 'app-secret-1', ...form },
  response: { body: response },
});
const sharepoint = {
  setting: { app, credentials: { access_token: inTenant, refresh_token: 'refresh-1' } },
  exchanges: [
    secondToken(
      { grant_type: 'refresh_token', refresh_token: 'refresh-1', scope: 'https://t-1.sharepoint.com/Sites.Read.All' },
      { access_token: 'sp-1', refresh_token: 'sp-refresh-1', expires_in: 3600, token_type: 'Bearer' },
    ),
  ],
  patch: {
    tenantId: 't-1',
    sharepointAccessToken: {
      access_token: 'sp-1',
      refresh_token: 'sp-refresh-1',
      expires_in: 3600,
      expires_at: NOW + 3_600_000,
    },
  },
};

const user = { type: 'OAUTH2', access_token: 'user-1', raw: { access_token: 'user-1' } };
const profile: Exchange = {
  ask: 'GET https://api.github.com/user',
  plain: true,
  headers: { authorization: 'Bearer user-1', 'user-agent': 'Homeport' },
  response: { body: { login: 'ada' } },
};

const cases: PostConnectionCase[] = [
  {
    step: 'zohoPostConnection',
    when: 'the token response has the domain',
    setting: {
      credentials: { raw: { api_domain: 'https://www.zohoapis.com.au' } },
      config: { api_domain: 'https://www.zohoapis.eu' },
    },
    patch: { extension: 'com.au' },
  },
  {
    step: 'zohoPostConnection',
    when: 'only the configuration has the domain',
    setting: { config: { api_domain: 'https://www.zohoapis.eu' } },
    patch: { extension: 'eu' },
  },
  {
    step: 'zohoPostConnection',
    when: 'the person named the region',
    setting: { config: { extension: 'in', api_domain: 'https://www.zohoapis.eu' } },
    patch: undefined,
  },
  {
    step: 'highlevelPostConnection',
    when: 'an agency connects',
    setting: { credentials: { raw: { companyId: 'h-1' } } },
    patch: { companyId: 'h-1' },
  },
  {
    step: 'highlevelPostConnection',
    when: 'a location connects',
    setting: { credentials: { raw: { companyId: 'h-1', locationId: 'l-1' } } },
    patch: { companyId: 'h-1', locationId: 'l-1' },
  },
  {
    step: 'sellsyPostConnection',
    when: 'the token says it',
    setting: { credentials: { token: tokenWith({ corpId: 12 }) } },
    patch: { corpid: 12 },
  },
  {
    step: 'sellsyPostConnection',
    when: 'it is spelled otherwise',
    setting: { credentials: { access_token: tokenWith({ corpid: '12' }) } },
    patch: { corpid: '12' },
  },
  {
    step: 'microsoftTeamsPostConnection',
    when: 'the token says it',
    setting: { credentials: { access_token: inTenant } },
    patch: { tenantId: 't-1' },
  },
  { step: 'oneDrivePostConnection', when: 'it has a refresh token', ...sharepoint },
  { step: 'sharepointOnlinePostConnection', when: 'it has a refresh token', ...sharepoint },
  {
    step: 'microsoftTeamsBotPostConnection',
    when: 'the host tenant is known',
    setting: { app, config: { botHostTenantId: 't-1' } },
    exchanges: [
      secondToken(
        { grant_type: 'client_credentials', scope: 'https://api.botframework.com/.default' },
        { access_token: 'bot-1', expires_in: '3599' },
      ),
    ],
    patch: { botFrameworkAccessToken: { access_token: 'bot-1', expires_in: 3599, expires_at: NOW + 3_599_000 } },
  },
  {
    step: 'adobeUmapiPostConnection',
    when: 'the connection has its client',
    setting: { app, credentials: { client_id: 'own-1' } },
    patch: { clientId: 'own-1' },
  },
  { step: 'adobeUmapiPostConnection', when: 'the app is the client', setting: { app }, patch: { clientId: 'app-1' } },
  {
    step: 'bullhornPostConnection',
    when: 'the login is done',
    setting: { config: { username: 'ada', password: 'pw' } },
    patch: { username: undefined, password: undefined },
  },
  {
    step: 'githubAppOauthPostConnection',
    when: 'both halves are there',
    setting: { credentials: { type: 'CUSTOM', app: { access_token: 'app-token-1' }, user } },
    exchanges: [profile],
    patch: { handle: 'ada', userCredentials: user },
  },
  {
    step: 'githubAppOauthPostConnection',
    when: 'the app is not installed yet',
    setting: { credentials: user },
    exchanges: [profile],
    patch: { handle: 'ada', userCredentials: user },
  },
  {
    step: 'githubAppOauthPostConnection',
    when: 'the person’s half was kept before',
    setting: { credentials: { type: 'APP', access_token: 'app-token-1' }, config: { userCredentials: user } },
    exchanges: [profile],
    patch: { handle: 'ada', userCredentials: user },
  },
  {
    step: 'githubAppOauthPostConnection',
    when: 'there is no person',
    setting: { credentials: { type: 'CUSTOM', app: { access_token: 'app-token-1' }, user: null } },
    patch: undefined,
  },
];

const failures: PostConnectionFailure[] = [
  {
    step: 'zohoPostConnection',
    when: 'the domain is foreign',
    setting: { credentials: { raw: { api_domain: 'https://zohoapis.com.evil.test' } } },
    message: /Set "extension"/,
  },
  {
    step: 'highlevelPostConnection',
    when: 'the token response names no account',
    setting: { credentials: { raw: {} } },
    message: /neither/,
  },
  {
    step: 'sellsyPostConnection',
    when: 'the token is opaque',
    setting: { credentials: { token: 'secret-1' } },
    message: /not a JSON web token/,
  },
  {
    step: 'microsoftTeamsPostConnection',
    when: 'the claim is missing',
    setting: { credentials: { access_token: tokenWith({ sub: 'secret-1' }) } },
    message: /does not say tid/,
  },
  { step: 'microsoftTeamsPostConnection', when: 'there is no token', message: /has no access token/ },
  {
    step: 'sharepointOnlinePostConnection',
    when: 'there is no refresh token',
    setting: { credentials: { access_token: inTenant } },
    message: /offline_access/,
  },
  {
    step: 'sharepointOnlinePostConnection',
    when: 'the second token is refused',
    setting: sharepoint.setting,
    exchanges: sharepoint.exchanges.map((exchange) => ({
      ...exchange,
      response: { status: 400, body: { error_description: 'refresh-1' } },
    })),
    message: /second token with status 400/,
  },
  {
    step: 'microsoftTeamsBotPostConnection',
    when: 'the host tenant is unknown',
    setting: { app },
    message: /botHostTenantId/,
  },
  { step: 'adobeUmapiPostConnection', when: 'there is no client', message: /no client id/ },
];

describePostConnection('steps after connecting that start from what the connection holds', { cases, failures });

describe('a second token', () => {
  it('is as old as its request, although the computer sleeps before the answer', async () => {
    const bench = await StepFixture.start();
    try {
      const exchanges = [secondToken({}, { access_token: 'bot-1', expires_in: 3600 })];
      bench.script(exchanges);
      const context = bench.context({ app, config: { botHostTenantId: 't-1' } });
      const now = (): number => NOW + bench.asked(exchanges).length * 10 * 3_600_000;

      const patch = await microsoftTeamsBotPostConnection({ ...context, now });

      expect(patch).toMatchObject({ botFrameworkAccessToken: { expires_at: NOW + 3_600_000 } });
    } finally {
      await bench.stop();
    }
  });
});
