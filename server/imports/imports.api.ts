import type { z } from 'zod';
import type { StoredConnection } from '../connections/connection.ts';
import { type ConnectionFinders, findNamedConnection } from '../connections/resolve-connection.api.ts';
import type { Environment } from '../environments/environment.service.ts';
import { connectionHeaders } from '../functions/actions.contract.ts';
import { PRACTICE_HEADERS } from '../functions/practice-examples.api.ts';
import { saveRequestBody } from '../platform/http/body-reader.ts';
import { byHeaders } from '../platform/http/connection-limits.ts';
import { type ApiRequest, ok, type PublicRoute } from '../platform/http/route.ts';
import { validateQuery } from '../platform/http/validate.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import { type ImportFormat, type ImportResult, importRecordsQuery, importResult } from './imports.contract.ts';
import type { ImportsService } from './imports.service.ts';

export interface ImportsApiDeps extends ConnectionFinders {
  imports: ImportsService;
}

const MAX_FILE_BYTES = 2 * 1024 * 1024 * 1024;

const FORMATS: Array<[contentType: string, ImportFormat]> = [
  ['application/x-ndjson', 'ndjson'],
  ['application/ndjson', 'ndjson'],
  ['application/jsonl', 'ndjson'],
  ['text/csv', 'csv'],
  ['application/vnd.apache.parquet', 'parquet'],
  ['application/json', 'json'],
];

/** Records from files (http-api.md 11.5). */
export function importsApi(use: ImportsApiDeps): PublicRoute[] {
  return [
    {
      method: 'post',
      path: '/records/import',
      access: 'key',
      scopes: ['environment:records:write'],
      limitedKeys: byHeaders,
      takesStream: true,
      handler: async (request) => {
        const query = validateQuery(importRecordsQuery, request.query);
        const connection = await findNamedConnection(use, request);
        return ok(
          await importFromBody(use.imports, request, {
            ...query,
            connection,
            environment: request.environment,
            trigger: 'api',
          }),
        );
      },
      audit: {
        action: 'imported',
        concerns: ({ query }) => (query as Record<string, unknown>)['dry_run'] !== 'true',
        subject: ({ query }) => `records of ${String((query as Record<string, unknown>)['model'])}`,
      },
      openapi: {
        id: 'importRecords',
        tag: 'Records',
        summary: 'Import records from a file',
        details:
          'The body is the file: NDJSON, CSV, Parquet or JSON, by its content type or `format`. With `dry_run=true` nothing is stored, and the answer says what an import would do. One row that cannot be imported keeps the whole file out.',
        headers: connectionHeaders,
        query: importRecordsQuery,
        unchecked: ['body'],
        responses: { 200: importResult },
        errors: ['unknown_connection', 'invalid_import', 'import_interrupted', 'request_too_large', 'request_timeout'],
        example: {
          path: '/records/import?model=Issue&dry_run=true',
          headers: PRACTICE_HEADERS,
          body: [{ id: 'example', title: 'From a file' }],
        },
      },
    },
  ];
}

interface BodyImport extends Omit<z.output<typeof importRecordsQuery>, 'env'> {
  environment: Environment;
  connection: StoredConnection;
  trigger: 'api' | 'ui';
}

/** Takes the file from the body of a request, and imports it. */
export async function importFromBody(
  imports: ImportsService,
  { http, response }: Pick<ApiRequest, 'http' | 'response'>,
  { model, variant, dry_run, send_webhook, from_connection, keep_existing, format, ...call }: BodyImport,
): Promise<ImportResult> {
  const chosen = format ?? formatOf(http.headers['content-type']);
  const file = await imports.newFile();
  try {
    await saveRequestBody(http, response, file.path, { limitBytes: MAX_FILE_BYTES });
    return await imports.run({
      ...call,
      path: file.path,
      format: chosen,
      model,
      variant: variant ?? 'base',
      isDryRun: dry_run ?? false,
      sendsWebhook: send_webhook ?? false,
      fromConnection: from_connection,
      keepsExisting: keep_existing ?? false,
    });
  } finally {
    await file.remove();
  }
}

function formatOf(contentType: string | undefined): ImportFormat {
  const type = contentType?.toLowerCase().split(';')[0]?.trim();
  const found = FORMATS.find(([known]) => known === type)?.[1];
  if (found) return found;
  throw new HomeportError(
    'invalid_content_type',
    `Say what the body is: format=ndjson, csv, parquet or json, or one of these content types: ${FORMATS.map(([known]) => known).join(', ')}.`,
  );
}
