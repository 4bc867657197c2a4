import { useMutation, useQueryClient } from '@tanstack/react-query';
import { keys } from '../query-keys.ts';
import { request } from '../request.ts';
import { useEnv } from '../use-env.ts';
import type { ConnectionChanges } from './connections-mutations.ts';
import type { ConnectionRef } from './connections-queries.ts';

/** Adds and removes single tags of a connection; the others stay as they are stored. */
export function useChangeTags(params: ConnectionRef) {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (tagChange: NonNullable<ConnectionChanges['tagChange']>) =>
      request('PATCH /api/v1/connections/:integrationKey/:connectionId', {
        params,
        query: { env },
        body: { tagChange },
      }),
    onSuccess: (saved) => {
      client.setQueryData(keys.connection(env, params), saved);
      return client.invalidateQueries({ queryKey: keys.connections(env) });
    },
  });
}
