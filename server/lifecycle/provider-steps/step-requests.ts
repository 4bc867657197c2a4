import { decodeJwt } from 'jose';
import { z } from 'zod';
import { HomeportError } from '../../platform/lib/homeport-error.ts';
import { isSuccessStatus } from '../../platform/lib/success-status.ts';
import type { PlainStepRequest, StepContext, StepRequest, StepResponse } from './step-context.ts';

/**
 * An id that some providers send as a number; it is stored unchanged, because their webhooks send it in the same form.
 */
export const stringOrNumberId = z.union([z.string().min(1), z.number()]);

/**
 * Sends a request with the connection's credentials; resolves to the checked body. Throws `provider_step_failed`;
 * `what` names the requested data in its message.
 */
export async function requestJson<T>(
  context: StepContext,
  what: string,
  request: StepRequest,
  shape: z.ZodType<T>,
): Promise<T> {
  return checkResponse(context, what, await context.request(request), shape);
}

/** As `requestJson`, without the connection's credentials. */
export async function requestPlainJson<T>(
  context: StepContext,
  what: string,
  request: PlainStepRequest,
  shape: z.ZodType<T>,
): Promise<T> {
  return checkResponse(context, what, await context.requestPlain(request), shape);
}

/** As `requestJson`, for a GraphQL endpoint, whose failures have status 200 and no data. */
export async function requestGraphqlData<T>(
  context: StepContext,
  what: string,
  { query, ...request }: { endpoint: string; query: string; headers?: Record<string, string> },
  shape: z.ZodType<T>,
): Promise<T> {
  const response = await requestJson(
    context,
    what,
    { ...request, method: 'POST', json: { query } },
    z.object({ data: shape }),
  );
  return response.data;
}

export function isSuccess({ status }: StepResponse): boolean {
  return isSuccessStatus(status);
}

/** Throws unless the status is 2xx. The message contains no part of the response, because that may repeat secrets. */
export function requireSuccess(context: StepContext, what: string, response: StepResponse): void {
  if (!isSuccess(response)) {
    throw stepFailure(
      `${context.provider} answered the request for ${what} with status ${response.status}. Check what the app and the account may do there.`,
    );
  }
}

export function stepFailure(message: string): HomeportError {
  return new HomeportError('provider_step_failed', message);
}

function checkResponse<T>(context: StepContext, what: string, response: StepResponse, shape: z.ZodType<T>): T {
  requireSuccess(context, what, response);
  const parsed = shape.safeParse(response.json);
  if (parsed.success) return parsed.data;
  throw stepFailure(
    `The response of ${context.provider} does not contain ${what}. Connect again, or set the values yourself.`,
  );
}

/** The token that the connection's requests carry. */
export function accessTokenOf({ provider, connection }: StepContext): string {
  const { access_token: accessToken, token } = connection.credentials;
  const found = accessToken ?? token;
  if (typeof found === 'string' && found !== '') return found;
  throw stepFailure(`The connection to ${provider} has no access token. Connect again.`);
}

/**
 * A claim of the access token. Its signature is not verified, because the token came from the provider itself over TLS;
 * it names an account there. Do not use it to identify a user of this hub.
 */
export function unverifiedClaim(context: StepContext, ...names: string[]): string | number {
  const claims = readClaims(context);
  const value = names
    .map((name) => claims[name])
    .find((claim) => typeof claim === 'string' || typeof claim === 'number');
  if (typeof value === 'string' || typeof value === 'number') return value;
  throw stepFailure(`The access token of ${context.provider} does not say ${names[0]}. Connect again.`);
}

function readClaims(context: StepContext): Record<string, unknown> {
  const token = accessTokenOf(context);
  try {
    return decodeJwt(token);
  } catch {
    // The message of jose may quote the token.
    throw stepFailure(`The access token of ${context.provider} is not a JSON web token, so its account is unknown.`);
  }
}
