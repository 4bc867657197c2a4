import { useMutation, useQueryClient } from '@tanstack/react-query';
import { bytesOf } from '../../lib/base64.ts';
import { keys } from '../query-keys.ts';
import { type RequestInput, request } from '../request.ts';
import { useEnv } from '../use-env.ts';

type ExportBody = RequestInput<'POST /api/v1/transfer/export'>['body'];

interface ExportOrder extends ExportBody {
  format: 'zip' | 'json';
}

/** The environment, or what is selected of it, as a file. Never cached: it may hold secrets. */
export function useExportFile() {
  const env = useEnv();
  return useMutation({
    mutationFn: async ({ format, ...body }: ExportOrder): Promise<Blob> => {
      if (format === 'zip') {
        const { archive } = await request('POST /api/v1/transfer/archive', { query: { env }, body });
        return new Blob([bytesOf(archive)], { type: 'application/zip' });
      }
      const { file } = await request('POST /api/v1/transfer/export', { query: { env }, body });
      return new Blob([`${JSON.stringify(file, null, 2)}\n`], { type: 'application/json' });
    },
    gcTime: 0,
  });
}

/** What an import would do. */
export function usePreviewTransfer() {
  const env = useEnv();
  return useMutation({
    mutationFn: (body: RequestInput<'POST /api/v1/transfer/preview'>['body']) =>
      request('POST /api/v1/transfer/preview', { query: { env }, body }),
    gcTime: 0,
  });
}

export function useImportTransfer() {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
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

/** What the hub would say to each row; nothing is written. */
export function useCheckConnections() {
  const env = useEnv();
  return useMutation({
    mutationFn: (rows: CheckRows) =>
      request('POST /api/v1/transfer/check-connections', { query: { env }, body: { rows } }),
    gcTime: 0,
  });
}

/** One connection of a list; the caller fetches the lists again after the last one. */
export function useImportRow() {
  const env = useEnv();
  const client = useQueryClient();
  return {
    send: (body: RequestInput<'POST /api/v1/connections'>['body']) =>
      request('POST /api/v1/connections', { query: { env }, body }),
    finish: () => client.invalidateQueries({ queryKey: keys.environment(env) }),
  };
}
