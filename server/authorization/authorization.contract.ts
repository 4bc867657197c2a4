import { z } from 'zod';
import { connectionId, integrationId } from '../contract/fields.ts';

/** Queries and bodies of the routes by which end users connect (auth-and-connect.md 1.4 to 2.2). */

/** A map in the query string. Values that are not text are ignored. */
const texts = z
  .record(z.string(), z.unknown())
  .transform((map) =>
    Object.fromEntries(Object.entries(map).filter((pair): pair is [string, string] => typeof pair[1] === 'string')),
  )
  .catch({});

export const authParams = z.strictObject({ providerConfigKey: integrationId });

export const clientDocumentParams = z.strictObject({ environmentUuid: z.string().max(64) });

/** The caller, checked before everything else. */
export const authCaller = z.looseObject({
  connect_session_token: z.string().optional().catch(undefined),
  public_key: z.string().optional().catch(undefined),
  ws_client_id: z.string().max(255).optional().catch(undefined),
});

export const authQuery = z.looseObject({
  connection_id: connectionId.optional(),
  params: texts.optional(),
  credentials: texts.optional(),
  authorization_params: texts.optional(),
  user_scope: z.string().optional().catch(undefined),
});

const text = z.string().min(1);

/** `new`: another code although one is valid. */
export const deviceBody = z.strictObject({ new: z.boolean().optional() });

export const noCredentialsBody = z.strictObject({});
export const apiKeyBody = z.strictObject({ apiKey: text.max(1024) });
export const basicBody = z.strictObject({ username: z.string().max(1024), password: z.string().max(1024) });
export const billBody = z.strictObject({ username: text, password: text, organization_id: text, dev_key: text });
export const signatureBody = z.strictObject({ username: text, password: text, type: text });
export const tbaBody = z.strictObject({
  token_id: text,
  token_secret: text,
  oauth_client_id_override: z.string().optional(),
  oauth_client_secret_override: z.string().optional(),
});
export const awsBody = z.strictObject({
  role_arn: text,
  region: z
    .string()
    .regex(/^[a-z0-9-]+$/, 'Write the region as AWS does, such as eu-central-1.')
    .max(64)
    .optional(),
});
export const clientCredentialsBody = z.looseObject({
  client_id: z.string().optional(),
  client_secret: z.string().optional(),
  client_certificate: z.string().optional(),
  client_private_key: z.string().optional(),
});
/** The catalogue defines the fields. */
export const openBody = z.record(z.string(), z.unknown());

/**
 * The parameters that a provider, or another sender in its name, sends to the callback. A repeated parameter counts
 * once.
 */
export const callbackQuery = z.record(z.string(), z.unknown()).transform((map) =>
  Object.fromEntries(
    Object.entries(map).flatMap(([name, value]): Array<[string, string]> => {
      const first: unknown = Array.isArray(value) ? value[0] : value;
      return typeof first === 'string' ? [[name, first]] : [];
    }),
  ),
);

/** Schemas of the same queries for the OpenAPI document. The handlers read them more leniently. */
const textMap = z.record(z.string(), z.string()).optional();
export const submitParameters = z.object({ connect_session_token: z.string(), params: textMap });
export const sessionParameters = z.object({ connect_session_token: z.string() });
export const startDeviceParameters = submitParameters.extend({ credentials: textMap });
export const connectParameters = z.object({
  connect_session_token: z.string(),
  params: textMap,
  credentials: textMap,
  authorization_params: textMap,
  ws_client_id: z.string().optional(),
});
export const callbackParameters = z.object({
  state: z.string().optional(),
  code: z.string().optional(),
  error: z.string().optional(),
});
