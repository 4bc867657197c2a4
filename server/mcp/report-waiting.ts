import type { Logger } from '../platform/lib/logger.ts';
import { APPROVAL_TIMEOUT_MS, type Approval } from './approvals.ts';

/** For the terminal of a hub without a window: who asks for what, and the command that answers. */
export function reportWaiting(
  logger: Logger,
  { clientName, integrationKey, connectionId, preview, reasons, sessionId, tool, risk }: Approval,
): void {
  const names = [
    // The command knows clients by their API keys, and the program of an agent session has none.
    ...(sessionId === null ? [['--client', clientName]] : []),
    ['--integration', integrationKey],
    ['--connection', connectionId],
  ];
  const options = names.map(([option, name]) => `${option} ${quote(name ?? '')}`).join(' ');
  const why = reasons.length === 0 ? '' : ` (${reasons.join(' ')})`;
  logger.warn(
    {
      client: clientName,
      integration: integrationKey,
      connection: connectionId,
      tool,
      risk,
      ...(preview ? { preview: preview.summary } : {}),
    },
    `an MCP client waits ${APPROVAL_TIMEOUT_MS / 1000} s for permission${why}; answer in the dashboard, or with: homeport mcp allow ${tool} ${options} (deny instead of allow refuses it${sessionId === null ? '' : '; both hold for every client of this connection'})`,
  );
}

/** A name as one word for a shell, because other programs choose the names of clients and connections. */
function quote(name: string): string {
  const printable = name.replace(/\p{Cc}/gu, ' ');
  return /^[\w.@-]+$/.test(printable) ? printable : `'${printable.replaceAll("'", `'\\''`)}'`;
}
