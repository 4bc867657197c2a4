import { type ListRecordsQuery, listRecordsQuery } from '../../../contract/api/records.ts';
import type { Connection } from '../../../services/connections/connection.ts';
import type { RecordsService } from '../../../services/records/records-service.ts';
import type { Handler, JsonReply } from '../../route.ts';
import { validateQuery } from '../../validate.ts';
import { type ConnectionFinders, findNamedConnection } from './find-named-connection.ts';

export function listRecords(use: ConnectionFinders & { records: RecordsService }): Handler {
  return async (request) => {
    const query = validateQuery(listRecordsQuery, request.query);
    return answerRecords(use.records, await findNamedConnection(use, request), query);
  };
}

export async function answerRecords(
  records: RecordsService,
  connection: Connection,
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
  // The records are JSON text already: parsing them here would only cost time.
  const texts = page.records.map((record) => record.json).join(',');
  return { status: 200, text: `{"next_cursor":${JSON.stringify(page.nextCursor)},"records":[${texts}]}` };
}
