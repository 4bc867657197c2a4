import type { HttpError } from 'homeport';

/** Zoom's explanation of a refused request. */
export interface Refusal {
  status: number;
  /** Zoom's own number, for example 3001 for a meeting that does not exist. */
  number: number | undefined;
  message: string;
  /** Problems by field name. */
  errors: Array<{ field?: string; message?: string }>;
}

interface ZoomError {
  code?: number;
  message?: string;
  errors?: Refusal['errors'];
}

/** Statuses of refusals that explain the request. Errors about limits, outages and lost access are thrown unchanged. */
const EXPLAINED = [400, 404, 409];

/** https://developers.zoom.us/docs/api/errors/ */
export function readRefusal(error: unknown): Refusal | undefined {
  if (!(error instanceof Error) || !('response' in error)) return undefined;
  const { response } = error as HttpError<ZoomError>;
  if (!response || !EXPLAINED.includes(response.status)) return undefined;
  const { code, message = error.message, errors = [] } = response.data;
  return { status: response.status, number: code, message, errors };
}
