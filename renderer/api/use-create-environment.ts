import { useMutation, useQueryClient } from '@tanstack/react-query';
import { keys } from './keys.ts';
import { request } from './request.ts';

export function useCreateEnvironment() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (name: string) => request('POST /api/v1/environments', { body: { name } }),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.meta }),
  });
}
