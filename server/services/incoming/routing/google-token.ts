import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey, jwtVerify } from 'jose';
import type { RoutingContext } from './webhook-routing.ts';

const KEYS_URL = 'https://www.googleapis.com/oauth2/v3/certs';
const ISSUER = 'https://accounts.google.com';

/**
 * Whether Google signed the token for this webhook. Throws when Google's keys cannot be had; what is no token of
 * Google's kind needs none of them.
 */
export async function isGoogleToken(token: string, context: RoutingContext): Promise<boolean> {
  const findKey: JWTVerifyGetKey = async (header, jws) => {
    const { json } = await context.fetchDocument(KEYS_URL);
    return createLocalJWKSet(json as JSONWebKeySet)(header, jws);
  };
  try {
    await jwtVerify(token, findKey, {
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
