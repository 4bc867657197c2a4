import type { z } from 'zod';
import type { DashboardRouteKey, DashboardRoutes } from '../../server/contract/dashboard/dashboard-routes.ts';
import { ApiError, toApiError } from '../lib/api-error.ts';
import { sessionHeader } from './session-token.ts';

type Part<K extends DashboardRouteKey, Name extends string> =
  DashboardRoutes[K] extends Record<Name, infer S extends z.ZodType>
    ? { [P in Name]: z.input<S> }
    : { [P in Name]?: never };

/** The sort order of a list comes from the address as any text; the server validates it. */
type QueryPart<K extends DashboardRouteKey> =
  Part<K, 'query'> extends { query: infer Q extends object }
    ? { query: { [Name in keyof Q]: Name extends 'sort' ? string | undefined : Q[Name] } }
    : Part<K, 'query'>;

/** The input of a route: `params` of the path, `query` and `body`, typed by its schemas. */
export type RequestInput<K extends DashboardRouteKey> = Part<K, 'params'> & QueryPart<K> & Part<K, 'body'>;
export type ResponseOf<K extends DashboardRouteKey> = z.infer<DashboardRoutes[K]['response']>;

interface Parts {
  params?: Record<string, unknown> | undefined;
  query?: Record<string, unknown> | undefined;
  body?: unknown;
}

/** `/a/:id` with encoded parameters, and the query without empty members. */
export function requestUrl(path: string, { params, query }: Pick<Parts, 'params' | 'query'>): string {
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(params?.[name] ?? '')));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined && value !== '') search.set(name, String(value));
  }
  return search.size > 0 ? `${filled}?${search}` : filled;
}

async function send(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new ApiError('unreachable', 'Homeport does not answer. It may be restarting.', 0);
  }
}

/** Sends a request to one route of the table, for example `request('GET /api/v1/meta', {})`. */
export async function request<K extends DashboardRouteKey>(
  route: K,
  input: RequestInput<K>,
  signal?: AbortSignal,
): Promise<ResponseOf<K>> {
  const [method = 'GET', path = ''] = route.split(' ');
  const parts = input as Parts;
  const headers: Record<string, string> = { accept: 'application/json', ...sessionHeader() };
  if (parts.body !== undefined) headers['content-type'] = 'application/json';
  const response = await send(requestUrl(path, parts), {
    method,
    headers,
    credentials: 'same-origin',
    ...(parts.body === undefined ? {} : { body: JSON.stringify(parts.body) }),
    ...(signal ? { signal } : {}),
  });
  const body: unknown = await response.json().catch(() => null);
  if (!response.ok) throw toApiError(response.status, body);
  return body as ResponseOf<K>;
}
