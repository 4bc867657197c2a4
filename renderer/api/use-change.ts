import { type QueryClient, type UseMutationOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { refreshedKey, type Topic } from './refreshes.ts';
import { type ResponseOf, request } from './request.ts';
import {
  type ChangingRoute,
  environmentKey,
  inEnvironment,
  paramsOf,
  type ReadRoute,
  type RouteInput,
  routeKey,
} from './route-query.ts';
import { useEnv } from './use-env.ts';

/** What a request of this route changes; everything if that cannot be loaded, because the program was updated. */
const changesOf = (route: ChangingRoute): Promise<{ topics: readonly Topic[]; read?: ReadRoute | undefined }> =>
  import('./changes.ts').then(
    ({ CHANGES, ANSWERS }) => ({ topics: CHANGES[route], read: ANSWERS[route] }),
    () => ({ topics: ['all'] }),
  );

function refresh(client: QueryClient, env: string, topics: readonly Topic[], params: object): Promise<unknown> {
  const keys = topics.map((topic) =>
    refreshedKey(env, topic === 'runs' || topic === 'all' || topic === 'everywhere' ? topic : [topic, { params }]),
  );
  return Promise.all(keys.map((queryKey) => client.invalidateQueries({ queryKey })));
}

/** Reads again what a request of this route changes; resolves once the queries that are shown have their answer. */
export async function refreshAfter(client: QueryClient, env: string, route: ChangingRoute, params = {}): Promise<void> {
  await refresh(client, env, (await changesOf(route)).topics, params);
}

/** Drops what is known of a deleted object, so that a screen that is being left does not ask for it. */
export function forget(client: QueryClient, env: string, path: string, params: object): void {
  const named = Object.entries(paramsOf(path, params));
  client.removeQueries({
    queryKey: environmentKey(env),
    predicate: ({ queryKey: [, , route, input] }) => {
      const { params: known } = input as { params: Record<string, string> };
      return `${route}/`.startsWith(`GET ${path}/`) && named.every(([name, value]) => known[name] === value);
    },
  });
}

/** Sends a request that changes something, and reads again what it changes. */
export function useSend() {
  const env = useEnv();
  const client = useQueryClient();
  return async <K extends ChangingRoute>(
    route: K,
    input: RouteInput<K>,
    /** Runs before anything is read again. */
    onAnswer?: (answer: ResponseOf<K>) => void,
  ): Promise<ResponseOf<K>> => {
    const { params } = input as { params?: object };
    const answer = await request(route, inEnvironment(env, route, input)).catch((error: Error) => {
      // What is stored now may be why it was refused.
      void refreshAfter(client, env, route, params);
      throw error;
    });
    const [method, path = ''] = route.split(' ');
    const { topics, read } = await changesOf(route);
    if (read) client.setQueryData(routeKey(env, read, { params }), answer);
    if (method === 'DELETE' && params) forget(client, env, path, params);
    onAnswer?.(answer);
    const others = topics.filter((topic) => topic !== read);
    await refresh(client, env, others, params ?? {});
    return answer;
  };
}

/** For many requests of one route: what they change is read again once, by `finish`. */
export function useSendMany<K extends ChangingRoute>(route: K) {
  const env = useEnv();
  const client = useQueryClient();
  return {
    send: (input: RouteInput<K>) => request(route, inEnvironment(env, route, input)),
    finish: () => refreshAfter(client, env, route),
  };
}

export type SendChange = ReturnType<typeof useSend>;

/** How the page says what came of a change. */
export interface Notice extends Record<string, unknown> {
  /** Of its success; with the way back if the answer has or is one. */
  done?: string | ((answer: never, input: never) => string | undefined);
  /** Whoever asked shows the failure, so that no notice does. */
  ownError?: true;
}

declare module '@tanstack/react-query' {
  interface Register {
    mutationMeta: Notice;
  }
}

export const OWN_ERROR: Notice = { ownError: true };

interface ChangeOptions<K extends ChangingRoute>
  extends Omit<UseMutationOptions<ResponseOf<K>, Error, ChangeInput<K>>, 'mutationFn' | 'meta'> {
  done?: string | ((answer: ResponseOf<K>, input: NonNullable<ChangeInput<K>>) => string | undefined);
  ownError?: true;
}

/** Nothing has to be passed to a route that takes nothing. */
type ChangeInput<K extends ChangingRoute> = object extends RouteInput<K> ? RouteInput<K> | undefined : RouteInput<K>;

/**
 * The mutation of one route: what it changes is read again before it ends. Then `done` is its notice; a failure is
 * one too, unless `ownError` says that it is shown elsewhere.
 */
export function useChange<K extends ChangingRoute>(route: K, { done, ownError, ...options }: ChangeOptions<K> = {}) {
  const send = useSend();
  return useMutation<ResponseOf<K>, Error, ChangeInput<K>>({
    ...options,
    meta: { ...(done && { done }), ...(ownError && { ownError }) },
    mutationFn: (input) => send(route, (input ?? {}) as RouteInput<K>),
  });
}
