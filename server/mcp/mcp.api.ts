import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { z } from 'zod';
import type { ErrorCode } from '../contract/error-codes.ts';
import { connectionHeaders } from '../functions/actions.contract.ts';
import { PRACTICE_HEADERS } from '../functions/practice-examples.api.ts';
import { byHeaders } from '../platform/http/connection-limits.ts';
import type { Handler, PublicRoute } from '../platform/http/route.ts';
import { validateHeaders } from '../platform/http/validate.ts';
import { HomeportError, UNEXPECTED_ERROR } from '../platform/lib/homeport-error.ts';
import type { Logger } from '../platform/lib/logger.ts';
import { rpcMessage, rpcResponse } from './mcp.contract.ts';
import type { McpContext, McpService, McpTool } from './mcp.service.ts';

export interface McpApiDeps {
  mcp: McpService;
  logger: Logger;
  /** Version of the program. */
  version: string;
}

const PROTOCOL_FAILURES = 'A request that the protocol itself refuses, as a JSON-RPC error.';

/** Actions as tools of the Model Context Protocol (http-api.md 16). */
export function mcpApi(use: McpApiDeps): PublicRoute[] {
  return [
    {
      method: 'post',
      path: '/mcp',
      isHot: true,
      access: 'key',
      scopes: ['environment:mcp'],
      limitedKeys: byHeaders,
      handler: serveMcp(use),
      openapi: {
        id: 'callMcp',
        tag: 'MCP',
        summary: 'Use the Model Context Protocol',
        details:
          'Streamable HTTP without sessions; the `Accept` header lists `application/json` and `text/event-stream`. The tools are ' +
          'the actions of the integration that are switched on and take an object or nothing. A call that the user has not ' +
          'allowed waits for the answer, at most 55 seconds; then it is denied (-32003). Failures of actions are JSON-RPC errors.',
        headers: connectionHeaders,
        body: z.union([rpcMessage, z.array(rpcMessage)]),
        unchecked: ['body'],
        responses: { 200: z.union([rpcResponse, z.array(rpcResponse)]), 202: null },
        passesOn: PROTOCOL_FAILURES,
        errors: ['unknown_connection'],
        example: {
          headers: { ...PRACTICE_HEADERS, accept: 'application/json, text/event-stream' },
          body: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
        },
      },
    },
    {
      method: 'get',
      path: '/mcp',
      isHot: true,
      access: 'key',
      scopes: ['environment:mcp'],
      limitedKeys: 'open',
      handler: refuseMcpStream,
      openapi: {
        id: 'listenMcp',
        tag: 'MCP',
        summary: 'Always refused',
        details:
          'There are no sessions, and so no stream to listen to. Clients that try get the 405 that the protocol asks for.',
        responses: {},
        passesOn: PROTOCOL_FAILURES,
      },
    },
  ];
}

/**
 * `POST /mcp`: the streamable HTTP transport without sessions, so every request names its connection. The MCP library
 * writes the response; it is loaded at the first request.
 */
function serveMcp(use: McpApiDeps): Handler {
  return async ({ http, response, body, caller }) => {
    const headers = validateHeaders(connectionHeaders, http.headers);
    const context = await use.mcp.open(caller, headers['provider-config-key'], headers['connection-id']);
    const { StreamableHTTPServerTransport } = await import('@modelcontextprotocol/sdk/server/streamableHttp.js');
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
    const server = await createToolServer(use, context);
    // When the client disconnects, its call is cancelled.
    response.on('close', () => {
      server.close().catch((error: unknown) => use.logger.warn({ err: error }, 'an MCP request did not end cleanly'));
    });
    await server.connect(transport as Parameters<typeof server.connect>[0]);
    await transport.handleRequest(http, response, body);
    return undefined;
  };
}

/** `GET /mcp`: refused, because without a session there are no events to stream. */
const refuseMcpStream: Handler = () => ({
  status: 405,
  headers: { Allow: 'POST' },
  body: { jsonrpc: '2.0', error: { code: -32000, message: 'Method not allowed. Send a POST.' }, id: null },
});

/** JSON-RPC codes: invalid parameters, internal error, and our own code for a call that the user denied. */
const RPC_CODES: Partial<Record<ErrorCode, number>> = {
  not_found: -32602,
  disabled_resource: -32602,
  forbidden: -32003,
};
const RPC_INTERNAL = -32603;

/** Sent unchanged. The library's own error class puts its code before the message, and clients do so once more. */
class RpcError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** Creates the MCP server of one request: the tools of one connection for one client (http-api.md 16). */
async function createToolServer({ logger, mcp, version }: McpApiDeps, context: McpContext): Promise<Server> {
  const [{ Server }, { CallToolRequestSchema, ListToolsRequestSchema }] = await Promise.all([
    import('@modelcontextprotocol/sdk/server/index.js'),
    import('@modelcontextprotocol/sdk/types.js'),
  ]);
  const server = new Server({ name: 'homeport', version }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, async () => ({
    tools: (await mcp.listTools(context)).map(describe),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }) => {
    try {
      const output = await mcp.callTool(context, { name: params.name, arguments: params.arguments ?? {}, signal });
      return { content: [{ type: 'text', text: indent(output) }] };
    } catch (error) {
      if (!(error instanceof HomeportError)) {
        logger.error({ err: error }, 'unexpected failure of a tool');
        throw new RpcError(RPC_INTERNAL, UNEXPECTED_ERROR);
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
