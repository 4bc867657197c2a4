import { useMutation } from '@tanstack/react-query';
import type { RevealTarget } from './contract.ts';
import { request } from './request.ts';
import { useEnv } from './use-env.ts';

/** The value of one secret; never cached. */
export function useReveal() {
  const env = useEnv();
  return useMutation({
    mutationFn: async (body: RevealTarget) => (await request('POST /api/v1/reveal', { query: { env }, body })).value,
    gcTime: 0,
  });
}
