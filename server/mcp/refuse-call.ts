import type { OperationLog } from '../log/operation.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { ConsentTool, McpContext } from './mcp-context.ts';

/** The error of a refused call, which is logged as one that did not run. */
export function refuseCall(
  log: OperationLog,
  { environment, client, integration, connection }: McpContext,
  tool: ConsentTool,
  reason: string,
  advice = 'Repeat it only when the user wants it.',
): HomeportError {
  const operation = log.start({
    environmentId: environment.id,
    type: 'action',
    action: 'run',
    message: `Action ${tool.name}`,
    integrationKey: integration.uniqueKey,
    providerName: integration.provider,
    connectionId: connection.connectionId,
    functionName: tool.name,
    trigger: 'mcp',
    actor: client.name,
    ...(client.sessionId === null ? {} : { sessionId: client.sessionId }),
  });
  // The messages name the client, as they do for calls that ran.
  operation.log({ level: 'info', message: `${client.name}: ${reason}` });
  operation.finish('cancelled', { error: { message: `${reason}.`, type: 'forbidden' } });
  return new HomeportError(
    'forbidden',
    `${reason}. Nothing was done. ${advice} People allow it in the client when it shows the question, ` +
      `in the dashboard of the hub when it asks or on its page Agents, where "${tool.name}" is listed under Tools, ` +
      `or with: homeport mcp allow ${tool.name}`,
  );
}
