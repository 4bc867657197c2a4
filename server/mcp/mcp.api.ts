import type { RouteDescription } from '../contract/openapi/route-description.ts';
import { connectionHeaders } from '../functions/actions.contract.ts';
import { PRACTICE_HEADERS } from '../functions/practice-examples.api.ts';
import { byHeaders } from '../platform/http/connection-limits.ts';
import type { ConnectionLimit, Handler, PublicRoute, Route } from '../platform/http/route.ts';
import { validateHeaders } from '../platform/http/validate.ts';
import type { Ids } from '../platform/lib/ids.ts';
import type { Logger } from '../platform/lib/logger.ts';
import { QUERY_SCOPE } from '../queries/queries.contract.ts';
import { rpcMessage, rpcResponse } from './mcp.contract.ts';
import type { McpService } from './mcp.service.ts';
import { McpEndpoint } from './mcp-endpoint.api.ts';

export interface McpApiDeps {
  mcp: McpService;
  logger: Logger;
  ids: Ids;
  /** Version of the program. */
  version: string;
}

/** Actions as tools of the Model Context Protocol (http-api.md 16). */
export function mcpApi(use: McpApiDeps): PublicRoute[] {
  return mcpAddress({
    route: { path: '/mcp', isHot: true, access: 'key', scopes: ['environment:mcp'], limitedKeys: 'open' },
    described: { tag: 'MCP' },
    call: {
      handler: serveMcp(use),
      limitedKeys: byHeaders,
      openapi: {
        id: 'callMcp',
        summary: 'Use the Model Context Protocol',
        details:
          'Streamable HTTP, revisions 2025-06-18, 2025-11-25 and 2026-07-28; the `Accept` header lists `application/json` and ' +
          '`text/event-stream`. The tools are the actions of the integration that are switched on and take an object or ' +
          'nothing. A call that the user has not allowed waits for the answer, at most 55 seconds; then it is denied. ' +
          'Failures of tools are results with `isError`.',
        headers: connectionHeaders,
        errors: ['unknown_connection'],
        example: {
          headers: { ...PRACTICE_HEADERS, accept: 'application/json, text/event-stream' },
          body: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
        },
      },
    },
    listen: {
      id: 'listenMcp',
      details:
        'The hub keeps no sessions, and so no stream to listen to. Clients that try get the 405 that the protocol asks for.',
    },
    end: {
      id: 'endMcp',
      details:
        'The hub keeps no sessions that a client could end. Clients that try get the 405 that the protocol asks for.',
    },
  });
}

/** `POST /mcp`: every request names its connection. */
function serveMcp(use: McpApiDeps): Handler {
  const { mcp } = use;
  const endpoint = new McpEndpoint(use);
  return async (request) => {
    const { caller, http } = request;
    const headers = validateHeaders(connectionHeaders, http.headers);
    // As with environment variables (design.md 7.62), `environment:*` does not name it.
    const canQuery = caller.scopes.includes(QUERY_SCOPE);
    const context = await mcp.open(caller, headers['provider-config-key'], headers['connection-id']);
    return await endpoint.serve(mcp.toolbox(context, { canQuery }), `key:${caller.keyId}`, request);
  };
}

type Description = Omit<RouteDescription, 'tag' | 'summary' | 'responses'>;

/** What an MCP address has of its own. */
interface McpAddress {
  route: Pick<Route, 'path' | 'isHot' | 'scopes' | 'admit'> &
    ({ access: 'key'; limitedKeys: ConnectionLimit } | { access: 'public'; limitedKeys?: never });
  /** What its three routes say alike. */
  described: Pick<RouteDescription, 'tag' | 'params' | 'errors'>;
  call: { handler: Handler; limitedKeys?: ConnectionLimit; openapi: Description & { summary: string } };
  listen: Description;
  end: Description;
}

/** The three routes of an MCP address: a POST calls; without kept sessions there is nothing to listen to, and none to end. */
export function mcpAddress({ call, described, end, listen, route }: McpAddress): PublicRoute[] {
  const shared = { ...described, passesOn: 'A request that the protocol itself refuses, as a JSON-RPC error.' };
  const refused = (method: 'get' | 'delete', openapi: Description): PublicRoute => ({
    ...route,
    method,
    handler: refuseAllButPost,
    openapi: { ...shared, summary: 'Always refused', responses: {}, ...openapi },
  });
  return [
    {
      ...route,
      ...call,
      method: 'post',
      takesBytes: true,
      openapi: {
        ...shared,
        body: rpcMessage.or(rpcMessage.array()),
        unchecked: ['body'],
        responses: { 200: rpcResponse.or(rpcResponse.array()), 202: null },
        ...call.openapi,
      },
    } as PublicRoute,
    refused('get', listen),
    refused('delete', end),
  ];
}

const refuseAllButPost: Handler = () => ({
  status: 405,
  headers: { Allow: 'POST' },
  body: { jsonrpc: '2.0', error: { code: -32000, message: 'Method not allowed. Send a POST.' }, id: null },
});
