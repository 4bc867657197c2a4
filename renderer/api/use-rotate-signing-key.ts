import { useMutation } from '@tanstack/react-query';
import { request } from './request.ts';
import { useEnv } from './use-env.ts';

export function useRotateSigningKey() {
  const env = useEnv();
  return useMutation({ mutationFn: () => request('POST /api/v1/settings/signing-key', { query: { env } }) });
}
