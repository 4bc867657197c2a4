import { z } from 'zod';
import { displayName, environmentName, httpUrl } from '../contract/fields.ts';
import { keyScopes } from './scope-list.contract.ts';

/** Environments, their keys and settings (http-api.md 12, design.md 7.17). */

/** An environment with this name counts as production, here and in the dashboard. */
export const PRODUCTION_NAME = 'prod';

/** An environment by its number or its UUID. */
const environmentRef = z.union([z.uuid(), z.coerce.number().int().min(1)]);
export const environmentParams = z.strictObject({ id: environmentRef });
export const environmentKeysParams = z.strictObject({ environment: environmentRef });
/** A key by its UUID or its number. */
export const environmentKeyParams = environmentKeysParams.extend({
  key: z.union([z.uuid(), z.coerce.number().int().min(1)]),
});
export const listEnvironmentsQuery = z.strictObject({ name: z.string().optional() });
export const findKeysQuery = z.strictObject({ display_name: z.string().optional() });

/** `""` clears the address, as null does. */
const clearable = <T extends z.ZodType>(address: T) =>
  z.union([z.literal('').transform(() => null), address]).nullable();
const clearableUrl = clearable(httpUrl);
/** Scheme, host and port. A slash at the end is dropped. */
const clearableOrigin = clearable(
  httpUrl.refine(isOrigin, 'Must be an address without a path, for example https://hub.example.com.'),
).transform((text) => (text === null ? null : new URL(text).origin));

const webhook = z.strictObject({
  primary_url: clearableUrl.optional(),
  secondary_url: clearableUrl.optional(),
  on_auth_creation: z.boolean().optional(),
  on_auth_refresh_error: z.boolean().optional(),
  on_sync_completion_always: z.boolean().optional(),
  on_sync_error: z.boolean().optional(),
  on_async_action_completion: z.boolean().optional(),
  on_connection_deletion: z.boolean().optional(),
});

const DAYS = 'Must be a whole number of days from 1 to 3650, or null to keep for good.';
const keptDays = z.number(DAYS).int(DAYS).min(1, DAYS).max(3650, DAYS).nullable();

const MEGABYTES = 'Must be a whole number of megabytes from 10 to 1000000, or null for no limit.';

/** Null means that the data is kept for ever. */
export const retentionChange = z.strictObject({
  logs_days: keptDays.optional(),
  /** Approximate limit of the logs on disk; the oldest are deleted first. */
  logs_megabytes: z.number(MEGABYTES).int(MEGABYTES).min(10, MEGABYTES).max(1_000_000, MEGABYTES).nullable().optional(),
  webhooks_days: keptDays.optional(),
  /** After this time without a change, the payload of a record is emptied. */
  records_prune_days: keptDays.optional(),
  /** After this time without a run of its sync, all records of a model are deleted. */
  records_delete_days: keptDays.optional(),
});

const MAX_ENDPOINT_LENGTH = 2048;
/** Base address of an OTLP collector. `/v1/traces` is appended, as the OTLP specification says. */
const otlpEndpoint = httpUrl.max(MAX_ENDPOINT_LENGTH).superRefine((text, context) => {
  const url = URL.parse(text);
  // The schema has already reported that this is not an address.
  if (!url) return;
  const refuse = (message: string): void => context.addIssue({ code: 'custom', message });
  if (url.username !== '' || url.password !== '')
    refuse('Put the password into a header: an address is not encrypted.');
  if (url.search !== '' || url.hash !== '') refuse('Must be an address without "?" and "#".');
  if (/\/v1\/traces\/?$/.test(url.pathname)) refuse('Leave out /v1/traces at the end. Homeport adds it.');
});

/** Names of headers that the HTTP request itself sets. */
const REQUEST_HEADERS: ReadonlySet<string> = new Set([
  ...['host', 'content-type', 'content-length', 'content-encoding', 'transfer-encoding', 'connection', 'keep-alive'],
  ...['upgrade', 'te', 'trailer', 'expect', 'user-agent'],
]);

