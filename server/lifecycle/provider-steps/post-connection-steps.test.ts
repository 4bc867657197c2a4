import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Exchange, type Setting, StepFixture } from '../../../test/support/step-fixture.ts';
import { POST_CONNECTION_STEPS } from './post-connection-steps.ts';

/** Steps with one request, whatever the connection. Steps that choose are tested beside their file. */
interface Case {
  step: string;
  setting?: Setting;
  exchange: Exchange;
  patch: Record<string, unknown> | undefined;
  /** True when every 2xx response is accepted. */
  readsNothing?: true;
}

const graphql = (query: string) => ({ body: { query } });

const CASES: Case[] = [
  {
    step: 'attioPostConnection',
    exchange: { ask: 'GET https://api.test/v2/self', response: { body: { active: true, workspace_id: 'w-1' } } },
    patch: { workspace_id: 'w-1' },
  },
  {
    step: 'calendlyPostConnection',
    exchange: {
      ask: 'GET https://api.test/users/me',
      response: { body: { resource: { current_organization: 'https://api.calendly.com/organizations/ORG1' } } },
    },
    patch: { organizationId: 'ORG1' },
  },
  {
    step: 'candisPostConnection',
    exchange: {
      ask: 'GET https://api.candis.io/v1/organizations/info',
      response: { body: { id: 'o-1', name: 'Acme' } },
    },
    patch: { organizationId: 'o-1' },
  },
  {
    step: 'docusignPostConnection',
    setting: { provider: 'docusign-sandbox' },
    exchange: {
      ask: 'GET https://account-d.docusign.com/oauth/userinfo',
      response: { body: { accounts: [{ account_id: 'a-1', base_uri: 'https://demo.docusign.net' }] } },
    },
    patch: { accountId: 'a-1', baseUri: 'https://demo.docusign.net' },
  },
  {
    step: 'googleCalendarPostConnection',
    exchange: {
      ask: 'GET https://api.test/calendar/v3/users/me/calendarList/primary',
      response: { body: { id: 'ada@example.com' } },
    },
    // sha256sum of the context and ada@example.com
    patch: { emailAddressHash: 'de53f0aeb55f66c2a691e263d31f7c0ab50c53ff345672e97f750a16d6883bb4' },
  },
  {
    step: 'googleMailPostConnection',
    exchange: {
      ask: 'GET https://api.test/gmail/v1/users/me/profile',
      response: { body: { emailAddress: ' Ada@Example.com ' } },
    },
    patch: { emailAddressHash: 'de53f0aeb55f66c2a691e263d31f7c0ab50c53ff345672e97f750a16d6883bb4' },
  },
  {
    step: 'gustoPostConnection',
    exchange: {
      ask: 'GET https://api.test/v1/token_info',
      response: { body: { resource: { type: 'Company', uuid: 'u-1' } } },
    },
    patch: { companyUuid: 'u-1' },
  },
  {
    step: 'hubspotPostConnection',
    exchange: { ask: 'GET https://api.test/account-info/v3/details', response: { body: { portalId: 62515 } } },
    patch: { portalId: 62515 },
  },
  {
    step: 'jobberPostConnection',
    exchange: {
      ask: 'POST https://api.test/api/graphql',
      ...graphql('{ account { id } }'),
      headers: { 'x-jobber-graphql-version': '2025-04-16' },
      response: { body: { data: { account: { id: 'MTIz' } } } },
    },
    patch: { accountId: 'MTIz' },
  },
  {
    step: 'linearPostConnection',
    exchange: {
      ask: 'POST https://api.test/graphql',
      ...graphql('{ organization { id } }'),
      response: { body: { data: { organization: { id: 'o-1' } } } },
    },
    patch: { organizationId: 'o-1' },
  },
  {
    step: 'mailchimpPostConnection',
    exchange: { ask: 'GET https://login.mailchimp.com/oauth2/metadata', response: { body: { dc: 'us6' } } },
    patch: { dc: 'us6' },
  },
  {
    step: 'procorePostConnection',
    exchange: { ask: 'GET https://api.test/rest/v1.0/companies', response: { body: [{ id: 7 }, { id: 8 }] } },
    patch: { companyId: '7' },
  },
  {
    step: 'ripplingShopAppPostConnection',
    exchange: {
      ask: 'POST https://api.rippling.com/platform/api/mark_app_installed',
      body: {},
      response: { body: { ok: true } },
    },
    patch: undefined,
    readsNothing: true,
  },
  {
    step: 'sage200PostConnection',
    exchange: {
      ask: 'GET https://api.columbus.sage.com/uk/sage200extra/accounts/v1/sites',
      response: {
        body: [
          { company_id: 1, site_id: 's-1', site_name: 'Main' },
          { company_id: 2, site_id: 's-2' },
        ],
      },
    },
    patch: { company_id: 1, site_id: 's-1' },
  },
  {
    step: 'sentryOauthPostConnection',
    setting: { config: { 'installation.uuid': 'i-1', pending: true } },
    exchange: {
      ask: 'PUT https://sentry.io/api/0/sentry-app-installations/i-1/',
      body: { status: 'installed' },
      response: { body: { status: 'installed' } },
    },
    patch: { pending: undefined },
    readsNothing: true,
  },
  {
    step: 'snowflakePostConnection',
    exchange: {
      ask: 'POST https://api.test/api/v2/statements',
      body: { statement: 'SELECT CURRENT_USER()' },
      response: { body: { data: [['ADA']] } },
    },
    patch: { username: 'ADA' },
  },
  {
    step: 'sophosCentralPostConnection',
    exchange: {
      ask: 'GET https://api.central.sophos.com/whoami/v1',
      response: {
        body: { id: 't-1', idType: 'tenant', apiHosts: { dataRegion: 'https://api-eu01.central.sophos.com' } },
      },
    },
    patch: { tenantId: 't-1', dataRegion: 'https://api-eu01.central.sophos.com' },
  },
  {
    step: 'workablePostConnection',
    exchange: {
      ask: 'GET https://workable.com/spi/v3/accounts',
      response: { body: { accounts: [{ subdomain: 'acme' }, { subdomain: 'other' }] } },
    },
    patch: { subdomain: 'acme' },
  },
];

