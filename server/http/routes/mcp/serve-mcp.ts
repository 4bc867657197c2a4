import { connectionHeaders } from '../../../contract/api/actions.ts';
import type { Handler } from '../../route.ts';
import { validateHeaders } from '../../validate.ts';
import { createToolServer, type ToolServerUse } from './tool-server.ts';

/**
 * `POST /mcp`: the streamable HTTP transport without sessions, so that every request names its connection. The library
 * writes the response; it is loaded with the first request.
 */
export function serveMcp(use: ToolServerUse): Handler {
  return async ({ http, response, body, caller }) => {
    const headers = validateHeaders(connectionHeaders, http.headers);
    const place = await use.mcp.open(caller, headers['provider-config-key'], headers['connection-id']);
    const { StreamableHTTPServerTransport } = await import('@modelcontextprotocol/sdk/server/streamableHttp.js');
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
    const server = await createToolServer(use, place);
    // A client that hangs up withdraws its call.
    response.on('close', () => {
      server.close().catch((error: unknown) => use.logger.warn({ err: error }, 'an MCP request did not end cleanly'));
    });
    await server.connect(transport as Parameters<typeof server.connect>[0]);
    await transport.handleRequest(http, response, body);
    return undefined;
  };
}

/** `GET /mcp`: there is nothing to listen to without a session. */
export const refuseMcpStream: Handler = () => ({
  status: 405,
  headers: { Allow: 'POST' },
  body: { jsonrpc: '2.0', error: { code: -32000, message: 'Method not allowed. Send a POST.' }, id: null },
});
