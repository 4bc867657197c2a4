import { createPrivateKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { isMap } from '../../../catalog/merge-entries.ts';
import { HomeportError } from '../../../lib/homeport-error.ts';
import type { TokenContext } from '../token-context.ts';
import { signJwt } from './sign-jwt.ts';

const LIFETIME_SECONDS = 300;

interface AssertionInput {
  clientId: string;
  /** The private key as the JSON text of a JWK. */
  jwk: unknown;
  /** The token address. */
  audience: string;
  context: TokenContext;
}

/** The parameters of `private_key_jwt` (RFC 7523, auth-and-connect.md 2.4). */
export async function clientAssertion({ clientId, jwk, audience, context }: AssertionInput) {
  const { key, keyId } = readJwk(jwk);
  const issuedAt = Math.floor(context.now() / 1_000);
  const assertion = await signJwt({
    header: { alg: 'RS256', typ: 'JWT', ...(keyId === undefined ? {} : { kid: keyId }) },
    payload: {
      iss: clientId,
      sub: clientId,
      aud: audience,
      iat: issuedAt,
      exp: issuedAt + LIFETIME_SECONDS,
      jti: context.ids.uuid(),
    },
    key,
    code: 'invalid_certificate_or_key_format',
  });
  return {
    client_id: clientId,
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: assertion,
  };
}

function readJwk(text: unknown): { key: KeyObject; keyId: string | undefined } {
  try {
    const jwk: unknown = typeof text === 'string' ? JSON.parse(text) : text;
    const keyId = isMap(jwk) && typeof jwk['kid'] === 'string' ? jwk['kid'] : undefined;
    return { key: createPrivateKey({ key: jwk as JsonWebKey, format: 'jwk' }), keyId };
  } catch {
    // The reason would quote the key.
    throw new HomeportError(
      'invalid_certificate_or_key_format',
      'The private key must be a JWK in JSON, with its private members.',
    );
  }
}
