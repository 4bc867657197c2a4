import { mcpAddress } from '../mcp/mcp.api.ts';
import { McpEndpoint } from '../mcp/mcp-endpoint.api.ts';
import type { PublicRoute } from '../platform/http/route.ts';
import type { Ids } from '../platform/lib/ids.ts';
import type { Logger } from '../platform/lib/logger.ts';
import type { BuildToolsService } from './build-tools.service.ts';

export interface BuildEndpointDeps {
  buildTools: BuildToolsService;
  logger: Logger;
  ids: Ids;
  /** Version of the program. */
  version: string;
}

/** The MCP address at which an agent builds functions (agents.md 13). */
export function buildEndpointApi(use: BuildEndpointDeps): PublicRoute[] {
  const endpoint = new McpEndpoint(use);
  return mcpAddress({
    // Code of an agent concerns the whole environment, so a limited key is refused.
    route: { path: '/mcp/manage', access: 'key', scopes: ['environment:manage_mcp'], limitedKeys: 'refused' },
    described: { tag: 'MCP' },
    call: {
      handler: async (request) => {
        const { caller } = request;
        use.buildTools.requireSwitchedOn(caller.environment.id);
        return endpoint.serve(use.buildTools.toolbox(caller), `build:${caller.keyId}`, request);
      },
      openapi: {
        id: 'callBuildMcp',
        summary: 'Build functions over the Model Context Protocol',
        details:
          'Streamable HTTP as at `/mcp`, with a key of the scope `environment:manage_mcp`; 403 until a person sets ' +
          '`agents_may_build`. An agent writes a draft, compiles it, runs it dry with a connection, records, replays, and ' +
          'asks for the deploy, which a person answers each time.',
        example: {
          headers: { accept: 'application/json, text/event-stream' },
          body: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
        },
      },
    },
    listen: {
      id: 'listenBuildMcp',
      details: 'There is no stream to listen to. Clients that try get the 405 that the protocol asks for.',
    },
    end: { id: 'endBuildMcp', details: 'The hub keeps no sessions that a client could end.' },
  });
}
