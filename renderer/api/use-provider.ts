import { skipToken, useQuery } from '@tanstack/react-query';
import { keys } from './keys.ts';
import { request } from './request.ts';

export function useProvider(provider: string | undefined) {
  return useQuery({
    queryKey: [...keys.providers, provider],
    queryFn:
      provider === undefined
        ? skipToken
        : ({ signal }) => request('GET /api/v1/providers/:provider', { params: { provider } }, signal),
  });
}
