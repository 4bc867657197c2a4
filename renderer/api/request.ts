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

/** Sends a request to any address of the dashboard's API; throws unless it succeeded. A body that is a file goes as it is. */
export async function send(
  method: string,
  path: string,
  { body, ...parts }: Parts,
  signal?: AbortSignal,
): Promise<Response> {
  const isFile = body instanceof Blob;
  const headers: Record<string, string> = { accept: 'application/json', ...sessionHeader() };
  if (body !== undefined) headers['content-type'] = isFile ? 'application/octet-stream' : 'application/json';
  const response = await fetch(requestUrl(path, parts), {
    method,
    headers,
    credentials: 'same-origin',
    ...(body === undefined ? {} : { body: isFile ? body : JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
  }).catch(async (error: unknown) => {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    if (isFile && !(await isReadable(body)))
      throw new ApiError('unexpected', 'The file was changed or removed. Choose it again.', 0);
    throw new ApiError('unreachable', 'Homeport does not answer. It may be restarting.', 0);
  });
  if (!response.ok) throw toApiError(response.status, await response.json().catch(() => null));
  return response;
}

/** A browser refuses to read a file that changed after it was chosen. */
const isReadable = (file: Blob): Promise<boolean> =>
  file
    .slice(0, 1)
    .arrayBuffer()
    .then(
      () => true,
      () => false,
    );

/** Sends a request to one route of the table, for example `request('GET /api/v1/meta', {})`. */
export async function request<K extends DashboardRouteKey>(
  route: K,
  input: RequestInput<K>,
  signal?: AbortSignal,
): Promise<ResponseOf<K>> {
  const [method = 'GET', path = ''] = route.split(' ');
  const response = await send(method, path, input as Parts, signal);
  return (await response.json().catch(() => null)) as ResponseOf<K>;
}
