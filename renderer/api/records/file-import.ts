import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ConnectionRef } from '../connections/connections-queries.ts';
import { IMPORT_PATH, type ImportFormat, type ImportResult } from '../contract.ts';
import { send } from '../request.ts';
import { environmentKey } from '../route-query.ts';
import { OWN_ERROR } from '../use-change.ts';
import { useEnv } from '../use-env.ts';
import type { StreamRef } from './records-queries.ts';

interface FileImport {
  file: File;
  format: ImportFormat;
  stream: StreamRef;
}

export type RecordImport = ReturnType<typeof useRecordImport>;

/** Sends a file with records of a connection: first as a trial, which stores nothing. */
export function useRecordImport(connection: ConnectionRef) {
  const env = useEnv();
  const client = useQueryClient();
  const post = async ({ file, format, stream }: FileImport, more: Record<string, boolean>): Promise<ImportResult> => {
    const query = { env, ...stream, format, ...more };
    const response = await send('POST', IMPORT_PATH, { params: { ...connection }, query, body: file });
    return (await response.json()) as ImportResult;
  };
  return {
    trial: useMutation({ meta: OWN_ERROR, mutationFn: (input: FileImport) => post(input, { dry_run: true }) }),
    run: useMutation({
      meta: OWN_ERROR,
      mutationFn: ({ sendsWebhook, ...input }: FileImport & { sendsWebhook: boolean }) =>
        post(input, { send_webhook: sendsWebhook }),
      onSettled: () => client.invalidateQueries({ queryKey: environmentKey(env) }),
    }),
  };
}
