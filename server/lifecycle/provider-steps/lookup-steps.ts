import { z } from 'zod';
import { issueTime } from '../../platform/lib/issue-time.ts';
import type { PostConnectionStep, StepContext } from './step-context.ts';
import { isSuccess, requestJson, requestPlainJson, stepFailure, unverifiedClaim } from './step-requests.ts';

const siteList = z.array(z.object({ id: z.string(), url: z.string(), name: z.string().optional() }));
const person = z.object({ accountId: z.string() });
type Site = z.infer<typeof siteList>[number];

const jiraMyself = (cloudId: string): string => `/ex/jira/${encodeURIComponent(cloudId)}/rest/api/3/myself`;
const confluenceMyself = (cloudId: string): string =>
  `/ex/confluence/${encodeURIComponent(cloudId)}/wiki/rest/api/user/current`;

export const jiraPostConnection: PostConnectionStep = (context) => findSite(context, [jiraMyself]);

export const confluencePostConnection: PostConnectionStep = (context) => findSite(context, [confluenceMyself]);

/** The government cloud and service accounts may have either product. */
export const atlassianPostConnection: PostConnectionStep = (context) =>
  findSite(context, [jiraMyself, confluenceMyself]);

async function findSite(context: StepContext, profiles: Array<(cloudId: string) => string>) {
  const sites = await requestJson(context, 'its sites', { endpoint: '/oauth/token/accessible-resources' }, siteList);
  const site = chooseSite(sites, context.connection.connectionConfig['subdomain']);
  if (!site)
    throw stepFailure(
      `The account of ${context.provider} has no accessible site. Ask its administrator, then connect again.`,
    );
  const accountId = await findAccount(
    context,
    profiles.map((path) => path(site.id)),
  );
  return { cloudId: site.id, baseUrl: site.url, ...(accountId === undefined ? {} : { accountId }) };
}

/** The site that the person named, else the first one. */
function chooseSite(sites: Site[], subdomain: unknown): Site | undefined {
  const wanted = typeof subdomain === 'string' ? subdomain.toLowerCase() : '';
  return sites.find((site) => wanted !== '' && isNamed(site, wanted)) ?? sites[0];
}

function isNamed({ url, name }: Site, wanted: string): boolean {
  const host = URL.parse(url)?.hostname ?? '';
  return host === wanted || host.startsWith(`${wanted}.`) || name?.toLowerCase() === wanted;
}

/** The site is useful without the person, whose account needs a scope that not every app requests. */
async function findAccount(context: StepContext, endpoints: string[]): Promise<string | undefined> {
  for (const endpoint of endpoints) {
    const response = await context.request({ endpoint });
    const parsed = isSuccess(response) ? person.safeParse(response.json) : undefined;
    if (parsed?.success) return parsed.data.accountId;
  }
  return undefined;
}

const userCredentials = z.looseObject({ access_token: z.string().min(1) });
const profile = z.object({ login: z.string() });

/** Stores the person's part of a combined connection. A connection that an administrator completed has no such part. */
export const githubAppOauthPostConnection: PostConnectionStep = async (context) => {
  const user = findUserCredentials(context);
  if (!user) return undefined;
  const request = {
    url: 'https://api.github.com/user',
    headers: { authorization: `Bearer ${user.access_token}`, accept: 'application/vnd.github+json' },
  };
  const { login } = await requestPlainJson(context, 'its user', request, profile);
  return { handle: login, userCredentials: user };
};

/** Both parts together, the person's part alone (until the app is installed), or the part that was stored before. */
function findUserCredentials({ connection }: StepContext) {
  const { credentials, connectionConfig } = connection;
  const candidates = [
    credentials['user'],
    credentials.type === 'OAUTH2' ? credentials : undefined,
    connectionConfig['userCredentials'],
  ];
  return candidates.map((value) => userCredentials.safeParse(value)).find((parsed) => parsed.success)?.data;
}

const secondTokenResponse = z.object({
  access_token: z.string(),
  refresh_token: z.string().optional(),
  expires_in: z.coerce.number(),
  scope: z.string().optional(),
});

export const microsoftTeamsPostConnection: PostConnectionStep = async (context) => ({
  tenantId: unverifiedClaim(context, 'tid'),
});

/** A bot acts as the app, in the tenant that hosts it. */
export const microsoftTeamsBotPostConnection: PostConnectionStep = async (context) => {
  const tenant = context.connection.connectionConfig['botHostTenantId'];
  if (typeof tenant !== 'string' || tenant === '')
    throw stepFailure('The bot needs the tenant that hosts it. Set "botHostTenantId" in the connection configuration.');
  const grant = { grant_type: 'client_credentials', scope: 'https://api.botframework.com/.default' };
  return { botFrameworkAccessToken: await requestToken(context, tenant, grant) };
};

/**
 * SharePoint does not accept tokens of Microsoft Graph: the same consent is used a second time, for SharePoint's host.
 */
export const sharepointPostConnection: PostConnectionStep = async (context) => {
  const tenantId = String(unverifiedClaim(context, 'tid'));
  const refreshToken = context.connection.credentials['refresh_token'];
  if (typeof refreshToken !== 'string' || refreshToken === '')
    throw stepFailure(`${context.provider} gave no refresh token. Ask for the scope offline_access and connect again.`);
  const grant = {
    grant_type: 'refresh_token',
    refresh_token: refreshToken,
    scope: `https://${tenantId}.sharepoint.com/Sites.Read.All`,
  };
  return { tenantId, sharepointAccessToken: await requestToken(context, tenantId, grant) };
};

async function requestToken(context: StepContext, tenant: string, grant: Record<string, string>) {
  const { clientId, clientSecret } = context.app;
  const request = {
    method: 'POST' as const,
    url: `https://login.microsoftonline.com/${encodeURIComponent(tenant)}/oauth2/v2.0/token`,
    form: { ...grant, client_id: clientId ?? '', client_secret: clientSecret ?? '' },
  };
  const sentAt = context.now();
  const token = await requestPlainJson(context, 'a second token', request, secondTokenResponse);
  return { ...token, expires_at: issueTime(sentAt, context) + token.expires_in * 1000 };
}

const zohoResponse = z.object({ api_domain: z.string() });

/** One step for all Zoho providers: the region of an account is the end of its API domain. */
export const zohoPostConnection: PostConnectionStep = async ({ provider, connection }) => {
  const { connectionConfig, credentials } = connection;
  if (connectionConfig['extension']) return undefined;
  const source = [credentials.raw, connectionConfig]
    .map((value) => zohoResponse.safeParse(value))
    .find((it) => it.success);
  const extension = /\.zohoapis\.([a-z]+(?:\.[a-z]+)?)$/.exec(
    URL.parse(source?.data?.api_domain ?? '')?.hostname ?? '',
  )?.[1];
  if (extension === undefined)
    throw stepFailure(
      `${provider} does not say where the account lives. Set "extension" in the connection configuration.`,
    );
  return { extension };
};
