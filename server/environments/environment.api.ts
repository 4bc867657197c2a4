import { empty } from '../contract/fields.ts';
import type { McpService } from '../mcp/mcp.service.ts';
import { refuseOwnApprovals, refuseOwnCollector, refuseOwnWebhooks } from '../platform/http/refuse-own-address.ts';
import { bodyMembers, bodyText, type Handler, ok, type PublicRoute } from '../platform/http/route.ts';
import { validateBody, validateQuery } from '../platform/http/validate.ts';
import { isoDate } from '../platform/lib/dates.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import { changedToken, mcpPolicyBody, settingsBody } from './environment.contract.ts';
import type { Environment, EnvironmentService } from './environment.service.ts';
import {
  mcpPoliciesResponse,
  mcpPolicyResponse,
  settingsResponse,
  signingKeyResponse,
  variablesResponse,
} from './environment-responses.contract.ts';
import { presentSecretPairs, presentSettings, readSettingsChanges } from './environment-settings.present.ts';
import { grants, MCP_SCOPE } from './key-scopes.contract.ts';

export interface EnvironmentApiDeps {
  environments: EnvironmentService;
  mcp: McpService;
  /** Origin of addresses that providers call, without a trailing slash. */
  publicBase: () => string;
  /** Origin of the dashboard for people on this computer. */
  dashboardUrl: () => string;
}

/** Settings of the caller's environment (http-api.md 12). */
export function environmentApi(use: EnvironmentApiDeps): PublicRoute[] {
  return [
    {
      method: 'get',
      path: '/environment-variables',
      access: 'key',
      scopes: ['environment:variables:read'],
      limitedKeys: { scope: 'environment:variables:read' },
      handler: listVariables(use),
      audit: { action: 'credentials' },
      openapi: {
        id: 'listEnvironmentVariables',
        tag: 'Environment',
        summary: 'List environment variables',
        query: empty,
        responses: { 200: variablesResponse },
        errors: ['invalid_body'],
      },
    },
    {
      method: 'get',
      path: '/environment/settings',
      access: 'key',
      scopes: ['environment:settings:read'],
      limitedKeys: 'refused',
      handler: getSettings(use),
      openapi: {
        id: 'getSettings',
        tag: 'Environment',
        summary: 'Get the settings of the environment',
        query: empty,
        responses: { 200: settingsResponse },
      },
    },
    {
      method: 'patch',
      path: '/environment/settings',
      access: 'key',
      scopes: ['environment:settings:write'],
      limitedKeys: 'refused',
      handler: patchSettings(use),
      audit: { action: 'settings_changed', subject: bodyMembers },
      openapi: {
        id: 'updateSettings',
        tag: 'Environment',
        summary: 'Change settings of the environment',
        details: 'Accepts any subset; returns all settings after the change.',
        query: empty,
        body: settingsBody,
        responses: { 200: settingsResponse },
        errors: ['not_found'],
        example: { body: { webhook: { primary_url: 'http://localhost:8080/webhooks' } } },
      },
    },
    {
      method: 'get',
      path: '/environment/mcp-policies',
      access: 'key',
      scopes: ['environment:settings:read'],
      limitedKeys: 'refused',
      handler: listMcpPolicies(use),
      openapi: {
        id: 'listMcpPolicies',
        tag: 'Environment',
        summary: 'List what MCP clients may do',
        details:
          'Every tool, every policy that was set, the rules for what comes later, what was decided about programs and agent sessions, and the calls that wait for a person.',
        query: empty,
        responses: { 200: mcpPoliciesResponse },
      },
    },
    {
      method: 'put',
      path: '/environment/mcp-policies',
      access: 'key',
      scopes: ['environment:settings:write'],
      limitedKeys: 'refused',
      handler: setMcpPolicy(use),
      audit: { action: 'mcp_policy_changed', subject: bodyText('tool') },
      openapi: {
        id: 'setMcpPolicy',
        tag: 'Environment',
        summary: 'Allow or refuse a tool to MCP clients',
        details:
          'Waiting calls are answered too. Without `client` for all clients, without `provider_config_key` and `connection_id` for all connections that have the tool, in both cases also for those that come later.',
        query: empty,
        body: mcpPolicyBody,
        responses: { 200: mcpPolicyResponse },
        errors: ['not_found'],
        example: { body: { tool: 'create-issue', policy: 'ask' } },
      },
    },
    {
      method: 'post',
      path: '/environment/webhook-signing-key/rotate',
      access: 'key',
      scopes: ['environment:webhook_signing_key:rotate'],
      limitedKeys: 'refused',
      handler: rotateSigningKey(use),
      audit: { action: 'signing_key_changed' },
      openapi: {
        id: 'rotateSigningKey',
        tag: 'Environment',
        summary: 'Replace the key that signs webhooks',
        details:
          'The old key stays valid for five minutes: a webhook that the app refuses is sent again, signed with the old key.',
        query: empty,
        responses: { 200: signingKeyResponse },
        errors: ['not_found', 'multiple_webhook_signing_keys'],
      },
    },
  ];
}

