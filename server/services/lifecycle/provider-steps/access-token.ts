import { decodeJwt } from 'jose';
import { stepFailure } from './step-answer.ts';
import type { StepContext } from './step-context.ts';

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
