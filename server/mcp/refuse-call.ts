import type { Operation, OperationLog } from '../log/operation.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { ConsentTool, McpContext } from './mcp-context.ts';

/** The error of a refused call, which is logged as one that did not run. */
export function refuseCall(
  log: OperationLog,
  context: McpContext,
  tool: ConsentTool,
  reason: string,
  advice = 'Repeat it only when the user wants it.',
): HomeportError {
  logRefusedCall(log, context, tool.name, { text: reason, error: { message: `${reason}.`, type: 'forbidden' } });
  const orByPolicy = ` or on its page Agents, where "${tool.name}" is listed under Tools, or with: homeport mcp allow ${tool.name}`;
  return new HomeportError(
    'forbidden',
    `${reason}. Nothing was done. ${advice} People allow it in the client when it shows the question, ` +
      `in the dashboard of the hub when it asks${tool.hasPolicy === false ? '.' : orByPolicy}`,
  );
}

export const isLimitRefusal = (error: unknown): error is HomeportError =>
  error instanceof HomeportError && ['call_limit_reached', 'call_rate_reached'].includes(error.code);

/** A call that did not run. The messages name the client, as they do for calls that ran. */
export function logRefusedCall(
  log: OperationLog,
  context: McpContext,
  toolName: string,
  { error, text = error.message }: { error: { message: string; type: string }; text?: string },
): void {
  const operation = startCall(log, context, toolName);
  operation.log({ level: 'info', message: `${context.client.name}: ${text}` });
  operation.finish('cancelled', { error });
}

/** A call of a tool, in the log. */
export function startCall(
  log: OperationLog,
  { environment, client, integration, connection }: McpContext,
  toolName: string,
): Operation {
  return log.start({
    environmentId: environment.id,
    type: 'action',
    action: 'run',
    message: `Action ${toolName}`,
    integrationKey: integration.uniqueKey,
    providerName: integration.provider,
    connectionId: connection.connectionId,
    functionName: toolName,
    trigger: 'mcp',
    actor: client.name,
    ...(client.sessionId === null ? {} : { sessionId: client.sessionId }),
  });
}
