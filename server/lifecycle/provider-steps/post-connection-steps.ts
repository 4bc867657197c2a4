import { z } from 'zod';
import { hashAddress } from '../../platform/lib/address-hash.ts';
import {
  atlassianPostConnection,
  confluencePostConnection,
  githubAppOauthPostConnection,
  jiraPostConnection,
  microsoftTeamsBotPostConnection,
  microsoftTeamsPostConnection,
  sharepointPostConnection,
  zohoPostConnection,
} from './lookup-steps.ts';
import type { ConfigPatch, PostConnectionStep, StepContext } from './step-context.ts';
import {
  isSuccess,
  requestGraphqlData,
  requestJson,
  requireSuccess,
  stepFailure,
  stringOrNumberId,
  unverifiedClaim,
} from './step-requests.ts';

const attioSelf = z.object({ workspace_id: z.string() });

const basecampAuthorization = z.object({ accounts: z.array(z.looseObject({ id: stringOrNumberId })) });

const calendlyUser = z.object({ resource: z.object({ current_organization: z.url() }) });

const candisOrganization = z.object({ id: z.string() });

/** Refusals because of the token, the rate or the server, which say nothing about the account. */
const isInconclusive = (status: number): boolean => status === 401 || status === 429 || status >= 500;

const docusignAccount = z.object({ account_id: z.string(), base_uri: z.string(), is_default: z.boolean().optional() });

const docusignUser = z.object({ accounts: z.tuple([docusignAccount], docusignAccount) });

const hubspotAccount = z.object({ portalId: stringOrNumberId });

const linearOrganization = z.object({ organization: z.object({ id: z.string() }) });

const mailProfile = z.object({ emailAddress: z.string().min(1) });

const primaryCalendar = z.object({ id: z.string().min(1) });

const gustoTokenInfo = z.object({ resource: z.object({ type: z.string(), uuid: z.string() }).nullish() });

const highlevelToken = z.object({ companyId: z.string().optional(), locationId: z.string().optional() });

const jobberAccount = z.object({ account: z.object({ id: stringOrNumberId }) });

/** Jobber refuses requests without a version; every token contains the id of the account. */
const JOBBER_VERSION = { 'x-jobber-graphql-version': '2025-04-16' };

/** The data centre becomes part of the host of later requests. */
const mailchimpMetadata = z.object({ dc: z.string().regex(/^[a-z]+\d*$/) });

const procoreCompanies = z.tuple([z.object({ id: stringOrNumberId })], z.unknown());

const sageSites = z.tuple([z.object({ company_id: stringOrNumberId, site_id: stringOrNumberId })], z.unknown());

const snowflakeResult = z.object({ data: z.tuple([z.tuple([z.string()])]) });

const sophosIdentity = z.object({ id: z.string(), apiHosts: z.object({ dataRegion: z.string() }) });

/** The subdomain becomes part of the host of later requests. */
const subdomain = z.string().regex(/^[a-z0-9_-]+$/);

const workableAccounts = z.object({ accounts: z.tuple([z.object({ subdomain })], z.unknown()) });

const xeroTenants = z.array(z.object({ tenantId: z.string(), authEventId: z.string().nullish() }));

