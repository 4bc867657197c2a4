import { decodeJwt } from 'jose';
import type { AssertionRules } from '../../../catalog/entry-schema.ts';
import { HomeportError } from '../../../lib/homeport-error.ts';
import type { TokenContext } from '../token-context.ts';
import { fillText, type ParamScope, paramScope } from './fill-params.ts';
import { samlAssertion, samlEnd } from './saml-assertion.ts';
import { fillClaims, fillHeader, readKey, signJwt } from './sign-jwt.ts';

/** An assertion that ends sooner is built anew (auth-and-connect.md 2.5). */
const LEAST_REST_MS = 60_000;
const JWT_LIFETIME_SECONDS = 3_600;

/** The stored assertion while it is valid, else a new one from the entry's `assertion`. */
export async function currentAssertion(context: TokenContext, values: Record<string, unknown>): Promise<string> {
  const rules = context.entry.assertion ?? {};
  const { assertion: stored } = values;
  if (typeof stored === 'string' && endOf(stored, rules) - context.now() >= LEAST_REST_MS) return stored;
  const scope = paramScope(context, values);
  const keyText = rules.key === undefined ? undefined : fillText(rules.key, scope);
  // The key is entered once and not stored; without it nothing may go out unsigned.
  if (rules.key !== undefined && !keyText)
    throw new HomeportError(
      'invalid_two_step_credentials',
      'The assertion of this connection has expired and its key is not stored. Reconnect it and enter the key.',
    );
  return rules.type === 'jwt'
    ? jwtAssertion(context, rules, scope, keyText)
    : samlAssertion(context, rules, scope, keyText);
}

function jwtAssertion({ entry }: TokenContext, rules: AssertionRules, scope: ParamScope, keyText: string | undefined) {
  const issuedAt = Math.floor(scope.now / 1_000);
  const header = fillHeader(rules.header, scope);
  const alg = header['alg'] ?? 'RS256';
  const encoding = entry.signature?.hmac_secret_encoding ?? 'utf8';
  const protocol = alg.startsWith('HS') ? 'HMAC' : 'RSA';
  return signJwt({
    header: { typ: 'JWT', ...header, alg },
    payload: {
      ...fillClaims(rules.payload, scope),
      iat: issuedAt,
      exp: issuedAt + (rules.lifetimeInSeconds ?? JWT_LIFETIME_SECONDS),
    },
    key: keyText === undefined ? undefined : readKey(keyText, { protocol, hmac_secret_encoding: encoding }),
    code: 'invalid_two_step_credentials',
  });
}

/** When an assertion ends, in milliseconds; one that cannot be read has ended. */
function endOf(assertion: string, rules: AssertionRules): number {
  if (rules.type !== 'jwt') return samlEnd(assertion);
  try {
    return (decodeJwt(assertion).exp ?? 0) * 1_000;
  } catch {
    return 0; // Not a JWT: built anew.
  }
}
