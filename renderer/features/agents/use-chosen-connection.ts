import { useQuery } from '@tanstack/react-query';
import { type ConnectionRef, connectionChoicesQueryOptions } from '../../api/connections/connections-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { useUrlState } from '../../components/page/use-url-state.ts';

interface ChosenConnection {
  /** Undefined while loading, null when there is none. */
  connection: ConnectionRef | null | undefined;
  /** It is the default, and there are others. */
  isGuess: boolean;
  choose: (connection: ConnectionRef) => void;
}

/** The connection in the address, otherwise the one that was used last. */
export function useChosenConnection(): ChosenConnection {
  const url = useUrlState();
  const env = useEnv();
  const recent = useQuery(connectionChoicesQueryOptions(env, '')).data;
  const [integrationKey, connectionId] = [url.get('integration'), url.get('connection')];
  const named = integrationKey && connectionId ? { integrationKey, connectionId } : undefined;
  return {
    connection: named ?? (recent && (recent[0] ?? null)),
    isGuess: !named && recent !== undefined && recent.length > 1,
    choose: (next) => url.set({ integration: next.integrationKey, connection: next.connectionId }, { replace: true }),
  };
}
