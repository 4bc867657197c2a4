import { viewApproval } from '../../dashboard/approval-view.ts';
import type { DashboardParts } from '../../dashboard/dashboard-parts.ts';
import type { DashboardHandlers } from '../../dashboard/dashboard-route.ts';
import { isoDate } from '../../present/dates.ts';

type Keys =
  | 'GET /api/v1/mcp/approvals'
  | 'POST /api/v1/mcp/approvals/:approvalId'
  | 'GET /api/v1/mcp/decisions'
  | 'PUT /api/v1/mcp/decisions';

export function mcpRoutes({ mcp }: Pick<DashboardParts, 'mcp'>): DashboardHandlers<Keys> {
  return {
    'GET /api/v1/mcp/approvals': ({ environment }) => ({ data: mcp.listApprovals(environment.id).map(viewApproval) }),

    'POST /api/v1/mcp/approvals/:approvalId': async ({ environment, params, body }) => {
      await mcp.decide(environment.id, params.approvalId, body.decision);
      return { success: true };
    },

    'GET /api/v1/mcp/decisions': async ({ environment }) => {
      const decisions = await mcp.listDecisions(environment.id);
      return {
        data: decisions.map(({ apiKeyId, decidedAt, ...rest }) => ({
          ...rest,
          clientId: apiKeyId,
          decidedAt: isoDate(decidedAt),
        })),
      };
    },

    'PUT /api/v1/mcp/decisions': async ({ environment, body: { clientId, policy, ...named } }) => {
      await mcp.changeDecision(environment, { ...named, apiKeyId: clientId }, policy);
      return { success: true };
    },
  };
}
