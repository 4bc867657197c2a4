import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { ApprovalRow, ShownApprovalDecision } from '../../../server/mcp/dashboard-mcp.contract.ts';
import { waitFor } from '../../support/wait-for.ts';
import type { DashboardClient } from '../dashboard/dashboard-client.ts';
import type { Created } from './agent-fixture.ts';

export interface ToolAnswer {
  isError?: boolean;
  content: Array<{ type: string; text: string }>;
  // biome-ignore lint/suspicious/noExplicitAny: results of every shape
  structuredContent?: any;
}

export const textOf = ({ content }: ToolAnswer): string => content.map(({ text }) => text).join('\n');

/** An agent that cannot ask by itself: questions wait in the dashboard. */
export async function connectAgent(
  { mcp_url, session_token }: Pick<Created, 'mcp_url' | 'session_token'>,
  name = 'acceptance',
  more: Record<string, string> = {},
) {
  const client = new Client({ name, version: '1.2.3' });
  const headers = { ...more, authorization: `Bearer ${session_token}` };
  const transport = new StreamableHTTPClientTransport(new URL(mcp_url), { requestInit: { headers } });
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  return {
    client,
    call: async (tool: string, args: Record<string, unknown> = {}): Promise<ToolAnswer> =>
      (await client.callTool({ name: tool, arguments: args })) as unknown as ToolAnswer,
  };
}

/** The oldest question that waits. */
export async function waitForQuestion(
  dashboard: DashboardClient,
  isMeant: (question: ApprovalRow) => boolean = () => true,
): Promise<ApprovalRow> {
  let found: ApprovalRow | undefined;
  await waitFor(
    async () => {
      found = (await dashboard.call('GET /api/v1/mcp/approvals')).data.find(isMeant);
      return found !== undefined;
    },
    { what: 'a question' },
  );
  if (!found) throw new Error('No question waits.');
  return found;
}

export async function decideNext(dashboard: DashboardClient, decision: ShownApprovalDecision): Promise<void> {
  const { id } = await waitForQuestion(dashboard);
  await dashboard.call('POST /api/v1/mcp/approvals/:approvalId', { params: { approvalId: id }, body: { decision } });
}
