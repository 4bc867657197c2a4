import type { FunctionContext, HttpError } from 'homeport';

/** Without it, the account's setting determines the format of the responses: https://docs.stripe.com/api/versioning */
const VERSION = { 'stripe-version': '2025-03-31.basil' };

interface StripeList<T> {
  data: T[];
  has_more: boolean;
}

/**
 * Yields pages, newest first: https://docs.stripe.com/api/pagination. Not `nango.paginate`, because the next page is
 * requested with the id of the last item, which the response does not contain anywhere else.
 */
export async function* stripePages<T extends { id: string }>(
  nango: FunctionContext,
  endpoint: string,
  params: Record<string, string | number | undefined> = {},
): AsyncGenerator<T[]> {
  let after: string | undefined;
  do {
    const { data: list } = await nango.get<StripeList<T>>({
      endpoint,
      params: { ...params, limit: 100, starting_after: after },
      headers: VERSION,
      retries: 3,
    });
    yield list.data;
    after = list.has_more ? list.data.at(-1)?.id : undefined;
  } while (after);
}

/**
 * Sends a form. With the same idempotency key Stripe carries it out once, however often it is sent:
 * https://docs.stripe.com/api/idempotent_requests. A refusal becomes the error of the action.
 */
export async function postStripe<T>(
  nango: FunctionContext,
  { endpoint, form, idempotencyKey }: { endpoint: string; form: object; idempotencyKey: string | undefined },
): Promise<T> {
  try {
    const response = await nango.post<T>({
      endpoint,
      data: form,
      headers: {
        ...VERSION,
        'content-type': 'application/x-www-form-urlencoded',
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      },
    });
    return response.data;
  } catch (error) {
    const refusal = refusalOf(error);
    throw refusal ? new nango.ActionError(refusal) : error;
  }
}

/** https://docs.stripe.com/api/errors */
interface StripeError {
  error?: { type: string; code?: string; decline_code?: string; param?: string; message?: string; doc_url?: string };
}

function refusalOf(error: unknown): object | undefined {
  if (!(error instanceof Error)) return undefined;
  const { status, response } = error as HttpError<StripeError>;
  const said = response?.data?.error;
  // The caller cannot fix a refused key, a limit or an outage.
  if (!status || !said || status === 401 || status === 429 || status > 499) return undefined;
  const { type, code = type, message = error.message, decline_code, param, doc_url } = said;
  return { code, status, message, decline_code, param, doc_url };
}

/** Converts seconds since the epoch. */
export function toIso(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}

export function toIsoOrNull(seconds: number | null): string | null {
  return seconds === null ? null : toIso(seconds);
}
