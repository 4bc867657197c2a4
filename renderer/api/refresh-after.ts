import type { QueryClient } from '@tanstack/react-query';
import { ANSWERS, CHANGES, refreshedKey } from './refreshes.ts';
import { type ChangingRoute, environmentKey, paramsOf, routeKey } from './route-query.ts';

/** A request that was answered, or refused. */
export interface Change {
  route: ChangingRoute;
  params?: object | undefined;
  /** Absent after a refusal. */
  answer?: object | null;
  /** Deleted objects besides that of the path. */
  gone?: { path: string; refs: readonly object[] } | undefined;
}

/** Reads again what a request changes; resolves once the queries that are shown have their answer. */
export async function refreshAfter(
  client: QueryClient,
  env: string,
  { route, params = {}, answer, gone }: Change,
): Promise<void> {
  const read = answer ? ANSWERS[route] : undefined;
  if (read) client.setQueryData(routeKey(env, read, { params }), answer);
  const [method, path = ''] = route.split(' ');
  if (answer && method === 'DELETE') forget(client, env, path, params);
  for (const ref of gone?.refs ?? []) forget(client, env, gone?.path ?? '', ref);
  const topics = CHANGES[route].filter((topic) => topic !== read);
  const keys = topics.map((topic) => refreshedKey(env, topic, { params }));
  await Promise.all(keys.map((queryKey) => client.invalidateQueries({ queryKey })));
}

/** Drops what is known of a deleted object, so that a screen that is being left does not ask for it. */
function forget(client: QueryClient, env: string, path: string, params: object): void {
  const named = Object.entries(paramsOf(path, params));
  if (named.length === 0) return;
  client.removeQueries({
    queryKey: environmentKey(env),
    predicate: ({ queryKey: [, , route, input] }) => {
      const { params: known } = input as { params: Record<string, string> };
      return `${route}/`.startsWith(`GET ${path}/`) && named.every(([name, value]) => known[name] === value);
    },
  });
}
