import type { Request } from 'express';
import { PracticeOAuthError } from './practice-oauth-error.ts';

/** Returns a parameter by name. A repeated parameter counts as missing, because RFC 6749, 3.1 forbids it. */
export type Parameters = (name: string) => string | undefined;

const LIFETIME_S = { fallback: 300, longest: 86_400 };

export function queryParameters(request: Request): Parameters {
  return textsOf(request.query);
}

/** The parameters of a form body, the only format of the token endpoints. */
export function formParameters(request: Request): Parameters {
  if (!request.is('application/x-www-form-urlencoded'))
    throw new PracticeOAuthError('invalid_request', 'Send the parameters as application/x-www-form-urlencoded.');
  return textsOf((request.body ?? {}) as Record<string, unknown>);
}

function textsOf(values: Record<string, unknown>): Parameters {
  return (name) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
}

/**
 * Seconds until an access token expires: `practice_lifetime`, default five minutes. 0 issues expired tokens. Undefined
 * when the parameter is not a valid number.
 */
export function readTokenLifetime(parameters: Parameters): number | undefined {
  const text = parameters('practice_lifetime');
  if (text === undefined) return LIFETIME_S.fallback;
  const seconds = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  return seconds <= LIFETIME_S.longest ? seconds : undefined;
}

export const LIFETIME_RULE = `practice_lifetime is a number of seconds from 0 to ${LIFETIME_S.longest}.`;
