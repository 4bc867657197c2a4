import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ChangeTraffic } from '../contract.ts';
import { keys } from '../query-keys.ts';
import { request } from '../request.ts';

/** Turns the recording of traffic on or off, or changes its limit. */
export function useChangeTraffic() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: ChangeTraffic) => request('PUT /api/v1/traffic-recording', { body }),
    onSuccess: (state) => client.setQueryData(keys.traffic, state),
  });
}

export function useDeleteRecordings() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => request('DELETE /api/v1/traffic-recording', {}),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.traffic }),
  });
}
