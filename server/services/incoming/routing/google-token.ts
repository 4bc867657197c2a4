import { createLocalJWKSet, errors, type JSONWebKeySet, jwtVerify } from 'jose';
import type { RoutingContext } from './webhook-routing.ts';

const KEYS_URL = 'https://www.googleapis.com/oauth2/v3/certs';
const ISSUER = 'https://accounts.google.com';

/** Whether Google signed the token for this webhook. Throws when Google's keys cannot be had. */
export async function isGoogleToken(token: string, context: RoutingContext): Promise<boolean> {
  const { json } = await context.fetchDocument(KEYS_URL);
  const keys = createLocalJWKSet(json as JSONWebKeySet);
  try {
    await jwtVerify(token, keys, {
      algorithms: ['RS256'],
      issuer: ISSUER,
      audience: [...context.addresses],
      requiredClaims: ['exp'],
      currentDate: new Date(context.now()),
    });
    return true;
  } catch (error) {
    if (error instanceof errors.JOSEError) return false;
    throw error;
  }
}
