import { useQueryClient } from '@tanstack/react-query';
import { keys } from './keys.ts';
import type { ConnectionRef } from './use-connection.ts';
import { useEnv } from './use-env.ts';

/** Fetches again what a sign-in of this connection may have changed, without waiting for the event that tells of it. */
export function useConnectionChanged(): (ref: ConnectionRef) => void {
  const env = useEnv();
  const client = useQueryClient();
  return ({ integrationKey, connectionId }) => {
    void client.invalidateQueries({ queryKey: keys.connection(env, integrationKey, connectionId) });
    void client.invalidateQueries({ queryKey: keys.connections(env) });
    void client.invalidateQueries({ queryKey: keys.integrations(env) });
  };
}
