import type { HttpError } from 'homeport';

/** Zendesk's explanation of a refused request. */
export interface Refusal {
  status: number;
  /** For example `RecordInvalid`, `RecordNotFound`. */
  error: string | undefined;
  message: string;
  /** Problems by field name. */
  details: unknown;
}

/** Zendesk uses two formats. */
interface ZendeskError {
  error?: string | { title?: string; message?: string };
  description?: string;
  details?: unknown;
}

/** Statuses of refusals that explain the request. Errors about limits, outages and lost access are thrown unchanged. */
const EXPLAINED = [400, 404, 409, 422];

/** https://developer.zendesk.com/api-reference/introduction/requests/#error-responses */
export function readRefusal(error: unknown): Refusal | undefined {
  if (!(error instanceof Error) || !('response' in error)) return undefined;
  const { response } = error as HttpError<ZendeskError>;
  if (!response || !EXPLAINED.includes(response.status)) return undefined;
  const { error: said, description, details = null } = response.data;
  const [title, message] = typeof said === 'object' ? [said.title, said.message] : [said, description];
  return { status: response.status, error: title, message: message ?? error.message, details };
}
