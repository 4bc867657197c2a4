import { useMutation, useQueryClient } from '@tanstack/react-query';
import { toApiError } from '../../lib/api-error.ts';
import type { ConnectionRef } from '../connections/connections-queries.ts';
import { IMPORT_PATH, type ImportFormat, type ImportResult } from '../contract.ts';
import { requestUrl } from '../request.ts';
import { environmentKey } from '../route-query.ts';
import { sessionHeader } from '../session-token.ts';
import { useEnv } from '../use-env.ts';
import type { StreamRef } from './records-queries.ts';

interface FileImport {
  file: File;
  format: ImportFormat;
  isDryRun: boolean;
  sendsWebhook: boolean;
}

/** Sends a file with records. The result of a file with invalid rows comes from a dry run. */
export function useImportRecords(connection: ConnectionRef, { model, variant }: StreamRef) {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ file, format, isDryRun, sendsWebhook }: FileImport): Promise<ImportResult> => {
      const query = { env, model, variant, format, dry_run: isDryRun, send_webhook: sendsWebhook };
      const response = await fetch(requestUrl(IMPORT_PATH, { params: { ...connection }, query }), {
        method: 'POST',
        headers: { 'content-type': 'application/octet-stream', ...sessionHeader() },
        credentials: 'same-origin',
        body: file,
      });
      const body: unknown = await response.json().catch(() => null);
      if (!response.ok) throw toApiError(response.status, body);
      if (!isDryRun) await client.invalidateQueries({ queryKey: environmentKey(env) });
      return body as ImportResult;
    },
  });
}
