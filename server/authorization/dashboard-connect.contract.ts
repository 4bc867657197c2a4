import { z } from 'zod';
import {
  dashboardConnectionParams,
  dashboardIntegrationParams,
  environmentQuery,
  isoTime,
} from '../contract/dashboard/dashboard-lists.ts';
import { connectionId, email, integrationId, tags, webhookUrlOverride } from '../contract/fields.ts';

/** An authorization that the dashboard starts: for a new connection, or to replace the credentials of an existing one. */
export const connectSessionBody = z.strictObject({
  integrationKey: integrationId,
  /** The connection to reconnect. Without it a new connection is created. */
  connectionId: connectionId.optional(),
  /** Required for a new connection. */
  endUser: z
    .strictObject({
      id: z.string().min(1).max(255),
      email: email.optional(),
      displayName: z.string().max(255).optional(),
    })
    .optional(),
  tags: tags.optional(),
  /** Sent to the provider's authorization page. */
  authorizationParams: z.record(z.string(), z.string()).optional(),
  /** Comma-separated scopes that replace the integration's. */
  scopes: z.string().optional(),
  /** OAuth client that replaces the integration's. */
  clientId: z.string().optional(),
  clientSecret: z.string().optional(),
  docsConnect: z.string().optional(),
  webhookUrlOverride: webhookUrlOverride.optional(),
});

export const connectSessionResponse = z.object({
  token: z.string(),
  /** Link that works in any browser on this computer. */
  link: z.string(),
  expiresAt: isoTime,
});

/** The integration to prepare, of a practice provider; default: `practice-oauth2`, made when it does not exist. */
export const practiceAuthorizationBody = z.strictObject({ integrationKey: integrationId.optional() });

export const connectRouteShapes = {
  'POST /api/v1/practice': {
    meaning: 'Creates integration `practice` and imports a connection with its sample key, unless they exist.',
    query: environmentQuery,
    response: dashboardConnectionParams,
  },
  'POST /api/v1/practice/sign-in': {
    meaning:
      'Prepares an integration for an authorization at the practice provider: creates it and stores the practice client.',
    query: environmentQuery,
    body: practiceAuthorizationBody,
    response: dashboardIntegrationParams,
  },
  'POST /api/v1/connect-sessions': {
    meaning: 'Starts an authorization: a token for the connect page, for a new connection or one to authorize again.',
    query: environmentQuery,
    body: connectSessionBody,
    response: connectSessionResponse,
  },
};

export type ConnectSessionBody = z.infer<typeof connectSessionBody>;