/** Sent to the collector with every request. The value is a secret. */
export const otlpHeader = z.strictObject({
  name: z
    .string()
    .trim()
    .max(255)
    .regex(/^[\w!#$%&'*+.^`|~-]+$/, 'Must be the name of a header, for example x-api-key.')
    .refine((name) => !REQUEST_HEADERS.has(name.toLowerCase()), 'Homeport sets this header itself.'),
  value: z
    .string()
    .trim()
    .min(1, 'Enter a value.')
    .max(8192)
    .regex(/^[\t\x20-\x7e]*$/, 'Must be one line of ASCII characters.'),
});

const MAX_OTLP_HEADERS = 100;
/** A list without duplicate names, ignoring case. */
export const otlpHeaderList = <Row extends z.ZodType<{ name: string }>>(row: Row) =>
  z
    .array(row)
    .max(MAX_OTLP_HEADERS)
    .superRefine((list, context) => {
      const names = list.map(({ name }) => name.toLowerCase());
      for (const [index, name] of names.entries())
        if (names.indexOf(name) < index)
          context.addIssue({ code: 'custom', path: [index, 'name'], message: 'Two headers have this name.' });
    });

const otlpSettings = {
  /** Address to which operations of the environment are sent as traces; null switches this off. */
  otlp_endpoint: clearable(otlpEndpoint).optional(),
  /** Replaces the list. A change of the endpoint's origin without this member clears the list. */
  otlp_headers: otlpHeaderList(otlpHeader).optional(),
};

export const variable = z.strictObject({ name: z.string().trim().min(1, 'Enter a name.').max(255), value: z.string() });

/** A list without duplicate names. */
export const variables = <Row extends z.ZodType<{ name: string }>>(row: Row) =>
  z.array(row).superRefine((list, context) => {
    const seen = new Set<string>();
    for (const [index, { name }] of list.entries()) {
      if (seen.has(name))
        context.addIssue({ code: 'custom', path: [index, 'name'], message: 'Two variables have this name.' });
      seen.add(name);
    }
  });

/**
 * A host name or an IP address (IPv6 with or without brackets), optionally with a port. Other texts cannot match a
 * host.
 */
const allowedHost = z
  .string()
  .trim()
  .max(255)
  .regex(
    /^(([\w.-]+|\[[\da-f:.]+\])(:\d{1,5})?|[\da-f]*:[\da-f:.]+)$/i,
    'Must be a host name or an IP address, with or without a port, for example nas.local or 10.0.0.1:8080.',
  );

/** Stands for a token that is stored: it is never shown, and sent back it changes nothing. */
export const STORED_TOKEN = '••••••••';

const approvals = z.strictObject({
  /** A topic of ntfy or a webhook. */
  url: clearable(httpUrl.max(MAX_ENDPOINT_LENGTH)).optional(),
  kind: z.enum(['ntfy', 'webhook']).optional(),
  /** Sent as `Authorization: Bearer`. A change of the origin of `url` without it clears it. */
  token: clearable(
    z.union([
      z.literal(STORED_TOKEN),
      z
        .string()
        .max(4096)
        .regex(/^[\x21-\x7e]+$/, 'Must be ASCII characters without spaces.'),
    ]),
  ).optional(),
  /** Whether the links lead to the public address. */
  public: z.boolean().optional(),
});

/** The token to store; null removes it, undefined keeps what is stored. */
export const changedToken = ({ approvals: changed }: Pick<SettingsBody, 'approvals'>): string | null | undefined =>
  changed?.token === STORED_TOKEN ? undefined : changed?.token;

export const settingsBody = z.strictObject({
  callback_url: clearableUrl.optional(),
  public_url: clearableOrigin.optional(),
  log_level: z.enum(['debug', 'info', 'warn', 'error', 'off']).nullable().optional(),
  allowed_hosts: z.array(allowedHost).max(100).optional(),
  allow_base_url_override: z.boolean().optional(),
  agents_may_build: z.boolean().optional(),
  approvals: approvals.optional(),
  rate_limit_per_minute: z.number().int().min(1).nullable().optional(),
  webhook: webhook.optional(),
  variables: variables(variable).optional(),
  retention: retentionChange.optional(),
  ...otlpSettings,
});

export const createEnvironmentBody = z.strictObject({
  name: environmentName,
  is_production: z.boolean().optional(),
  callback_url: httpUrl.optional(),
  ...otlpSettings,
});

/** Default: the caller's environment. No other route returns this id. */
const environmentId = z.number().int().optional();

export const listKeysQuery = z.strictObject({ environment_id: z.coerce.number().int().optional() });

export const createKeyBody = z.strictObject({
  environment_id: environmentId,
  display_name: displayName,
  scopes: keyScopes.optional(),
});

export const createKeyOfBody = createKeyBody.omit({ environment_id: true });

export const revokeKeyBody = z.strictObject({ environment_id: environmentId, key_id: z.number().int() });

/** Policy of MCP clients (design.md 7.40). A missing client, integration or connection means all of them. */
export const mcpPolicyBody = z.strictObject({
  tool: z.string().min(1).max(255),
  policy: z.enum(['allow', 'ask', 'deny']),
  /** Name of the API key of the client. */
  client: displayName.optional(),
  provider_config_key: z.string().min(1).max(255).optional(),
  connection_id: z.string().min(1).max(255).optional(),
});

export type SettingsBody = z.infer<typeof settingsBody>;

function isOrigin(text: string): boolean {
  const url = URL.parse(text);
  // The schema has already reported that this is not an address.
  if (!url) return true;
  return url.pathname === '/' && url.search === '' && url.hash === '' && url.username === '';
}