/** A bare array (http-api.md 12). */
function listVariables(use: EnvironmentApiDeps): Handler {
  return async (request) => {
    validateQuery(empty, request.query);
    validateBody(empty, request.body ?? {});
    const variables = await use.environments.listVariables(request.environment.id);
    return ok(variables.map(({ name, value }) => ({ name, value })));
  };
}

function getSettings(use: EnvironmentApiDeps): Handler {
  return async (request) => {
    validateQuery(empty, request.query);
    return ok({ data: await describeSettings(use, request.environment, request.caller.scopes) });
  };
}

/** Accepts any subset; returns all settings after the change. */
function patchSettings(use: EnvironmentApiDeps): Handler {
  return async (request) => {
    validateQuery(empty, request.query);
    const body = validateBody(settingsBody, request.body);
    const own = { local: use.dashboardUrl(), public: use.publicBase() };
    refuseOwnWebhooks(body, own);
    refuseOwnCollector(body, own);
    refuseOwnApprovals(body, own);
    const { variables, otlp_headers: otlpHeaders, ...rest } = body;
    const sealed = { variables, otlpHeaders, approvalsToken: changedToken(body) };
    const changed = await use.environments.change(request.environment.id, readSettingsChanges(rest), sealed);
    return ok({ data: await describeSettings(use, changed, request.caller.scopes) });
  };
}

async function describeSettings(
  { environments }: Pick<EnvironmentApiDeps, 'environments'>,
  { id, settings }: Environment,
  scopes: readonly string[],
) {
  const { approvals } = settings;
  // Whoever reads the messages can answer them, so only those who could change the address see all of it.
  const url =
    approvals.url === null || grants(scopes, 'environment:settings:write')
      ? approvals.url
      : new URL(approvals.url).origin;
  const shown = { ...settings, approvals: { ...approvals, url } };
  return presentSettings(shown, {
    variables: presentSecretPairs(await environments.listVariables(id), scopes),
    otlpHeaders: presentSecretPairs(await environments.otlpHeaders.list(id), scopes),
    hasToken: await environments.approvalsToken.exists(id),
  });
}

/** Lists every tool with its policy, and the calls that wait for approval. */
function listMcpPolicies({ mcp }: EnvironmentApiDeps): Handler {
  return async ({ environment: { id }, query }) => {
    validateQuery(empty, query);
    const [offered, decided, programs, rules] = await Promise.all([
      mcp.listOffered(id),
      mcp.listDecisions(id),
      mcp.listProgramDecisions(id),
      mcp.listStandingRules(id),
    ]);
    return ok({
      data: {
        tools: offered.map(({ integrationKey, tool: { name, description, risk }, defaultPolicy }) => ({
          provider_config_key: integrationKey,
          tool: name,
          description,
          risk,
          default_policy: defaultPolicy,
        })),
        rules: rules.map((one) => ({
          client: one.clientName ?? null,
          provider_config_key: one.integrationKey ?? null,
          connection_id: one.connectionId ?? null,
          tool: one.tool,
          policy: one.policy,
          decided_at: isoDate(one.decidedAt),
        })),
        policies: decided.map((one) => ({
          ...presentTool(one),
          policy: one.policy,
          decided_at: isoDate(one.decidedAt),
        })),
        programs: programs.map((one) => ({
          ...presentTool(one),
          program: one.program,
          session_id: one.sessionId,
          policy: one.policy,
          decided_at: isoDate(one.decidedAt),
        })),
        waiting: mcp.listApprovals(id).map((one) => ({
          ...presentTool(one),
          risk: one.risk,
          reasons: one.reasons,
          arguments: one.arguments,
          preview: one.preview?.summary ?? null,
          asked_at: isoDate(one.askedAt),
          expires_at: isoDate(one.expiresAt),
        })),
      },
    });
  };
}

/** Sets one policy for all clients and connections that the body selects. */
function setMcpPolicy(use: EnvironmentApiDeps): Handler {
  return async ({ environment, query, body }) => {
    validateQuery(empty, query);
    const { client, connection_id, policy, provider_config_key, tool } = validateBody(mcpPolicyBody, body);
    const keys = (await use.environments.keys.list(environment.id)).filter(
      ({ displayName, scopes }) => grants(scopes, MCP_SCOPE) && (client === undefined || displayName === client),
    );
    if (keys.length === 0 && client !== undefined)
      throw new HomeportError('not_found', `There is no MCP client "${client}".`);
    const selection = {
      apiKeyIds: keys.map(({ id }) => id),
      apiKeyId: client === undefined ? undefined : keys[0]?.id,
      tool,
      integrationKey: provider_config_key,
      connectionId: connection_id,
    };
    const { changed, holdsForLater } = await use.mcp.changePolicies(environment, selection, policy);
    return ok({ data: { changed, holds_for_later: holdsForLater } });
  };
}

function presentTool(one: { clientName: string; integrationKey: string; connectionId: string; tool: string }) {
  const { clientName, connectionId, integrationKey, tool } = one;
  return { client: clientName, provider_config_key: integrationKey, connection_id: connectionId, tool };
}

function rotateSigningKey(use: EnvironmentApiDeps): Handler {
  return async (request) => {
    validateQuery(empty, request.query);
    validateBody(empty, request.body ?? {});
    return ok({ data: { webhook_signing_key: await use.environments.signingKeys.rotate(request.environment.id) } });
  };
}
