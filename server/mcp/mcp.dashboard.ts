import type { DashboardParts } from '../dashboard/api/dashboard-parts.ts';
import type { DashboardHandlers } from '../dashboard/api/dashboard-route.ts';
import type { KeyFacts } from '../environments/api-keys.ts';
import { grants, KEY_PRESETS, MCP_SCOPE } from '../environments/key-scopes.contract.ts';
import type { LoggedOperation } from '../log/logged-entries.ts';
import { isoDate } from '../platform/lib/dates.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type {
  ApprovalEvent,
  ApprovalRow,
  McpClientRow,
  McpDecisionRow,
  McpToolRow,
  mcpRouteShapes,
  ToolCallRow,
} from './dashboard-mcp.contract.ts';
import type { Approval, ApprovalChange, NamedProgramDecision, ToolRule } from './mcp.service.ts';

type Use = Pick<DashboardParts, 'answerLinks' | 'approvalsTargets' | 'audit' | 'environments' | 'mcp' | 'logs'>;
type TargetKeys = 'GET /api/v1/mcp/approvals-target' | 'POST /api/v1/mcp/approvals-target/test';
type ApprovalKeys = 'GET /api/v1/mcp/approvals' | 'POST /api/v1/mcp/approvals/:approvalId';
type DecisionKeys =
  | 'GET /api/v1/mcp/decisions'
  | 'PUT /api/v1/mcp/decisions'
  | 'DELETE /api/v1/mcp/decisions'
  | 'GET /api/v1/mcp/tools';
type CallKeys = 'GET /api/v1/mcp/calls';
type ClientKeys = 'GET /api/v1/mcp/clients' | 'POST /api/v1/mcp/clients' | 'DELETE /api/v1/mcp/clients/:clientId';

export function mcpRoutes(use: Use): DashboardHandlers<keyof typeof mcpRouteShapes> {
  return {
    ...targetRoutes(use),
    ...approvalRoutes(use),
    ...decisionRoutes(use),
    ...callRoutes(use),
    ...clientRoutes(use),
  };
}

function targetRoutes({ answerLinks, approvalsTargets }: Use): DashboardHandlers<TargetKeys> {
  return {
    'GET /api/v1/mcp/approvals-target': ({ environment }) => {
      const last = answerLinks.lastSentOf(environment.id);
      return {
        ...approvalsTargets.describe(environment),
        lastSent: last ? { at: isoDate(last.at), problem: last.problem } : null,
      };
    },

    'POST /api/v1/mcp/approvals-target/test': ({ environment }) => answerLinks.sendTest(environment),
  };
}

const SHOWN_CALLS = 200;

function callRoutes({ logs }: Use): DashboardHandlers<CallKeys> {
  return {
    'GET /api/v1/mcp/calls': async ({ environment }) => ({
      data: (await logs.listToolCalls(environment.id, SHOWN_CALLS)).map(viewToolCall),
    }),
  };
}

function viewToolCall(row: LoggedOperation): ToolCallRow {
  return {
    operationId: row.id,
    clientName: row.actor,
    tool: row.syncConfigName ?? row.message ?? '',
    integrationKey: row.integrationName,
    connectionId: row.connectionName,
    state: row.state,
    error: row.error?.message ?? null,
    at: isoDate(row.createdAt),
    durationMs: row.durationMs,
  };
}

function approvalRoutes({ audit, mcp }: Use): DashboardHandlers<ApprovalKeys> {
  return {
    'GET /api/v1/mcp/approvals': ({ environment }) => ({ data: mcp.listApprovals(environment.id).map(viewApproval) }),

    'POST /api/v1/mcp/approvals/:approvalId': async ({ environment, params, body }) => {
      const { decision } = body;
      const approval = await mcp.decide(environment.id, params.approvalId, decision, body.arguments);
      const { integrationKey, connectionId, tool, clientName } = approval;
      await audit.record({
        action: 'approval_answered',
        environmentId: environment.id,
        integrationKey,
        connectionId,
        subject: `${decision}: ${tool} for ${clientName}`,
      });
      return { success: true };
    },
  };
}

