import * as z from 'zod';

/** A row with its cells by the names of their fields. Airtable leaves out empty cells. */
export const Row = z.object({
  id: z.string(),
  base_id: z.string(),
  table_id: z.string(),
  created_at: z.string(),
  fields: z.record(z.string(), z.unknown()),
});

export const Table = z.object({
  id: z.string(),
  base_id: z.string(),
  base_name: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  primary_field_id: z.string(),
  fields: z.array(z.object({ id: z.string(), name: z.string(), type: z.string() })),
});

/** https://airtable.com/developers/web/api/list-records */
export interface AirtableRecord {
  id: string;
  createdTime: string;
  fields: Record<string, unknown>;
}

export function toRow(record: AirtableRecord, baseId: string, tableId: string): z.infer<typeof Row> {
  return {
    id: record.id,
    base_id: baseId,
    table_id: tableId,
    created_at: record.createdTime,
    fields: record.fields,
  };
}

/** A list continues as long as a response contains an offset. */
export const BY_OFFSET = {
  type: 'cursor',
  cursor_path_in_response: 'offset',
  cursor_name_in_request: 'offset',
} as const;

/**
 * A caller that sends more than 5 requests per second must wait for 30 seconds; waits of 3 + 6 + 12 + 24 seconds are
 * enough.
 */
export const READ_RETRIES = 4;
