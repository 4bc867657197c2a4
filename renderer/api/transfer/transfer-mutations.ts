import { useIsMutating, useMutation } from '@tanstack/react-query';
import type { RequestInput } from '../request.ts';
import { OWN_ERROR, useSend, useSendMany } from '../use-change.ts';

/** Previews an import; writes nothing. */
export function usePreviewTransfer() {
  const send = useSend();
  return useMutation({
    meta: OWN_ERROR,
    mutationFn: (body: RequestInput<'POST /api/v1/transfer/preview'>['body']) =>
      send('POST /api/v1/transfer/preview', { body }),
    gcTime: 0,
  });
}

const IMPORT = ['import-transfer'];

/** Whether an import is under way. */
export const useIsImporting = (): boolean => useIsMutating({ mutationKey: IMPORT }) > 0;

export function useImportTransfer() {
  const send = useSend();
  return useMutation({
    mutationKey: IMPORT,
    mutationFn: (body: RequestInput<'POST /api/v1/transfer/import'>['body']) =>
      send('POST /api/v1/transfer/import', { body }),
    gcTime: 0,
  });
}

export function useSendTransfer() {
  const send = useSend();
  return useMutation({
    meta: OWN_ERROR,
    mutationFn: (body: RequestInput<'POST /api/v1/transfer/send'>['body']) =>
      send('POST /api/v1/transfer/send', { body }),
    gcTime: 0,
  });
}

type CheckRows = RequestInput<'POST /api/v1/transfer/check-connections'>['body']['rows'];

/** Validates each row on the hub; writes nothing. */
export function useCheckConnections() {
  const send = useSend();
  return useMutation({
    meta: OWN_ERROR,
    mutationFn: (rows: CheckRows) => send('POST /api/v1/transfer/check-connections', { body: { rows } }),
    gcTime: 0,
  });
}

/** Imports one connection of a list; the caller refetches the lists after the last one. */
export const useImportRow = () => useSendMany('POST /api/v1/connections');
