import { type QueryClient, type UseMutationOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { isSessionLost } from '../lib/api-error.ts';
import type { Change } from './refresh-after.ts';
import { type ResponseOf, request } from './request.ts';
import { type ChangingRoute, environmentKey, inEnvironment, type RouteInput } from './route-query.ts';
import { useEnv } from './use-env.ts';

/** Reads again what a request changed; everything if the table cannot be loaded, because the program was updated. */
async function settle(client: QueryClient, env: string, change: Change): Promise<void> {
  const module = await import('./refresh-after.ts').catch(() => undefined);
  await (module
    ? module.refreshAfter(client, env, change)
    : client.invalidateQueries({ queryKey: environmentKey(env) }));
}

/** Sends a request that changes something, and reads again what it changes. */
export function useSend() {
  const env = useEnv();
  const client = useQueryClient();
  return async <K extends ChangingRoute>(
    route: K,
    input: RouteInput<K>,
    more: { onAnswer?: (answer: ResponseOf<K>) => void; gone?: Change['gone'] } = {},
  ): Promise<ResponseOf<K>> => {
    const { params } = input as { params?: object };
    const answer = await request(route, inEnvironment(env, route, input)).catch((error: Error) => {
      // What is stored now may be why it was refused. Without a session every answer is a refusal, to which screens with
      // typed text would give way.
      if (!isSessionLost(error)) void settle(client, env, { route, params });
      throw error;
    });
    more.onAnswer?.(answer);
    await settle(client, env, { route, params, gone: more.gone, answer });
    return answer;
  };
}

/** For many requests of one route: what they change is read again once, by `finish`. */
export function useSendMany<K extends ChangingRoute>(route: K) {
  const env = useEnv();
  const client = useQueryClient();
  return {
    send: (input: RouteInput<K>) => request(route, inEnvironment(env, route, input)),
    finish: () => settle(client, env, { route }),
  };
}

/** Reads again what a request that was sent elsewhere has changed. */
export function useSettle() {
  const env = useEnv();
  const client = useQueryClient();
  return (change: Change) => settle(client, env, change);
}

export type SendChange = ReturnType<typeof useSend>;

/** How the page says what came of a change. */
export interface ChangeNotice extends Record<string, unknown> {
  /** Of its success; with the way back if the answer has or is one. */
  done?: string | ((answer: never, input: never) => string | undefined);
  /** Whoever asked shows the failure, so that no notice does. */
  ownError?: true;
}

declare module '@tanstack/react-query' {
  interface Register {
    mutationMeta: ChangeNotice;
  }
}

export const OWN_ERROR: ChangeNotice = { ownError: true };

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
