import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { UpdateSettings } from './contract.ts';
import { keys } from './keys.ts';
import { request } from './request.ts';
import { useEnv } from './use-env.ts';

export function useUpdateSettings() {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: UpdateSettings) => request('PATCH /api/v1/settings', { query: { env }, body }),
    onSuccess: (saved, { public_url }) => {
      client.setQueryData(keys.settings(env), saved);
      // The status bar shows the tunnel.
      if (public_url !== undefined) void client.invalidateQueries({ queryKey: keys.meta });
    },
  });
}
