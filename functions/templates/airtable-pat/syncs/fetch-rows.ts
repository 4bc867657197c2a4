import { createSync } from 'homeport';
import * as z from 'zod';
import { type AirtableRecord, BY_OFFSET, READ_RETRIES, Row, toRow } from '../models.js';

/**
 * The tables to copy. `fetch-tables` lists their ids; set them in the metadata of the connection, then start the sync.
 */
const Choice = z.object({
  baseId: z.string().startsWith('app'),
  tableIds: z.array(z.string().startsWith('tbl')).min(1),
  /** Name or id of a view that all of the tables have. Only its rows are read, in its order. */
  view: z.string().optional(),
});

/** A full sync, because a row does not contain the time of its last change, and deleted rows are not listed. */
export default createSync({
  description: 'Keeps a copy of the rows of chosen tables and marks deleted ones',
  version: '1.0.0',
  syncType: 'full',
  frequency: 'every hour',
  // Does not start by itself, because tables have to be chosen first.
  autoStart: false,
  scopes: ['data.records:read'],
  models: { Row },
  metadata: Choice,

  exec: async (nango) => {
    const chosen = Choice.safeParse(await nango.getMetadata());
    if (!chosen.success) {
      throw new nango.ActionError({
        code: 'tables_not_chosen',
        message: 'Set baseId and tableIds as metadata of the connection.',
        problems: z.flattenError(chosen.error).fieldErrors,
      });
    }
    const { baseId, tableIds, view } = chosen.data;

    await nango.trackDeletesStart('Row');

    for (const tableId of tableIds) {
      // https://airtable.com/developers/web/api/list-records
      const pages = nango.paginate<AirtableRecord>({
        endpoint: `/v0/${encodeURIComponent(baseId)}/${encodeURIComponent(tableId)}`,
        params: { view },
        paginate: { ...BY_OFFSET, response_path: 'records', limit_name_in_request: 'pageSize', limit: 100 },
        retries: READ_RETRIES,
      });

      for await (const records of pages) {
        await nango.batchSave(
          records.map((record) => toRow(record, baseId, tableId)),
          'Row',
        );
      }
    }

    // Reached only when every table was read. Rows of a table that is no longer chosen are marked as deleted too.
    await nango.trackDeletesEnd('Row');
  },
});
