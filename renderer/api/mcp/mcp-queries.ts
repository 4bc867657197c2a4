import { useQuery } from '@tanstack/react-query';
import type { ConnectionRef } from '../connections/connections-queries.ts';
import type { ApprovalRow } from '../contract.ts';
import { routeQuery, rowsIn } from '../route-query.ts';
import { useEnv } from '../use-env.ts';

const NONE: ApprovalRow[] = [];

/** Calls of MCP clients that wait for a response, oldest first; events keep them current. */
export const useApprovals = (): ApprovalRow[] =>
  useQuery(routeQuery(useEnv(), 'GET /api/v1/mcp/approvals', {}, { select: rowsIn })).data ?? NONE;

/** API keys that may call tools, oldest first. */
export const mcpClientsQueryOptions = (env: string) =>
  routeQuery(env, 'GET /api/v1/mcp/clients', {}, { select: rowsIn });

const CALLS_EVERY_MS = 5_000;

/** The last calls of clients, refused ones included. */
export const mcpCallsQueryOptions = (env: string) =>
  routeQuery(env, 'GET /api/v1/mcp/calls', {}, { select: rowsIn, refetchInterval: CALLS_EVERY_MS });

/** The permanent decisions, newest first. */
export const mcpDecisionsQueryOptions = (env: string) =>
  routeQuery(env, 'GET /api/v1/mcp/decisions', {}, { select: rowsIn });

/** Tools of a connection with the permission of one client for each. */
export const mcpToolsQueryOptions = (env: string, clientId: number, { integrationKey, connectionId }: ConnectionRef) =>
  routeQuery(env, 'GET /api/v1/mcp/tools', { query: { clientId, integrationKey, connectionId } }, { select: rowsIn });
