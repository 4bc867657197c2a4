import { useQuery } from '@tanstack/react-query';
import { useParams } from 'react-router';
import { metaQueryOptions } from './hub/hub-queries.ts';

/** Name of the environment in the address. */
export function useEnv(): string {
  return useParams()['env'] ?? 'dev';
}

/** True in an environment where destructive work asks for a typed confirmation. */
export function useIsProduction(): boolean {
  const env = useEnv();
  return useQuery(metaQueryOptions()).data?.environments.find((one) => one.name === env)?.isProduction ?? false;
}
