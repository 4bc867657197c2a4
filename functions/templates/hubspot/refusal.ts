import type { HttpError } from 'homeport';

/** What HubSpot says about a request that it does not accept. */
export interface Refusal {
  status: number;
  /** For example `VALIDATION_ERROR`, `CONFLICT`, `OBJECT_NOT_FOUND`. */
  category: string | undefined;
  message: string;
  /** HubSpot's support asks for it. */
  correlation_id: string | undefined;
}

/** Refusals that the caller can do something about. Limits, outages and lost access pass through as they are. */
const EXPLAINED = [400, 404, 409];

/** https://developers.hubspot.com/docs/reference/api/other-resources/error-handling */
export function readRefusal(error: unknown): Refusal | undefined {
  if (!(error instanceof Error) || !('response' in error)) return undefined;
  const { response } = error as HttpError<{ category?: string; message?: string; correlationId?: string }>;
  if (!response || !EXPLAINED.includes(response.status)) return undefined;
  const { category, message, correlationId } = response.data;
  return { status: response.status, category, message: message ?? error.message, correlation_id: correlationId };
}
