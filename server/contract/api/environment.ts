import { z } from 'zod';
import { environmentName } from '../dashboard/dashboard-environment.ts';
import { displayName } from './fields.ts';
import { keyScopes } from './key-scopes.ts';

/** Environments, their keys and settings (http-api.md 12, design.md 7.17). */

const httpUrl = z
  .string()
  .refine((text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ''), 'Must be an http or https address.');
/** Scheme, host and port; a slash at the end is dropped. */
const origin = httpUrl.transform((text, context) => {
  const url = new URL(text);
  if (url.pathname === '/' && url.search === '' && url.hash === '' && url.username === '') return url.origin;
  context.addIssue({
    code: 'custom',
    message: 'Must be an address without a path, for example https://hub.example.com.',
  });
  return z.NEVER;
});
/** `""` clears it, as null does. */
const clearableUrl = z.union([z.literal('').transform(() => null), httpUrl]).nullable();

const webhook = z.strictObject({
  primary_url: clearableUrl.optional(),
  secondary_url: clearableUrl.optional(),
  on_auth_creation: z.boolean().optional(),
  on_auth_refresh_error: z.boolean().optional(),
  on_sync_completion_always: z.boolean().optional(),
  on_sync_error: z.boolean().optional(),
  on_async_action_completion: z.boolean().optional(),
});

const days = z.number().int().min(1).max(3650);

/** null = never. */
const retention = z.strictObject({
  logs_days: days.optional(),
  /** The payload of a record that was not modified for so long is emptied. */
  records_prune_days: days.nullable().optional(),
  /** All records of a model whose sync has not run for so long are removed. */
  records_delete_days: days.nullable().optional(),
});

const variable = z.strictObject({ name: z.string().trim().min(1).max(255), value: z.string() });

const variables = z.array(variable).superRefine((list, context) => {
  const seen = new Set<string>();
  list.forEach(({ name }, index) => {
    if (seen.has(name))
      context.addIssue({ code: 'custom', path: [index, 'name'], message: 'Two variables have this name.' });
    seen.add(name);
  });
});

export const settingsBody = z.strictObject({
  callback_url: clearableUrl.optional(),
  public_url: origin.nullable().optional(),
  log_level: z.enum(['debug', 'info', 'warn', 'error', 'off']).nullable().optional(),
  allowed_hosts: z.array(z.string().trim().min(1).max(255)).max(100).optional(),
  rate_limit_per_minute: z.number().int().min(1).nullable().optional(),
  webhook: webhook.optional(),
  variables: variables.optional(),
  retention: retention.optional(),
});

export const createEnvironmentBody = z.strictObject({
  name: environmentName,
  is_production: z.boolean().optional(),
  callback_url: httpUrl.optional(),
});

/** Absent = the environment of the caller, whose id no other route tells. */
const environmentId = z.number().int().optional();

export const listKeysQuery = z.strictObject({ environment_id: z.coerce.number().int().optional() });

export const createKeyBody = z.strictObject({
  environment_id: environmentId,
  display_name: displayName,
  scopes: keyScopes.optional(),
});

export const revokeKeyBody = z.strictObject({ environment_id: environmentId, key_id: z.number().int() });

export type SettingsBody = z.infer<typeof settingsBody>;
