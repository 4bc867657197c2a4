import { z } from 'zod';
import { unverifiedClaim } from './access-token.ts';
import { askPlain, stepFailure } from './step-answer.ts';
import type { PostConnectionStep, StepContext } from './step-context.ts';

const tokenResponse = z.object({
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
  const token = await askPlain(context, 'a second token', request, tokenResponse);
  return { ...token, expires_at: context.now() + token.expires_in * 1000 };
}