function decisionRoutes({ mcp }: Use): DashboardHandlers<DecisionKeys> {
  return {
    'GET /api/v1/mcp/decisions': async ({ environment: { id } }) => {
      const [ofKeys, ofPrograms] = await Promise.all([mcp.listDecisions(id), mcp.listProgramDecisions(id)]);
      const all = [...ofKeys.map((one) => ({ ...one, program: null, sessionId: null })), ...ofPrograms];
      return { data: all.toSorted((a, b) => b.decidedAt - a.decidedAt).map(viewDecision) };
    },

    'PUT /api/v1/mcp/decisions': async ({ environment, body: { clientId, policy, ...named } }) => {
      await mcp.changeDecision(environment, { ...named, apiKeyId: clientId }, policy);
      return { success: true };
    },

    'DELETE /api/v1/mcp/decisions': async ({ environment, body }) => {
      await mcp.takeBackDecision(environment, body);
      return { success: true };
    },

    'GET /api/v1/mcp/tools': async ({ environment, query: { clientId, integrationKey, connectionId } }) => {
      const rules = await mcp.listRules(environment, { apiKeyId: clientId, integrationKey, connectionId });
      return { data: rules.map(viewRule) };
    },
  };
}

function clientRoutes({ environments: { keys } }: Use): DashboardHandlers<ClientKeys> {
  return {
    'GET /api/v1/mcp/clients': async ({ environment }) => {
      const all = await keys.list(environment.id);
      return { data: all.filter(({ scopes }) => grants(scopes, MCP_SCOPE)).map(viewClient) };
    },

    'POST /api/v1/mcp/clients': async ({ environment, body }) => {
      const { id, displayName, secret } = await keys.create(environment.id, body.name, KEY_PRESETS.agent);
      return { id, name: displayName, secret };
    },

    'DELETE /api/v1/mcp/clients/:clientId': async ({ environment, params }) => {
      const key = (await keys.list(environment.id)).find(({ id }) => id === params.clientId);
      // Only keys that call nothing but tools are deleted here; a key that an app uses is deleted in the list of keys.
      if (!key || !isAgentKey(key)) throw new HomeportError('not_found', 'There is no such key.');
      await keys.revoke(environment.id, key.id);
      return { success: true };
    },
  };
}

const AGENT_SCOPES: readonly string[] = KEY_PRESETS.agent;

/** Whether a key may call tools and nothing else. */
const isAgentKey = ({ scopes }: Pick<KeyFacts, 'scopes'>): boolean =>
  scopes.includes(MCP_SCOPE) && scopes.every((scope) => AGENT_SCOPES.includes(scope));

function viewClient(key: KeyFacts): McpClientRow {
  const { id, displayName, createdAt, lastUsedAt } = key;
  return {
    id,
    name: displayName,
    isAgent: isAgentKey(key),
    createdAt: isoDate(createdAt),
    lastUsedAt: lastUsedAt === null ? null : isoDate(lastUsedAt),
  };
}

function viewDecision(decision: NamedProgramDecision & { apiKeyId?: number }): McpDecisionRow {
  const { apiKeyId = null, decidedAt, ...rest } = decision;
  return { ...rest, clientId: apiKeyId, decidedAt: isoDate(decidedAt) };
}

function viewRule({ tool, decision, effective }: ToolRule): McpToolRow {
  const { name, description, risk } = tool;
  return {
    name,
    description,
    risk,
    policy: decision?.policy ?? null,
    effective,
    decidedAt: decision ? isoDate(decision.decidedAt) : null,
  };
}

function viewApproval({
  environmentId: _environment,
  askedAt,
  decisions,
  expiresAt,
  reasons,
  ...rest
}: Approval): ApprovalRow {
  const lists = { reasons: [...reasons], decisions: [...decisions] };
  return { ...rest, ...lists, askedAt: isoDate(askedAt), expiresAt: isoDate(expiresAt) };
}

export function viewApprovalChange({ approval, end }: ApprovalChange): ApprovalEvent {
  return {
    id: approval.id,
    state: stateOf(end),
    approval: end === undefined ? viewApproval(approval) : null,
  };
}

function stateOf(end: ApprovalChange['end']): ApprovalEvent['state'] {
  if (end === undefined) return 'asked';
  if (end === 'expired' || end === 'withdrawn') return end;
  return end.startsWith('allow') ? 'allowed' : 'denied';
}
