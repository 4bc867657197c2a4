import { useMutation } from '@tanstack/react-query';
import type { ConnectSessionBody } from './contract.ts';
import { request } from './request.ts';
import { useEnv } from './use-env.ts';

/** Begins a sign-in on the connect page. */
export function useConnectSession() {
  const env = useEnv();
  return useMutation({
    mutationFn: (body: ConnectSessionBody) => request('POST /api/v1/connect-sessions', { query: { env }, body }),
  });
}
