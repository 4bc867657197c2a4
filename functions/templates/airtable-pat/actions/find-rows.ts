import { createAction } from 'homeport';
import * as z from 'zod';
import { type AirtableRecord, BY_OFFSET, READ_RETRIES, Row, toRow } from '../models.js';
import { readRefusal } from '../refusal.js';

const Search = z.object({
  base_id: z.string().min(1),
  table_id: z.string().min(1),
  /** For example `AND({Status}='Open', {Amount}>100)`; without it, every row. */
  formula: z.string().min(1).optional(),
  /** Names of the fields in the response. Default: all. */
  fields: z.array(z.string().min(1)).optional(),
  sort: z.array(z.object({ field: z.string(), direction: z.enum(['asc', 'desc']) })).optional(),
  limit: z.number().int().min(1).max(1000),
});

export default createAction({
  description: "Finds the rows of a table that match a formula in Airtable's language",
  version: '1.0.0',
  // It returns what other people wrote.
  untrustedOutput: true,
  scopes: ['data.records:read'],
  input: Search,
  output: z.object({ rows: z.array(Row) }),

  exec: async (nango, input) => {
    const { data: search } = await nango.zodValidateInput({ zodSchema: Search, input });
    const { base_id: baseId, table_id: tableId } = search;

    try {
      const rows: Array<z.infer<typeof Row>> = [];
      // https://airtable.com/developers/web/api/list-records: sent as a POST, because a formula may be too long for an
      // address.
      const pages = nango.paginate<AirtableRecord>({
        method: 'POST',
        endpoint: `/v0/${encodeURIComponent(baseId)}/${encodeURIComponent(tableId)}/listRecords`,
        data: {
          filterByFormula: search.formula,
          fields: search.fields,
          sort: search.sort,
          pageSize: Math.min(search.limit, 100),
          // Limit over all pages.
          maxRecords: search.limit,
        },
        paginate: { ...BY_OFFSET, response_path: 'records' },
        // It only reads, so it may be repeated.
        retries: READ_RETRIES,
      });
      for await (const records of pages) {
        rows.push(...records.map((record) => toRow(record, baseId, tableId)));
      }
      return { rows };
    } catch (error) {
      const refusal = readRefusal(error);
      if (!refusal) throw error;
      throw new nango.ActionError({ code: 'search_refused', ...refusal });
    }
  },
});
