import { empty } from '../../../contract/api/fields.ts';
import { pruneRecordsBody } from '../../../contract/api/records.ts';
import type { RecordsService } from '../../../services/records/records-service.ts';
import { type Handler, ok } from '../../route.ts';
import { validateBody, validateQuery } from '../../validate.ts';
import { type ConnectionFinders, findNamedConnection } from './find-named-connection.ts';

export function pruneRecords(use: ConnectionFinders & { records: RecordsService }): Handler {
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
