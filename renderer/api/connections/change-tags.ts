import { useMutation } from '@tanstack/react-query';
import { OWN_ERROR, useSend } from '../use-change.ts';
import type { ConnectionChanges } from './connections-mutations.ts';
import type { ConnectionRef } from './connections-queries.ts';

/** Adds and removes single tags of a connection; the others stay as they are stored. */
export function useChangeTags(params: ConnectionRef) {
  const send = useSend();
  return useMutation({
    meta: OWN_ERROR,
    mutationFn: (tagChange: NonNullable<ConnectionChanges['tagChange']>) =>
      send('PATCH /api/v1/connections/:integrationKey/:connectionId', { params, body: { tagChange } }),
  });
}