const STEPS = {
  /** Adobe requires the client id in a header of every request. */
  adobeUmapiPostConnection: async ({ provider, app, connection }) => {
    const clientId = connection.credentials['client_id'] ?? app.clientId;
    if (typeof clientId !== 'string' || clientId === '')
      throw stepFailure(`The connection to ${provider} has no client id. Connect again.`);
    return { clientId };
  },
  attioPostConnection: async (context) => {
    const { workspace_id } = await requestJson(context, 'its workspace', { endpoint: '/v2/self' }, attioSelf);
    return { workspace_id };
  },
  basecampPostConnection: async (context) => {
    const request = { baseUrl: 'https://launchpad.37signals.com', endpoint: '/authorization.json' };
    const { accounts } = await requestJson(context, 'its accounts', request, basecampAuthorization);
    const patch: ConfigPatch = { accounts };
    const [only, ...others] = accounts;
    const isChosen = Boolean(context.connection.connectionConfig['accountId']);
    // As text, because the connect form writes it as text.
    if (only && others.length === 0 && !isChosen) patch['accountId'] = String(only.id);
    return patch;
  },
  /** The login was needed only to get the token and is removed. */
  bullhornPostConnection: async () => ({ username: undefined, password: undefined }),
  /** Calendly identifies objects by address; the id is the last part. */
  calendlyPostConnection: async (context) => {
    const { resource } = await requestJson(context, 'its organization', { endpoint: '/users/me' }, calendlyUser);
    return { organizationId: new URL(resource.current_organization).pathname.split('/').at(-1) };
  },
  candisPostConnection: async (context) => {
    const request = { baseUrl: 'https://api.candis.io', endpoint: '/v1/organizations/info' };
    const { id } = await requestJson(context, 'its organization', request, candisOrganization);
    return { organizationId: id };
  },
  /** Only accounts with a hierarchy may list its nodes. */
  checkrPartnerPostConnection: async (context) => {
    const response = await context.request({ endpoint: '/v1/nodes', query: { page: '1', per_page: '1' } });
    if (isInconclusive(response.status)) requireSuccess(context, 'its account hierarchy', response);
    return { accountHierarchyEnabled: isSuccess(response) };
  },
  /** Also for `docusign-sandbox`, whose accounts are on another host. */
  docusignPostConnection: async (context) => {
    const baseUrl = context.provider.endsWith('-sandbox')
      ? 'https://account-d.docusign.com'
      : 'https://account.docusign.com';
    const { accounts } = await requestJson(
      context,
      'its accounts',
      { baseUrl, endpoint: '/oauth/userinfo' },
      docusignUser,
    );
    const chosen = accounts.find(({ is_default: isDefault }) => isDefault) ?? accounts[0];
    return { baseUri: chosen.base_uri, accountId: chosen.account_id };
  },
  /** Incoming notifications are matched by this hash, so that the configuration need not contain the address. */
  googleMailPostConnection: async (context) => {
    const { emailAddress } = await requestJson(
      context,
      'its address',
      { endpoint: '/gmail/v1/users/me/profile' },
      mailProfile,
    );
    return { emailAddressHash: hashAddress(emailAddress) };
  },
  /** The id of a primary calendar is its owner's address. */
  googleCalendarPostConnection: async (context) => {
    const request = { endpoint: '/calendar/v3/users/me/calendarList/primary' };
    const { id } = await requestJson(context, 'its primary calendar', request, primaryCalendar);
    return { emailAddressHash: hashAddress(id) };
  },
  /** A token may also belong to a person or an app; then there is no company to store. */
  gustoPostConnection: async (context) => {
    const { resource } = await requestJson(context, 'its company', { endpoint: '/v1/token_info' }, gustoTokenInfo);
    return resource?.type === 'Company' ? { companyUuid: resource.uuid } : undefined;
  },
  /** The token response says whether the token is for a location or a whole agency. */
  highlevelPostConnection: async ({ provider, connection }) => {
    const { companyId, locationId } = highlevelToken.safeParse(connection.credentials.raw).data ?? {};
    if (companyId === undefined && locationId === undefined)
      throw stepFailure(`The token response of ${provider} names neither a company nor a location. Connect again.`);
    return { ...(companyId === undefined ? {} : { companyId }), ...(locationId === undefined ? {} : { locationId }) };
  },
  hubspotPostConnection: async (context) => {
    const { portalId } = await requestJson(
      context,
      'its account',
      { endpoint: '/account-info/v3/details' },
      hubspotAccount,
    );
    return { portalId };
  },
  jobberPostConnection: async (context) => {
    const request = { endpoint: '/api/graphql', query: '{ account { id } }', headers: JOBBER_VERSION };
    const { account } = await requestGraphqlData(context, 'its account', request, jobberAccount);
    return { accountId: account.id };
  },
  linearPostConnection: async (context) => {
    const request = { endpoint: '/graphql', query: '{ organization { id } }' };
    const { organization } = await requestGraphqlData(context, 'its organization', request, linearOrganization);
    return { organizationId: organization.id };
  },
  mailchimpPostConnection: async (context) => {
    const request = { baseUrl: 'https://login.mailchimp.com', endpoint: '/oauth2/metadata' };
    const { dc } = await requestJson(context, 'its data centre', request, mailchimpMetadata);
    return { dc };
  },
  procorePostConnection: async (context) => {
    if (context.connection.connectionConfig['companyId']) return undefined;
    const [company] = await requestJson(
      context,
      'its companies',
      { endpoint: '/rest/v1.0/companies' },
      procoreCompanies,
    );
    // As text, because the connect form writes it as text.
    return { companyId: String(company.id) };
  },
  /** Rippling shows an app as installed only after the app confirms it. */
  ripplingShopAppPostConnection: async (context) => {
    const response = await context.request({
      method: 'POST',
      baseUrl: 'https://api.rippling.com',
      endpoint: '/platform/api/mark_app_installed',
      json: {},
    });
    requireSuccess(context, 'the installation', response);
    return undefined;
  },
  sage200PostConnection: async (context) => {
    const request = { baseUrl: 'https://api.columbus.sage.com', endpoint: '/uk/sage200extra/accounts/v1/sites' };
    const [site] = await requestJson(context, 'its sites', request, sageSites);
    return { company_id: site.company_id, site_id: site.site_id };
  },
  /** The account as webhooks name it; tokens spell the claim differently. */
  sellsyPostConnection: async (context) => ({
    corpid: unverifiedClaim(context, 'corpId', 'corpid'),
  }),
  /** Sentry shows an app as installed only after the app confirms it. */
  sentryOauthPostConnection: async (context) => {
    const installation = context.connection.connectionConfig['installation.uuid'];
    if (typeof installation !== 'string' || installation === '')
      throw stepFailure(
        'Sentry has not reported the installation yet. Install the app there to complete the connection.',
      );
    const response = await context.request({
      method: 'PUT',
      baseUrl: 'https://sentry.io',
      endpoint: `/api/0/sentry-app-installations/${encodeURIComponent(installation)}/`,
      json: { status: 'installed' },
    });
    requireSuccess(context, 'the installation', response);
    return { pending: undefined };
  },
  snowflakePostConnection: async (context) => {
    const request = {
      method: 'POST' as const,
      endpoint: '/api/v2/statements',
      json: { statement: 'SELECT CURRENT_USER()' },
    };
    const { data } = await requestJson(context, 'its user', request, snowflakeResult);
    return { username: data[0][0] };
  },
  sophosCentralPostConnection: async (context) => {
    const request = { baseUrl: 'https://api.central.sophos.com', endpoint: '/whoami/v1' };
    const { id, apiHosts } = await requestJson(context, 'its tenant', request, sophosIdentity);
    return { tenantId: id, dataRegion: apiHosts.dataRegion };
  },
  workablePostConnection: async (context) => {
    if (context.connection.connectionConfig['subdomain']) return undefined;
    const request = { baseUrl: 'https://workable.com', endpoint: '/spi/v3/accounts' };
    const { accounts } = await requestJson(context, 'its accounts', request, workableAccounts);
    return { subdomain: accounts[0].subdomain };
  },
  /** Of several tenants, the one that was chosen in this authorization. */
  xeroPostConnection: async (context) => {
    const tenants = await requestJson(context, 'its tenants', { endpoint: '/connections' }, xeroTenants);
    const tenant = tenants.length > 1 ? findAuthorized(context, tenants) : tenants[0];
    if (!tenant)
      throw stepFailure(`${context.provider} names no organisation for this connection. Connect again and choose one.`);
    return { tenant_id: tenant.tenantId };
  },
} satisfies Record<string, PostConnectionStep>;

/** Steps by the name in a catalogue entry's `post_connection_script` (auth-and-connect.md 3.11). */
export const POST_CONNECTION_STEPS: ReadonlyMap<string, PostConnectionStep> = new Map(
  Object.entries({
    ...STEPS,
    atlassianPostConnection,
    confluencePostConnection,
    githubAppOauthPostConnection,
    jiraPostConnection,
    microsoftTeamsBotPostConnection,
    microsoftTeamsPostConnection,
    oneDrivePostConnection: sharepointPostConnection,
    sharepointOnlinePostConnection: sharepointPostConnection,
    zohoPostConnection,
  }),
);

function findAuthorized(context: StepContext, tenants: z.infer<typeof xeroTenants>) {
  const event = unverifiedClaim(context, 'authentication_event_id');
  return tenants.find(({ authEventId }) => authEventId === event);
}
