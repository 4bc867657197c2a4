import { z } from 'zod';
import { dataOf, instant, rowId } from '../contract/response-fields.ts';
import { webhookType } from '../webhooks-out/destination-fields.contract.ts';

/** Environments, their settings and keys (http-api.md 12, design.md 7.17). */

const variable = z.object({ name: z.string(), value: z.string() });
const address = z.string().nullable();

const settings = z
  .object({
    callback_url: address,
    public_url: address,
    log_level: z.enum(['debug', 'info', 'warn', 'error', 'off']).nullable(),
    allowed_hosts: z.array(z.string()),
    allow_base_url_override: z.boolean(),
    agents_may_build: z.boolean(),
    /** Where questions of agents are sent as well; the token is only marked. */
    approvals: z.object({
      url: address,
      kind: z.enum(['ntfy', 'webhook']),
      token: z.string().nullable(),
      public: z.boolean(),
    }),
    rate_limit_per_minute: z.int().nullable(),
    webhook: z.object({
      primary_url: address,
      secondary_url: address,
      on_auth_creation: z.boolean(),
      on_auth_refresh_error: z.boolean(),
      on_sync_completion_always: z.boolean(),
      on_sync_error: z.boolean(),
      on_async_action_completion: z.boolean(),
      on_connection_deletion: z.boolean(),
    }),
    /** Without their values for a key that lacks `environment:variables:read`. */
    variables: z.array(variable.partial({ value: true })),
    retention: z.object({
      logs_days: z.int().nullable(),
      logs_megabytes: z.int().nullable(),
      webhooks_days: z.int().nullable(),
      records_prune_days: z.int().nullable(),
      records_delete_days: z.int().nullable(),
    }),
    /** Base address of the collector that receives the operations as traces. */
    otlp_endpoint: address,
    /** Without their values for a key that lacks `environment:variables:read`. */
    otlp_headers: z.array(variable.partial({ value: true })),
  })
  .meta({ id: 'EnvironmentSettings' });

const webhookDestination = z
  .object({
    id: z.uuid(),
    name: z.string().nullable(),
    url: z.string(),
    is_enabled: z.boolean(),
    /** An empty list means every type. */
    types: z.array(webhookType),
    /** Integration keys. An empty list means every integration. */
    integrations: z.array(z.string()),
  })
  .meta({ id: 'WebhookDestination' });

const key = z.object({
  id: rowId,
  uuid: z.uuid(),
  display_name: z.string(),
  scopes: z.array(z.string()),
  created_at: instant,
});
/** No other response contains the secret. */
const createdKey = key.extend({ secret: z.uuid() });
const environment = z.object({ id: rowId, uuid: z.uuid(), name: z.string() });
const listedEnvironment = environment.extend({ is_production: z.boolean() });

export const variablesResponse = z.array(variable);
export const settingsResponse = dataOf(settings);
export const webhookDestinationsResponse = dataOf(z.array(webhookDestination));
export const signingKeyResponse = dataOf(z.object({ webhook_signing_key: z.string() }));
export const environmentResponse = dataOf(environment);
export const environmentsResponse = dataOf(z.array(listedEnvironment));
const listedKey = key.extend({ last_used_at: instant.nullable() });
export const keysResponse = dataOf(z.array(listedKey));
export const keyResponse = dataOf(listedKey);
export const createdKeyResponse = dataOf(createdKey);

const mcpPolicy = z.enum(['allow', 'ask', 'deny']);
const ofTool = { provider_config_key: z.string(), connection_id: z.string(), tool: z.string() };
const risk = z.enum(['read', 'write', 'delete']);

/** Tools without a policy use their `default_policy`. */
export const mcpPoliciesResponse = dataOf(
  z.object({
    tools: z.array(
      z.object({
        provider_config_key: z.string(),
        tool: z.string(),
        description: z.string(),
        risk,
        default_policy: mcpPolicy,
      }),
    ),
    /** For connections and clients that come later, too; null means every one. The first that covers a call counts. */
    rules: z.array(
      z.object({
        client: z.string().nullable(),
        provider_config_key: z.string().nullable(),
        connection_id: z.string().nullable(),
        tool: z.string(),
        policy: mcpPolicy,
        decided_at: instant,
      }),
    ),
    policies: z.array(z.object({ client: z.string(), ...ofTool, policy: mcpPolicy, decided_at: instant })),
    /** What a person answered for a program of agent sessions, or for one session; the other one is null. */
    programs: z.array(
      z.object({
        client: z.string(),
        program: z.string().nullable(),
        session_id: z.string().nullable(),
        ...ofTool,
        policy: mcpPolicy,
        decided_at: instant,
      }),
    ),
    /** Calls that wait for approval. */
    waiting: z.array(
      z.object({
        client: z.string(),
        ...ofTool,
        risk,
        /** Why it is asked even when a policy allows the tool, in sentences. */
        reasons: z.array(z.string()),
        arguments: z.record(z.string(), z.unknown()),
        /** What it would send, as a trial found it; null for a question that is not about a write. */
        preview: z.array(z.string()).nullable(),
        asked_at: instant,
        expires_at: instant,
      }),
    ),
  }),
);
/** Number of policies that were set: one per tool, connection and client; and whether later ones have it too. */
export const mcpPolicyResponse = dataOf(z.object({ changed: z.int(), holds_for_later: z.boolean() }));
