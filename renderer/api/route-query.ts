import { type DataTag, queryOptions, skipToken, type UndefinedInitialDataOptions } from '@tanstack/react-query';
import type { DashboardRouteKey, DashboardRoutes } from '../../server/contract/dashboard/dashboard-routes.ts';
import { type RequestInput, type ResponseOf, request } from './request.ts';

export type ReadRoute = Extract<DashboardRouteKey, `GET ${string}`>;
export type ChangingRoute = Exclude<DashboardRouteKey, ReadRoute>;
/** Routes whose answer does not depend on an environment. */
type HubRoute<K extends DashboardRouteKey = DashboardRouteKey> = K extends K
  ? DashboardRoutes[K] extends { query: { _zod: { input: { env: string } } } }
    ? never
    : K
  : never;

type Query<K extends DashboardRouteKey> =
  RequestInput<K> extends { query: infer Q extends object } ? Omit<Q, 'env'> : object;

/** What a route takes besides the environment, which is added. */
export type RouteInput<K extends DashboardRouteKey> = Omit<RequestInput<K>, 'query'> &
  (object extends Query<K> ? { query?: Query<K> } : { query: Query<K> });

/** The filter of a list: its query without the page. */
export type ListQuery<K extends ReadRoute> = Omit<Query<K>, 'offset' | 'limit' | 'snapshot' | 'count'>;

/** Paths of the program, not of an environment; a test compares it with the contract. */
const OF_HUB =
  /^[A-Z]+ \/api\/v1\/(agent-sign-ins\/:requestId\/deny|data|diagnostics|environments(?!\/current)|meta|notifications\/update|provider|schedules|session|traffic|vault)/;

export const isOfHub = (route: DashboardRouteKey): boolean => OF_HUB.test(route);

interface Parts {
  params?: object | undefined;
  query?: object | undefined;
  body?: unknown;
}

/** The input as the request takes it. */
export const inEnvironment = <K extends DashboardRouteKey>(env: string, route: K, input: RouteInput<K>) => {
  const { query, ...others } = input as Parts;
  return (isOfHub(route) ? input : { ...others, query: { env, ...query } }) as RequestInput<K>;
};

/** The parameters that the path names; a row that is passed whole may have more members. */
export function paramsOf(route: string, params: object = {}): Record<string, string> {
  const names = [...route.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  const given = Object.entries(params).filter(([name]) => names.includes(name));
  return Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
}

/**
 * The key of what a route answers: it holds everything that the answer depends on. A key with less input stands for all
 * keys that have at least that; `as` is another name of the route, for answers that are refetched at other times.
 */
export const routeKey = (
  env: string,
  route: ReadRoute,
  { params, query }: Parts = {},
  as: string = route,
): RouteKey => [
  ...(isOfHub(route) ? (['hub'] as const) : (['environment', env] as const)),
  as,
  { params: paramsOf(route, params), query: query ?? {} },
];
type RouteKey = readonly ['hub' | 'environment', ...unknown[]];

/** The key of what every page needs; its failure shows that the session has ended. */
export const META_KEY = routeKey('', 'GET /api/v1/meta');
export const isMeta = ([, route]: readonly unknown[]): boolean => route === META_KEY[1];

/** Prefix of all keys of one environment, or of every environment. */
export const environmentKey = (env?: string) => (env === undefined ? ['environment'] : ['environment', env]);

type Options<K extends ReadRoute, Data> = UndefinedInitialDataOptions<ResponseOf<K>, Error, Data, RouteKey>;
type More<K extends ReadRoute, Data> = Omit<Options<K, Data>, 'queryKey' | 'queryFn'> & { as?: string };
type RouteQuery<K extends ReadRoute, Data> = Options<K, Data> & { queryKey: DataTag<RouteKey, ResponseOf<K>, Error> };

/** The query of one route. Without an input (undefined) no request is sent. */
export function routeQuery<K extends ReadRoute, Data = ResponseOf<K>>(
  env: string,
  route: K,
  input: RouteInput<K> | undefined,
  { as, ...more }: More<K, Data> = {},
): RouteQuery<K, Data> {
  return queryOptions({
    queryKey: routeKey(env, route, input as Parts | undefined, as),
    queryFn: input === undefined ? skipToken : ({ signal }) => request(route, inEnvironment(env, route, input), signal),
    ...more,
  });
}

/** `routeQuery` for a route of the program, which all environments share. */
export const hubQuery = <K extends ReadRoute & HubRoute, Data = ResponseOf<K>>(
  route: K,
  input: RouteInput<K> | undefined,
  more?: More<K, Data>,
): RouteQuery<K, Data> => routeQuery<K, Data>('', route, input, more);

/** Key and pages of a long list, for `usePagedRows` and `usePinnedRows`. */
export function routePages<K extends ReadRoute>(env: string, route: K, input: RouteInput<K>) {
  const read = (page: object, signal?: AbortSignal) => {
    const { query, ...others } = input as Parts;
    return request(
      route,
      inEnvironment(env, route, { ...others, query: { ...query, ...page } } as RouteInput<K>),
      signal,
    );
  };
  return [routeKey(env, route, input as Parts), read] as const;
}

/** For `select`: the rows of a list. */
export const rowsIn = <Rows>({ data }: { data: Rows }): Rows => data;

/** What a locked hub answers as well. */
const READABLE =
  /^GET \/api\/v1\/(sync|keys|pairings|integrations|connections(\/count|\/:integrationKey\/:connectionId(\/models|\/syncs.*)?)?|functions(?!.*(:versionId|\/connections)).*|integrations\/:integrationKey\/(function-.*|templates))$/;

/** Whether a locked hub answers the query as well: its data holds nothing sealed, so that forms over it may stay. */
export const answersWhenLocked = ([, , route]: readonly unknown[]): boolean => READABLE.test(String(route));
