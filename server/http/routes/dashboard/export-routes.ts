import { once } from 'node:events';
import type { Response } from 'express';
import type { z } from 'zod';
import { EXPORTED_LISTS, type ExportedList, exportPath } from '../../../contract/dashboard/dashboard-exports.ts';
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
  { audit, environments }: Pick<DashboardParts, 'audit' | 'environments'>,
  handlers: Record<ExportedList, unknown>,
): Route[] {
  return EXPORTED_LISTS.map((list) => {
    const { query: querySchema } = dashboardRoutes[list];
    const known = (querySchema as z.ZodObject).omit({ offset: true, limit: true, snapshot: true }).strict();
    const { params: paramsSchema } = dashboardRoutes[list] as { params?: z.ZodType };
    const readPage = handlers[list] as ReadPage;
    return {
      method: 'get' as const,
      path: exportPath(list),
      access: 'dashboard' as const,
      handler: async ({ params, query, response }) => {
        const filter = validateQuery(known, query) as Record<string, unknown>;
        const environment = environments.findByName(String(filter['env']));
        if (!environment) throw new HomeportError('not_found', `There is no environment "${filter['env']}".`);
        const call = { environment, response, params: paramsSchema && validateParams(paramsSchema, params) };
        await audit.record({
          action: 'exported',
          environmentId: environment.id,
          subject: exportPath(list).slice(EXPORT_AT),
        });
        await streamRows(response, (page) => readPage({ ...call, query: { ...filter, ...page } }));
        return undefined;
      },
    };
  });
}

async function streamRows(
  response: Response,
  readPage: (page: ExportCall['query']) => ReturnType<ReadPage>,
): Promise<void> {
  let snapshot: string | undefined;
  let offset = 0;
  while (!response.destroyed) {
    const page = await readPage({ offset, limit: ROWS_AT_A_TIME, snapshot });
    if (offset === 0) {
      // Only now: what is wrong with the request has been said by then.
      response.setHeader('Cache-Control', 'no-store');
      response.setHeader('X-Content-Type-Options', 'nosniff');
      response.setHeader('Content-Type', 'application/x-ndjson; charset=utf-8');
      response.setHeader('X-Total-Count', page.total);
    }
    snapshot = page.snapshot;
    offset += ROWS_AT_A_TIME;
    const text = page.data.map((row) => `${JSON.stringify(row)}\n`).join('');
    if (!response.write(text) && !response.destroyed) await untilRead(response);
    if (offset >= page.total) break;
  }
  response.end();
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
