import type { StoredConnection } from '../connections/connection.ts';
import { type ConnectionFinders, findNamedConnection } from '../connections/resolve-connection.api.ts';
import { empty } from '../contract/fields.ts';
import { connectionHeaders } from '../functions/actions.contract.ts';
import { PRACTICE_HEADERS } from '../functions/practice-examples.api.ts';
import { byHeaders } from '../platform/http/connection-limits.ts';
import { type Handler, type JsonReply, ok, type PublicRoute } from '../platform/http/route.ts';
import { validateBody, validateQuery } from '../platform/http/validate.ts';
import { prunedResponse, recordsResponse } from './record-responses.contract.ts';
import { type ListRecordsQuery, listRecordsQuery, pruneRecordsBody } from './records.contract.ts';
import type { RecordsService } from './records.service.ts';

export interface RecordsApiDeps extends ConnectionFinders {
  records: RecordsService;
}

/** Records that syncs have stored (http-api.md 11). */
export function recordsApi(use: RecordsApiDeps): PublicRoute[] {
  return [
    {
      method: 'get',
      path: '/records',
      isHot: true,
      access: 'key',
      scopes: ['environment:records:read'],
      limitedKeys: byHeaders,
      handler: listRecords(use),
      openapi: {
        id: 'listRecords',
        tag: 'Records',
        summary: 'List records of a sync',
        details: 'Sorted by their last change. Continue with `next_cursor`; keep the last one to read later changes.',
        headers: connectionHeaders,
        query: listRecordsQuery,
        responses: { 200: recordsResponse },
        errors: ['unknown_connection'],
        example: { path: '/records?model=Issue&limit=10', headers: PRACTICE_HEADERS },
      },
    },
    {
      method: 'patch',
      path: '/records/prune',
      access: 'key',
      scopes: ['environment:records:write'],
      limitedKeys: byHeaders,
      handler: pruneRecords(use),
      openapi: {
        id: 'pruneRecords',
        tag: 'Records',
        summary: 'Remove the contents of records up to a cursor',
        details: 'Their ids stay. Repeat while `has_more` is true.',
        headers: connectionHeaders,
        query: empty,
        body: pruneRecordsBody,
        responses: { 200: prunedResponse },
        errors: ['unknown_connection'],
        example: { headers: PRACTICE_HEADERS, body: { model: 'Issue', until_cursor: '$CURSOR' } },
      },
    },
  ];
}

function listRecords(use: RecordsApiDeps): Handler {
  return async (request) => {
    const query = validateQuery(listRecordsQuery, request.query);
    return answerRecords(use.records, await findNamedConnection(use, request), query);
  };
}

export async function answerRecords(
  records: RecordsService,
  connection: StoredConnection,
  query: ListRecordsQuery,
): Promise<JsonReply> {
  const since = query.delta ?? query.modified_after;
  const page = await records.list({
    connectionRowId: connection.id,
    model: query.model,
    variant: query.variant ?? 'base',
    limit: query.limit,
    ...(query.cursor === undefined ? {} : { cursor: query.cursor }),
    ...(since === undefined ? {} : { modifiedAfter: since }),
    ...(query.filter === undefined ? {} : { filter: query.filter }),
    ...(query.ids === undefined ? {} : { ids: query.ids }),
  });
  // The records are already JSON text; parsing them here would only cost time.
  const texts = page.records.map((record) => record.json).join(',');
  return { status: 200, text: `{"next_cursor":${JSON.stringify(page.nextCursor)},"records":[${texts}]}` };
}

function pruneRecords(use: RecordsApiDeps): Handler {
  return async (request) => {
    validateQuery(empty, request.query);
    const body = validateBody(pruneRecordsBody, request.body);
    const connection = await findNamedConnection(use, request);
    const { count, hasMore } = await use.records.prune({
      connectionRowId: connection.id,
      model: body.model,
      variant: body.variant ?? 'base',
      untilCursor: body.until_cursor,
      limit: body.limit,
    });
    return ok({ count, has_more: hasMore });
  };
}
