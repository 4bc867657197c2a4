import type { HttpError } from 'homeport';

/** HubSpot's explanation of a refused request. */
export interface Refusal {
  status: number;
  /** For example `VALIDATION_ERROR`, `CONFLICT`, `OBJECT_NOT_FOUND`. */
  category: string | undefined;
  message: string;
  /** HubSpot's support needs it. */
  correlation_id: string | undefined;
}

/** Statuses of refusals that the caller can fix. Errors about limits, outages and lost access are thrown unchanged. */
const EXPLAINED = [400, 404, 409];

/** https://developers.hubspot.com/docs/reference/api/other-resources/error-handling */
export function readRefusal(error: unknown): Refusal | undefined {
  if (!(error instanceof Error) || !('response' in error)) return undefined;
  const { response } = error as HttpError<{ category?: string; message?: string; correlationId?: string }>;
  if (!response || !EXPLAINED.includes(response.status)) return undefined;
  const { category, message, correlationId } = response.data;
  return { status: response.status, category, message: message ?? error.message, correlation_id: correlationId };
}
