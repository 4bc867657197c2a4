import { useEnv } from './use-env.ts';
import { useMeta } from './use-meta.ts';

/** True in an environment where destructive work asks for a typed confirmation. */
export function useIsProduction(): boolean {
  const env = useEnv();
  return useMeta().data?.environments.find((one) => one.name === env)?.isProduction ?? false;
}
