import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { ErrorCode } from '../../../contract/error-codes.ts';
import { HomeportError } from '../../../lib/homeport-error.ts';
import type { Logger } from '../../../lib/logger.ts';
import type { McpPlace, McpService, McpTool } from '../../../services/mcp/mcp-service.ts';

export interface ToolServerUse {
  mcp: McpService;
  logger: Logger;
  /** Of the program. */
  version: string;
}

/** Of JSON-RPC: invalid parameters, internal error; and one of our own for what the user does not want. */
const RPC_CODES: Partial<Record<ErrorCode, number>> = {
  not_found: -32602,
  disabled_resource: -32602,
  forbidden: -32003,
};
const RPC_INTERNAL = -32603;

/** Sent as it is. The library's own error puts its code before the message, and clients do that once more. */
class RpcError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** The protocol's side of one request: tools of one connection for one client (http-api.md 16). */
export async function createToolServer({ logger, mcp, version }: ToolServerUse, place: McpPlace): Promise<Server> {
  const [{ Server }, { CallToolRequestSchema, ListToolsRequestSchema }] = await Promise.all([
    import('@modelcontextprotocol/sdk/server/index.js'),
    import('@modelcontextprotocol/sdk/types.js'),
  ]);
  const server = new Server({ name: 'homeport', version }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: (await mcp.listTools(place)).map(describe) }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }) => {
    try {
      const output = await mcp.callTool(place, { name: params.name, arguments: params.arguments ?? {}, signal });
      return { content: [{ type: 'text', text: indent(output) }] };
    } catch (error) {
      if (!(error instanceof HomeportError)) {
        logger.error({ err: error }, 'unexpected failure of a tool');
        throw new RpcError(RPC_INTERNAL, 'Something went wrong in the hub; its log has more.');
      }
      const { code, message, payload } = error;
      throw new RpcError(RPC_CODES[code] ?? RPC_INTERNAL, message, {
        code,
        ...(payload === undefined ? {} : { payload }),
      });
    }
  });
  return server;
}

function describe({ name, description, inputSchema, risk }: McpTool) {
  const annotations = { readOnlyHint: risk === 'read', destructiveHint: risk === 'delete' };
  return {
    name,
    description,
    inputSchema,
    annotations,
  };
}

function indent(json: string): string {
  return JSON.stringify(JSON.parse(json), null, 2);
}
