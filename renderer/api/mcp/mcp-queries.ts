import { queryOptions, useQuery } from '@tanstack/react-query';
import type { ConnectionRef } from '../connections/connections-queries.ts';
import type { ApprovalRow } from '../contract.ts';
import { keys } from '../query-keys.ts';
import { request } from '../request.ts';
import { useEnv } from '../use-env.ts';

const NONE: ApprovalRow[] = [];

/** Calls of MCP clients that wait for a response, oldest first; events keep them current. */
export function useApprovals(): ApprovalRow[] {
  const env = useEnv();
  const { data } = useQuery({
    queryKey: keys.approvals(env),
    queryFn: ({ signal }) => request('GET /api/v1/mcp/approvals', { query: { env } }, signal),
    select: (response) => response.data,
  });
  return data ?? NONE;
}

/** API keys that may call tools, oldest first. */
export const mcpClientsQueryOptions = (env: string) =>
  queryOptions({
    queryKey: keys.mcpClients(env),
    queryFn: ({ signal }) => request('GET /api/v1/mcp/clients', { query: { env } }, signal),
    select: (response) => response.data,
  });

/** The last calls of clients, refused ones included. */
export const mcpCallsQueryOptions = (env: string) =>
  queryOptions({
    queryKey: keys.mcpCalls(env),
    queryFn: ({ signal }) => request('GET /api/v1/mcp/calls', { query: { env } }, signal),
    select: (response) => response.data,
    refetchInterval: CALLS_EVERY_MS,
  });

const CALLS_EVERY_MS = 5_000;

/** The permanent decisions, newest first. */
export const mcpDecisionsQueryOptions = (env: string) =>
  queryOptions({
    queryKey: keys.mcpDecisions(env),
    queryFn: ({ signal }) => request('GET /api/v1/mcp/decisions', { query: { env } }, signal),
    select: (response) => response.data,
  });

/** Tools of a connection with the permission of one client for each. */
export const mcpToolsQueryOptions = (env: string, clientId: number, { integrationKey, connectionId }: ConnectionRef) =>
  queryOptions({
    queryKey: keys.mcpToolList(env, { clientId, integrationKey, connectionId }),
    queryFn: ({ signal }) =>
      request('GET /api/v1/mcp/tools', { query: { env, clientId, integrationKey, connectionId } }, signal),
    select: (response) => response.data,
  });
