import type { HttpError } from 'homeport';

/** Google's explanation of a refused request. */
export interface Refusal {
  status: number;
  /** For example `notFound`, `timeRangeEmpty`, `fullSyncRequired`. */
  reason: string | undefined;
  message: string;
}

interface GoogleErrors {
  error?: { message?: string; errors?: Array<{ reason?: string }> };
}

/** Statuses of refusals that explain the request. Errors about limits, outages and lost access are thrown unchanged. */
const EXPLAINED = [400, 404, 409, 410];

/** https://developers.google.com/workspace/calendar/api/guides/errors */
export function readRefusal(error: unknown): Refusal | undefined {
  if (!(error instanceof Error) || !('response' in error)) return undefined;
  const { response } = error as HttpError<GoogleErrors>;
  if (!response || !EXPLAINED.includes(response.status)) return undefined;
  const { error: said } = response.data;
  return { status: response.status, reason: said?.errors?.[0]?.reason, message: said?.message ?? error.message };
}
