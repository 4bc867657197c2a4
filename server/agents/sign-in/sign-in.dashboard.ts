import type { DashboardParts } from '../../dashboard/api/dashboard-parts.ts';
import type { DashboardHandlers } from '../../dashboard/api/dashboard-route.ts';
import type { Environment } from '../../environments/environment.service.ts';
import { isoDate } from '../../platform/lib/dates.ts';
import type { AgentGrant, AgentOffer } from './dashboard-sign-in.contract.ts';

type Use = Pick<DashboardParts, 'agentSessions' | 'agentSignIn' | 'connections' | 'integrations' | 'mcp'>;
/** More than a person chooses from. */
const MAX_CONNECTIONS = 1000;

type Keys =
  | 'GET /api/v1/agents/offers'
  | 'GET /api/v1/agent-sign-ins/:requestId'
  | 'POST /api/v1/agent-sign-ins/:requestId/approve'
  | 'POST /api/v1/agent-sign-ins/:requestId/deny';

export function agentSignInRoutes(use: Use): DashboardHandlers<Keys> {
  const { agentSessions, agentSignIn } = use;
  return {
    'GET /api/v1/agent-sign-ins/:requestId': async ({ environment, params }) => {
      const { clientName, expiresAt, isPublic, redirectName } = agentSignIn.get(params.requestId);
      const integrations = await offeredIn(use, environment);
      return { clientName, redirectName, isPublic, expiresAt: isoDate(expiresAt), integrations };
    },

    'GET /api/v1/agents/offers': async ({ environment }) => ({ data: await offeredIn(use, environment) }),

    'POST /api/v1/agent-sign-ins/:requestId/approve': async ({ body, environment, params }) => {
      const redirectUrl = await agentSignIn.approve(params.requestId, ({ clientName }) =>
        agentSessions.create(
          { environment, madeBy: 'program', keyId: null, allowed: null, name: clientName },
          grantedSession(body),
        ),
      );
      return { redirectUrl };
    },

    'POST /api/v1/agent-sign-ins/:requestId/deny': ({ params }) => ({
      redirectUrl: agentSignIn.deny(params.requestId),
    }),
  };
}

export function grantedSession({ canQueryRecords = false, connections, expiresIn }: AgentGrant) {
  return {
    tenant: {
      connections: {
        pinned: connections.map(({ connectionId, integrationKey }) => ({
          integration_id: integrationKey,
          connection_id: connectionId,
        })),
      },
    },
    toolset: Object.fromEntries(
      connections.map(({ integrationKey, tools }) => [
        integrationKey,
        tools === null ? ('*' as const) : { allow: { tools } },
      ]),
    ),
    meta_tools: { homeport_query_records: canQueryRecords },
    expires_in: expiresIn,
  };
}

/** Integrations with connections: others have nothing to give. */
async function offeredIn({ connections, integrations, mcp }: Use, environment: Environment): Promise<AgentOffer[]> {
  const [all, held, offered] = await Promise.all([
    integrations.list(environment.id),
    connections.list({ environmentId: environment.id, limit: MAX_CONNECTIONS, offset: 0 }),
    mcp.listOffered(environment.id),
  ]);
  const heldBy = Map.groupBy(held, ({ integrationId }) => integrationId);
  const offeredBy = Map.groupBy(offered, ({ integrationKey }) => integrationKey);
  return all.flatMap(({ displayName, id, provider, uniqueKey }) => {
    const own = heldBy.get(id);
    if (!own) return [];
    return {
      integrationKey: uniqueKey,
      displayName: displayName ?? uniqueKey,
      provider,
      connections: own.map(({ connectionId, endUser }) => ({
        connectionId,
        displayName: endUser?.displayName ?? endUser?.email ?? null,
      })),
      tools: (offeredBy.get(uniqueKey) ?? []).map(({ tool }) => ({
        name: tool.name,
        description: tool.description,
        risk: tool.risk,
      })),
    };
  });
}
