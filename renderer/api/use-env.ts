import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams } from 'react-router';
import { readStored } from '../lib/stored.ts';
import { metaQueryOptions } from './hub/hub-queries.ts';

/** The environment of the address; on pages without one, the environment that was open last. */
export function useEnv(): string {
  const client = useQueryClient();
  return useParams()['env'] ?? lastEnvironment(client);
}

function lastEnvironment(client: QueryClient): string {
  const known = client.getQueryData(metaQueryOptions().queryKey)?.environments ?? [];
  const { env } = readStored('lastPlace', { env: '' });
  return (known.find(({ name }) => name === env) ?? known[0])?.name ?? 'dev';
}

/** True in an environment where destructive actions ask for a typed confirmation. */
export function useIsProduction(): boolean {
  const env = useEnv();
  return useQuery(metaQueryOptions()).data?.environments.find((one) => one.name === env)?.isProduction ?? false;
}
