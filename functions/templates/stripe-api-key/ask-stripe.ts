import type { FunctionContext, HttpError } from 'homeport';

/** Otherwise the account decides which shape the answers have: https://docs.stripe.com/api/versioning */
const VERSION = { 'stripe-version': '2025-03-31.basil' };

interface StripeList<T> {
  data: T[];
  has_more: boolean;
}

/**
 * Page after page, newest first: https://docs.stripe.com/api/pagination. Not by `nango.paginate`: what asks for the
 * next page is the id of the last item, and the answer names it nowhere else.
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
 * Sends a form. With the same idempotency key Stripe does it once, however often it is asked:
 * https://docs.stripe.com/api/idempotent_requests. A refusal becomes the failure of the action.
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
  // The caller can do nothing about a key that is not accepted, a limit or an outage.
  if (!status || !said || status === 401 || status === 429 || status > 499) return undefined;
  const { type, code = type, message = error.message, decline_code, param, doc_url } = said;
  return { code, status, message, decline_code, param, doc_url };
}

/** From seconds since the epoch. */
export function toIso(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}

export function toIsoOrNull(seconds: number | null): string | null {
  return seconds === null ? null : toIso(seconds);
}
