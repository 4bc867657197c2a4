import { useIsMutating, useMutation, useQueryClient } from '@tanstack/react-query';
import { keys } from '../query-keys.ts';
import { type RequestInput, request } from '../request.ts';
import { useEnv } from '../use-env.ts';

/** Previews an import; writes nothing. */
export function usePreviewTransfer() {
  const env = useEnv();
  return useMutation({
    mutationFn: (body: RequestInput<'POST /api/v1/transfer/preview'>['body']) =>
      request('POST /api/v1/transfer/preview', { query: { env }, body }),
    gcTime: 0,
  });
}

const IMPORT = ['import-transfer'];

/** Whether an import is under way. */
export const useIsImporting = (): boolean => useIsMutating({ mutationKey: IMPORT }) > 0;

export function useImportTransfer() {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationKey: IMPORT,
    mutationFn: (body: RequestInput<'POST /api/v1/transfer/import'>['body']) =>
      request('POST /api/v1/transfer/import', { query: { env }, body }),
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: keys.environment(env) }),
        client.invalidateQueries({ queryKey: keys.providers }),
      ]),
    gcTime: 0,
  });
}

export function useSendTransfer() {
  const env = useEnv();
  return useMutation({
    mutationFn: (body: RequestInput<'POST /api/v1/transfer/send'>['body']) =>
      request('POST /api/v1/transfer/send', { query: { env }, body }),
    gcTime: 0,
  });
}

type CheckRows = RequestInput<'POST /api/v1/transfer/check-connections'>['body']['rows'];

/** Validates each row on the hub; writes nothing. */
export function useCheckConnections() {
  const env = useEnv();
  return useMutation({
    mutationFn: (rows: CheckRows) =>
      request('POST /api/v1/transfer/check-connections', { query: { env }, body: { rows } }),
    gcTime: 0,
  });
}

/** Imports one connection of a list; the caller refetches the lists after the last one. */
export function useImportRow() {
  const env = useEnv();
  const client = useQueryClient();
  return {
    send: (body: RequestInput<'POST /api/v1/connections'>['body']) =>
      request('POST /api/v1/connections', { query: { env }, body }),
    finish: () => client.invalidateQueries({ queryKey: keys.environment(env) }),
  };
}
