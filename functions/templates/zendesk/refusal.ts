import type { HttpError } from 'homeport';

/** What Zendesk says about a request that it does not accept. */
export interface Refusal {
  status: number;
  /** For example `RecordInvalid`, `RecordNotFound`. */
  error: string | undefined;
  message: string;
  /** By field: what is wrong with it. */
  details: unknown;
}

/** Zendesk has two forms. */
interface ZendeskError {
  error?: string | { title?: string; message?: string };
  description?: string;
  details?: unknown;
}

/** Refusals that say something about the request. Limits, outages and lost access pass through as they are. */
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
