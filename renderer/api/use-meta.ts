import { useQuery } from '@tanstack/react-query';
import { keys } from './keys.ts';
import { request } from './request.ts';

export function useMeta() {
  return useQuery({ queryKey: keys.meta, queryFn: ({ signal }) => request('GET /api/v1/meta', {}, signal) });
}
