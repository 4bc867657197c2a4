import { z } from 'zod';
import { connectionHeaders } from '../api/actions.ts';
import { rpcAnswer, rpcMessage } from '../api/mcp.ts';
import type { RouteDescription } from './route-description.ts';

const PROTOCOL_FAILURES = 'What the protocol itself refuses, as a JSON-RPC error.';

export const MCP_ROUTES = {
  'POST /mcp': {
    id: 'callMcp',
    tag: 'MCP',
    summary: 'Speak the Model Context Protocol',
    details:
      'Streamable HTTP without sessions; the `Accept` header lists `application/json` and `text/event-stream`. The tools are ' +
      'the actions of the integration that are switched on and take an object or nothing. A call that the user has not ' +
      'allowed waits for the answer, at most 55 seconds; then it is denied (-32003). Failures of actions are JSON-RPC errors.',
    access: 'key',
    scopes: ['mcp'],
    headers: connectionHeaders,
    body: z.union([rpcMessage, z.array(rpcMessage)]),
    unchecked: ['body'],
    answers: { 200: z.union([rpcAnswer, z.array(rpcAnswer)]), 202: null },
    passesOn: PROTOCOL_FAILURES,
    errors: ['unknown_connection'],
  },
  'GET /mcp': {
    id: 'listenMcp',
    tag: 'MCP',
    summary: 'Always refused',
    details:
      'There are no sessions, and so no stream to listen to. Clients that try get the 405 that the protocol asks for.',
    access: 'key',
    scopes: ['mcp'],
    answers: {},
    passesOn: PROTOCOL_FAILURES,
  },
} as const satisfies Record<string, RouteDescription>;
