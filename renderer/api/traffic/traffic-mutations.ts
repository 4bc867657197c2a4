import { useMutation } from '@tanstack/react-query';
import type { ChangeTraffic } from '../contract.ts';
import { useSend } from '../use-change.ts';

/** Turns the recording of traffic on or off, or changes its limit. */
export function useChangeTraffic() {
  const send = useSend();
  return useMutation({
    mutationFn: (body: ChangeTraffic) => send('PUT /api/v1/traffic-recording', { body }),
  });
}

export function useDeleteRecordings() {
  const send = useSend();
  return useMutation({
    mutationFn: () => send('DELETE /api/v1/traffic-recording', {}),
  });
}
