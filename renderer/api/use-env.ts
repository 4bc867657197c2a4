import { useParams } from 'react-router';

/** Name of the environment in the address. */
export function useEnv(): string {
  return useParams()['env'] ?? 'dev';
}
