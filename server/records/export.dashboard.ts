import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';
import { z } from 'zod';
import { dashboardRoutes } from '../contract/dashboard/dashboard-routes.ts';
import type { DashboardParts } from '../dashboard/api/dashboard-parts.ts';
import type { Environment } from '../environments/environment.service.ts';
import { writePiece } from '../platform/http/long-answer.ts';
import type { Route } from '../platform/http/route.ts';
import { validateParams, validateQuery } from '../platform/http/validate.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import { EXPORTED_LISTS, type ExportedList, exportPath, RECORD_LIST } from './dashboard-exports.contract.ts';
import type { RecordDetail } from './dashboard-records.contract.ts';

interface ExportCall {
  environment: Environment;
  params: unknown;
  /** A search that takes long checks whether the client is still connected. */
  response: Response;
  query: { offset: number; limit: number; snapshot?: string | undefined; count?: 'exact' | undefined };
}

/** Reads one page of a list, in the form of the list's route. */
type ReadPage = (call: ExportCall) => Promise<{ data: unknown[]; total: number; snapshot: string }>;

/** Larger than a page of the table: an export does not have to show its first row early. */
const ROWS_AT_A_TIME = 1000;

/** Length of the common prefix of the paths. */
const EXPORT_AT = '/api/v1/export/'.length;

/** `GET /api/v1/export/…`: sends every row of a list as one line of JSON, read in pages of one snapshot. */
export function exportRoutes(
  { audit, environments, recordFiles }: Pick<DashboardParts, 'audit' | 'environments' | 'recordFiles'>,
  handlers: Record<ExportedList, unknown>,
): Route[] {
  return EXPORTED_LISTS.map((list) => {
    const { query: querySchema } = dashboardRoutes[list];
    const filters = (querySchema as z.ZodObject).omit({ offset: true, limit: true, snapshot: true, count: true });
    const known = (
      list === RECORD_LIST ? filters.extend({ format: z.literal('sqlite').optional() }) : filters
    ).strict();
    const { params: paramsSchema } = dashboardRoutes[list] as { params?: z.ZodType };
    const readPage = handlers[list] as ReadPage;
    return {
      method: 'get' as const,
      path: exportPath(list),
      access: 'dashboard' as const,
      handler: async ({ params, query, response }) => {
        const { format, ...filter } = validateQuery(known, query) as Record<string, unknown>;
        const environment = environments.findByName(String(filter['env']));
        if (!environment) throw new HomeportError('not_found', `There is no environment "${filter['env']}".`);
        const call = { environment, response, params: paramsSchema && validateParams(paramsSchema, params) };
        await audit.record({
          action: 'exported',
          environmentId: environment.id,
          subject: exportPath(list).slice(EXPORT_AT),
        });
        const read = (page: ExportCall['query']) => readPage({ ...call, query: { ...filter, ...page } });
        if (format === undefined) await streamRows(response, read);
        else await sendFile(response, { recordFiles, table: String(filter['model']), read });
        return undefined;
      },
    };
  });
}

async function streamRows(response: Response, readPage: PageReader): Promise<void> {
  for await (const page of pagesOf(response, readPage)) {
    // Headers are set only now, because errors in the request have been answered before.
    if (!response.headersSent) setHeaders(response, 'application/x-ndjson; charset=utf-8', page.total);
    const text = page.data.map((row) => `${JSON.stringify(row)}\n`).join('');
    await writePiece(response, text);
  }
  response.end();
}

/** The file is complete before its first byte is sent, because SQLite writes at any place of the file. */
async function sendFile(
  response: Response,
  { recordFiles, table, read }: { recordFiles: DashboardParts['recordFiles']; table: string; read: PageReader },
): Promise<void> {
  let total: number | undefined;
  const pages = async function* () {
    for await (const page of pagesOf(response, read)) {
      total ??= page.total;
      yield page.data as RecordDetail[];
    }
  };
  const file = await recordFiles.write(table, pages(), () => response.destroyed);
  if (!file) return;
  try {
    setHeaders(response, 'application/vnd.sqlite3', total ?? 0);
    await pipeline(createReadStream(file.path), response);
  } catch (error) {
    // The client disconnected during the download.
    if (!response.destroyed) throw error;
  } finally {
    await file.remove();
  }
}

type PageReader = (page: ExportCall['query']) => ReturnType<ReadPage>;

/**
 * Yields the pages of one snapshot while the client is connected. The first page comes even when it is empty, and is the
 * only one that counts all rows.
 */
async function* pagesOf(response: Response, readPage: PageReader): AsyncGenerator<Awaited<ReturnType<ReadPage>>> {
  const first = await readPage({ offset: 0, limit: ROWS_AT_A_TIME, count: 'exact' });
  const { snapshot, total } = first;
  yield first;
  for (let offset = ROWS_AT_A_TIME; offset < total && !response.destroyed; offset += ROWS_AT_A_TIME)
    yield await readPage({ offset, limit: ROWS_AT_A_TIME, snapshot });
}

function setHeaders(response: Response, contentType: string, total: number): void {
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('Content-Type', contentType);
  response.setHeader('X-Total-Count', total);
}
