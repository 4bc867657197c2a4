import type { HttpError } from 'homeport';

/** What Airtable says about a request that it does not accept. */
export interface Refusal {
  status: number;
  /** For example `INVALID_FILTER_BY_FORMULA`, `UNKNOWN_FIELD_NAME`, `NOT_FOUND`. */
  type: string;
  message: string;
}

interface AirtableError {
  error?: string | { type: string; message?: string };
}

/** Refusals that say something about the request. Limits, outages and lost access pass through as they are. */
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
