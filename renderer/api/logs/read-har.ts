import { request } from '../request.ts';
import type { OperationQuery } from './logs-queries.ts';

/** Requests to providers of one operation, or of the operations of a filter, as the text of an HTTP Archive. */
export async function readHar(env: string, filter: OperationQuery & { operationId?: string }): Promise<Blob> {
  const { sort: _sort, ...query } = filter;
  const har = await request('GET /api/v1/logs/har', { query: { env, ...query } });
  return new Blob([JSON.stringify(har, null, 2)], { type: 'application/json' });
}
