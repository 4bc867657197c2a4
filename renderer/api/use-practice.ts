import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { paths } from '../lib/paths.ts';
import { request } from './request.ts';
import { useEnv } from './use-env.ts';

/** Sets up the practice provider with one connection and goes there. */
export function usePractice({ onError }: { onError: (error: unknown) => void }) {
  const env = useEnv();
  const client = useQueryClient();
  const navigate = useNavigate();
  const practice = useMutation({
    mutationFn: () => request('POST /api/v1/practice', { query: { env } }),
    onSuccess: () => client.invalidateQueries({ queryKey: [env] }),
  });
  // Not by the callbacks of `mutate`: the empty state that asks goes away as soon as its list has a row.
  const start = async (): Promise<void> => {
    try {
      await navigate(paths.connection(env, await practice.mutateAsync()));
    } catch (error) {
      onError(error);
    }
  };
  return { start: () => void start(), isPending: practice.isPending };
}
