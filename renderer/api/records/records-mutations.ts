import { useMutation } from '@tanstack/react-query';
import type { ConnectionRef } from '../connections/connections-queries.ts';
import type { UpdateHistoryBody } from '../contract.ts';
import { OWN_ERROR, useSend } from '../use-change.ts';

export function useSwitchHistory({ integrationKey }: ConnectionRef, name: string) {
  const send = useSend();
  return useMutation({
    meta: OWN_ERROR,
    mutationFn: (body: UpdateHistoryBody) =>
      send('PUT /api/v1/functions/:integrationKey/sync/:name/history', { params: { integrationKey, name }, body }),
  });
}
