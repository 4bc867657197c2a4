import type { HttpError } from 'homeport';

/** Airtable's explanation of a refused request. */
export interface Refusal {
  status: number;
  /** For example `INVALID_FILTER_BY_FORMULA`, `UNKNOWN_FIELD_NAME`, `NOT_FOUND`. */
  type: string;
  message: string;
}

interface AirtableError {
  error?: string | { type: string; message?: string };
}

/** Statuses of refusals that explain the request. Errors about limits, outages and lost access are thrown unchanged. */
const EXPLAINED = [400, 403, 404, 422];

/** https://airtable.com/developers/web/api/errors */
export function readRefusal(error: unknown): Refusal | undefined {
  if (!(error instanceof Error) || !('response' in error)) return undefined;
  const { response } = error as HttpError<AirtableError>;
  if (!response || !EXPLAINED.includes(response.status)) return undefined;
  const { error: said = 'UNKNOWN' } = response.data;
  if (typeof said === 'string') return { status: response.status, type: said, message: error.message };
  return { status: response.status, type: said.type, message: said.message ?? error.message };
}
