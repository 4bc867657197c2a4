import * as z from 'zod';

/** A row. Its cells go by the names of their fields; Airtable leaves out empty ones. */
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

/** Lists go on as long as an answer names an offset. */
export const BY_OFFSET = {
  type: 'cursor',
  cursor_path_in_response: 'offset',
  cursor_name_in_request: 'offset',
} as const;

/** Who asks more than 5 times per second has to wait for 30 seconds: 3 + 6 + 12 + 24 are enough for that. */
export const READ_RETRIES = 4;
