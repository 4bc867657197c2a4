import { z } from 'zod';
import { instant, openObject } from './answer-fields.ts';

/** Credentials of a connection by `type` (http-api.md 4). */

const expires = { expires_at: instant.optional() };
const override = {
  config_override: z.object({ client_id: z.string().optional(), client_secret: z.string().optional() }).optional(),
};

/** Contains refresh tokens only when the caller asked for them. */
const oauth2 = z.looseObject({
  type: z.literal('OAUTH2'),
  access_token: z.string(),
  refresh_token: z.string().optional(),
  raw: openObject,
  ...expires,
  ...override,
});

const clientCredentials = z.looseObject({
  type: z.literal('OAUTH2_CC'),
  token: z.string(),
  client_id: z.string(),
  client_secret: z.string(),
  raw: openObject,
  ...expires,
});

const oauth1 = z.looseObject({
  type: z.literal('OAUTH1'),
  oauth_token: z.string(),
  oauth_token_secret: z.string(),
  raw: openObject,
});

const app = z.looseObject({ type: z.literal('APP'), access_token: z.string(), raw: openObject, ...expires });

export const credentials = z
  .union([
    oauth2,
    clientCredentials,
    oauth1,
    z.looseObject({ type: z.literal('BASIC'), username: z.string(), password: z.string() }),
    z.looseObject({ type: z.literal('API_KEY'), apiKey: z.string() }),
    z.looseObject({ type: z.literal('TBA'), token_id: z.string(), token_secret: z.string(), ...override }),
    app,
    z.looseObject({ type: z.enum(['CUSTOM', 'JWT', 'SIGNATURE', 'TWO_STEP', 'BILL', 'AWS_SIGV4']), ...expires }),
    // For integrations without authentication, and for keys that may not read credentials.
    z.object({}),
  ])
  .meta({ id: 'Credentials' });
