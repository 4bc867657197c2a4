import { createAction } from 'homeport';
import * as z from 'zod';
import { readRefusal } from '../refusal.js';

const Upsert = z.object({
  base_id: z.string().min(1),
  table_id: z.string().min(1),
  /**
   * Names of one to three fields that identify a row: a row with the same values is updated, otherwise a row is
   * created.
   */
  merge_on: z.array(z.string().min(1)).min(1).max(3),
  rows: z.array(z.record(z.string(), z.unknown())).min(1).max(1000),
  /** Lets Airtable convert the values and add choices to select fields. */
  typecast: z.boolean().optional(),
});

const Upserted = z.object({
  created_ids: z.array(z.string()),
  updated_ids: z.array(z.string()),
});

interface UpsertResponse {
  createdRecords: string[];
  updatedRecords: string[];
}

/** Airtable accepts this many rows per request. It saves all of them or none. */
const LOT = 10;

export default createAction({
  description: 'Creates rows, or updates those that have the same values in chosen fields',
  version: '1.0.0',
  scopes: ['data.records:write'],
  input: Upsert,
  output: Upserted,

  exec: async (nango, input) => {
    const { data: upsert } = await nango.zodValidateInput({ zodSchema: Upsert, input });
    const done: z.infer<typeof Upserted> = { created_ids: [], updated_ids: [] };

    for (let start = 0; start < upsert.rows.length; start += LOT) {
      const lot = upsert.rows.slice(start, start + LOT);
      try {
        // https://airtable.com/developers/web/api/update-multiple-records
        const { data } = await nango.patch<UpsertResponse>({
          endpoint: `/v0/${encodeURIComponent(upsert.base_id)}/${encodeURIComponent(upsert.table_id)}`,
          data: {
            performUpsert: { fieldsToMergeOn: upsert.merge_on },
            records: lot.map((fields) => ({ fields })),
            typecast: upsert.typecast ?? false,
          },
        });
        done.created_ids.push(...data.createdRecords);
        done.updated_ids.push(...data.updatedRecords);
      } catch (error) {
        const refusal = readRefusal(error);
        if (!refusal) throw error;
        // The earlier batches are saved. The caller can continue after `rows_done`.
        throw new nango.ActionError({ code: 'rows_refused', ...refusal, rows_done: start, ...done });
      }
    }
    return done;
  },

  undo: async (nango, { input, output }) => {
    if (output.updated_ids.length > 0)
      throw new nango.ActionError({
        code: 'not_kept',
        message: `The call also changed ${output.updated_ids.length} rows, whose former values are unknown.`,
      });
    const endpoint = `/v0/${encodeURIComponent(input.base_id)}/${encodeURIComponent(input.table_id)}`;
    for (let start = 0; start < output.created_ids.length; start += LOT) {
      const lot = output.created_ids.slice(start, start + LOT);
      await nango.delete({ endpoint, params: lot.map((id) => `records[]=${id}`).join('&') });
    }
  },
});
