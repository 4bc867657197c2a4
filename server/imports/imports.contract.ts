import { z } from 'zod';
import { functionName, modelName } from '../contract/fields.ts';

/** `POST /records/import` (http-api.md 11.5). */

export const importFormat = z.enum(['ndjson', 'csv', 'parquet', 'json']);
export type ImportFormat = z.infer<typeof importFormat>;

const flag = z.enum(['true', 'false']).transform((text) => text === 'true');

export const importRecordsQuery = z.strictObject({
  model: modelName,
  variant: functionName.optional(),
  /** Default: by the content type of the body. */
  format: importFormat.optional(),
  dry_run: flag.optional(),
  /** Also sends the webhook that a run of the model's sync would send. */
  send_webhook: flag.optional(),
  /** Records that are here and differ stay as they are. */
  keep_existing: flag.optional(),
  /** Of a file with the rows of several connections: only those of this one. */
  from_connection: z.string().min(1).max(255).optional(),
});

/** Something in the file that cannot be imported. */
const rowProblem = z.object({
  /** Number of the record in the file, from 1; null when the file itself is broken there. */
  row: z.number().int().nullable(),
  /** Line of the file on which the record begins; null where a format has no lines. */
  line: z.number().int().nullable(),
  /** Member of the record, with dots between its parts. */
  column: z.string().nullable(),
  message: z.string(),
});

export const importResult = z.object({
  model: z.string(),
  variant: z.string(),
  format: importFormat,
  dry_run: z.boolean(),
  /** Records in the file. */
  rows: z.number().int(),
  added: z.number().int(),
  updated: z.number().int(),
  /** Marked as deleted in the file, and live here. */
  deleted: z.number().int(),
  unchanged: z.number().int(),
  /** Differ here, and stay because of `keep_existing`. */
  kept: z.number().int(),
  /** Rows with a problem. Nothing is stored as long as there is one. */
  invalid: z.number().int(),
  /** Rows without contents: pruned records, older versions, rows of other connections. */
  skipped: z.number().int(),
  /** The first 100. */
  problems: z.array(rowProblem),
  /** The sync whose schema of the model the rows were checked against; null when no sync declares it. */
  schema_of: z.string().nullable(),
  /** How the columns of a table were read. */
  columns: z.array(z.object({ name: z.string(), type: z.string() })),
  /** The sync whose webhook is sent; null when none is. */
  webhook_of: z.string().nullable(),
});

export type RowProblem = z.infer<typeof rowProblem>;
export type ImportResult = z.infer<typeof importResult>;
