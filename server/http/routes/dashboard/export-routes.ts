import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';
import { z } from 'zod';
import {
  EXPORTED_LISTS,
  type ExportedList,
  exportPath,
  RECORD_LIST,
} from '../../../contract/dashboard/dashboard-exports.ts';
import type { RecordDetail } from '../../../contract/dashboard/dashboard-records.ts';
import { dashboardRoutes } from '../../../contract/dashboard/dashboard-routes.ts';
import { HomeportError } from '../../../lib/homeport-error.ts';
import type { Environment } from '../../../services/environment/environment-service.ts';
import type { DashboardParts } from '../../dashboard/dashboard-parts.ts';
import type { Route } from '../../route.ts';
import { validateParams, validateQuery } from '../../validate.ts';

interface ExportCall {
  environment: Environment;
  params: unknown;
  /** A list that takes long to find looks whether the reader is still there. */
  response: Response;
  query: { offset: number; limit: number; snapshot?: string | undefined };
}

/** One page of a list, as its route answers it. */
type ReadPage = (call: ExportCall) => Promise<{ data: unknown[]; total: number; snapshot: string }>;

/** More at a time than a page of the table: an export shows no first row early. */
const ROWS_AT_A_TIME = 1000;

/** Length of what all their paths begin with. */
const EXPORT_AT = '/api/v1/export/'.length;

/** `GET /api/v1/export/…`: every row of a list as one line of JSON, read and sent piece by piece inside one snapshot. */
export function exportRoutes(
  { audit, environments, recordFiles }: Pick<DashboardParts, 'audit' | 'environments' | 'recordFiles'>,
  handlers: Record<ExportedList, unknown>,
): Route[] {
  return EXPORTED_LISTS.map((list) => {
    const { query: querySchema } = dashboardRoutes[list];
    const filters = (querySchema as z.ZodObject).omit({ offset: true, limit: true, snapshot: true });
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
    // Only now: what is wrong with the request has been said by then.
    if (!response.headersSent) setHeaders(response, 'application/x-ndjson; charset=utf-8', page.total);
    const text = page.data.map((row) => `${JSON.stringify(row)}\n`).join('');
    if (!response.write(text) && !response.destroyed) await untilRead(response);
  }
  response.end();
}

/** Whole before its first byte is sent: SQLite writes everywhere in its file. */
async function sendFile(
  response: Response,
  { recordFiles, table, read }: { recordFiles: DashboardParts['recordFiles']; table: string; read: PageReader },
): Promise<void> {
  let total = 0;
  const pages = async function* () {
    for await (const page of pagesOf(response, read)) {
      total = page.total;
      yield page.data as RecordDetail[];
    }
  };
  const file = await recordFiles.write(table, pages(), () => response.destroyed);
  if (!file) return;
  try {
    setHeaders(response, 'application/vnd.sqlite3', total);
    await pipeline(createReadStream(file.path), response);
  } catch (error) {
    // The page left while it was sent.
    if (!response.destroyed) throw error;
  } finally {
    await file.remove();
  }
}

type PageReader = (page: ExportCall['query']) => ReturnType<ReadPage>;

/** Page by page inside one snapshot, as long as somebody waits for them; the first one comes even when it is empty. */
async function* pagesOf(response: Response, readPage: PageReader): AsyncGenerator<Awaited<ReturnType<ReadPage>>> {
  let snapshot: string | undefined;
  let offset = 0;
  while (!response.destroyed) {
    const page = await readPage({ offset, limit: ROWS_AT_A_TIME, snapshot });
    yield page;
    snapshot = page.snapshot;
    offset += ROWS_AT_A_TIME;
    if (offset >= page.total) return;
  }
}

function setHeaders(response: Response, contentType: string, total: number): void {
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('Content-Type', contentType);
  response.setHeader('X-Total-Count', total);
}

/** Until a reader that is slower than the list has caught up, or has gone. */
async function untilRead(response: Response): Promise<void> {
  const over = new AbortController();
  const { signal } = over;
  try {
    await Promise.race([once(response, 'drain', { signal }), once(response, 'close', { signal })]);
  } finally {
    // What it no longer listens for would be listened for until the end, once for each wait.
    over.abort();
  }
}