describe('steps after connecting that ask one thing', () => {
  let fixture: StepFixture;

  beforeEach(async () => {
    fixture = await StepFixture.start();
  });
  afterEach(() => fixture.stop());

  const run = ({ step, setting }: Case) => POST_CONNECTION_STEPS.get(step)!(fixture.context(setting));

  it.each(CASES)('$step asks and writes what it learned', async (current) => {
    const { response, ...expected } = current.exchange;
    fixture.script([current.exchange]);

    expect(await run(current)).toStrictEqual(current.patch);
    expect(fixture.asked([current.exchange])).toEqual([expected]);
  });

  it.each(CASES)('$step fails when it is refused, and keeps the answer to itself', async (current) => {
    fixture.script([current.exchange], { status: 403, body: { error: 'the token secret-1 lacks a scope' } });

    const failure = await run(current).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'provider_step_failed', message: expect.stringContaining('status 403') });
    expect(String(failure)).not.toContain('secret-1');
  });

  it.each(CASES.filter(({ readsNothing }) => !readsNothing))(
    '$step fails on an answer of another shape',
    async (current) => {
      for (const body of [
        '<html>secret-1</html>',
        { data: null, errors: [{ message: 'secret-1' }], resource: 'secret-1' },
      ]) {
        fixture.script([current.exchange], { body });

        const failure = await run(current).catch((error: unknown) => error);
        expect(failure).toMatchObject({
          code: 'provider_step_failed',
          message: expect.stringContaining('does not contain'),
        });
        expect(String(failure)).not.toContain('secret-1');
      }
    },
  );

  it.each(['procorePostConnection', 'workablePostConnection'])(
    '%s sends no request when the person entered the value',
    async (step) => {
      const setting = { config: { companyId: '9', subdomain: 'mine' } };

      expect(await POST_CONNECTION_STEPS.get(step)!(fixture.context(setting))).toBeUndefined();
      expect(fixture.asked([])).toEqual([]);
    },
  );

  it('writes no company for a Gusto token that belongs to something else', async () => {
    const exchange = {
      ask: 'GET https://api.test/v1/token_info',
      response: { body: { resource: { type: 'User', uuid: 'u' } } },
    };
    fixture.script([exchange]);

    expect(await POST_CONNECTION_STEPS.get('gustoPostConnection')!(fixture.context())).toBeUndefined();
  });

  it('asks Sentry nothing before the installation is known', async () => {
    const waiting = POST_CONNECTION_STEPS.get('sentryOauthPostConnection')!(
      fixture.context({ config: { pending: true } }),
    );

    await expect(waiting).rejects.toMatchObject({ code: 'provider_step_failed' });
    expect(fixture.asked([])).toEqual([]);
  });
});
