import { basic, type OAuthClient, type TokenCall, withHeader } from '../kinds/oauth2-token-call.ts';
import type { ProviderDifference } from './provider-difference.ts';

const HOUR_S = 3600;

/** The answer names no lifetime; it is an hour. */
const lastsAnHour = (answer: unknown): unknown => ({ ...(answer as object), expires_in: HOUR_S });

/** Client id and secret only in the header. */
const inHeader = (call: TokenCall, { client }: { client: OAuthClient }): TokenCall => {
  const { client_id: _id, client_secret: _secret, ...params } = call.params;
  return withHeader({ ...call, params }, 'authorization', basic(client.id, client.secret ?? ''));
};

/** Stripe takes the secret key as the user of Basic authentication, without a password. */
const secretAsUser = (call: TokenCall, { client }: { client: OAuthClient }): TokenCall => {
  const { client_id: _id, client_secret: _secret, ...params } = call.params;
  return withHeader({ ...call, params }, 'authorization', basic(client.secret ?? '', ''));
};

const headerClient: ProviderDifference = { exchange: inHeader, refresh: inHeader };
const stripeApp: ProviderDifference = { exchange: secretAsUser, refresh: secretAsUser, read: lastsAnHour };

export const HEADER_CLIENTS: Record<string, ProviderDifference> = {
  'workday-oauth': headerClient,
  fanvue: headerClient,
  followupboss: headerClient,
  'stripe-app': stripeApp,
  'stripe-app-sandbox': stripeApp,
  jobber: { read: lastsAnHour },
};
