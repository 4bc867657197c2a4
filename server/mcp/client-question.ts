import type { NewApproval } from './approvals.ts';
import type { ToolRisk } from './mcp-tool.ts';
import type { ClientQuestion } from './toolbox.ts';

/** In characters. Forms of clients are small; the window shows everything. */
const MAX_SHOWN = 8_000;

const EFFECTS: Record<ToolRisk, string> = { read: 'It reads', write: 'It writes', delete: 'It deletes' };

/** The question as text for a form of the client. Other programs choose the names in it, so they are quoted. */
export function questionFor(asked: NewApproval): ClientQuestion {
  const { change, clientName, connectionId, decisions, integrationKey, reasons, risk, tool } = asked;
  const shown = JSON.stringify(asked.arguments, null, 2);
  const hidden = shown.length - MAX_SHOWN;
  const cut =
    hidden > 0 ? `${shown.slice(0, MAX_SHOWN)}\n… ${hidden} more characters: the window of Homeport shows all.` : shown;
  const lines = [
    `Homeport: may ${quoted(clientName)} run ${quoted(tool)}?`,
    `${EFFECTS[risk]} with the connection ${quoted(connectionId)} of ${quoted(integrationKey)}.`,
    ...(change === null ? [] : [change]),
    ...reasons,
    ...(asked.preview ? [`It would send: ${asked.preview.summary.join('; ')}`] : []),
    Object.keys(asked.arguments).length === 0 ? 'Arguments: none' : `Arguments:\n${cut}`,
  ];
  return { message: lines.join('\n'), decisions };
}

function quoted(name: string): string {
  return JSON.stringify(name);
}
