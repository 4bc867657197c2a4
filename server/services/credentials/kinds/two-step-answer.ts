import { decodeJwt } from 'jose';
import type { ProviderEntry } from '../../../catalog/entry-schema.ts';
import { isMap } from '../../../catalog/merge-entries.ts';
import { valueAt } from '../../../catalog/template/resolve-template.ts';
import { HomeportError } from '../../../lib/homeport-error.ts';
import type { TokenContext } from '../token-context.ts';
import { readLifetime, readMoment, toIsoTime } from '../token-expiry.ts';
import { tokenText } from './token-answer.ts';
import type { StepAnswer } from './two-step-requests.ts';

/** Members that only an answer sets; a captured header never replaces them. */
export const TWO_STEP_MEMBERS: ReadonlySet<string> = new Set(['type', 'token', 'refresh_token', 'expires_at', 'raw']);

/** Of answers without an expiry: 99 years (auth-and-connect.md 2.5). */
const ENDLESS_MS = 99 * 365 * 86_400_000;
/** A JWT is renewed this long before its own `exp`. */
const JWT_MARGIN_MS = 15 * 60_000;

interface TwoStepToken {
  token: string;
  refresh_token?: string;
  expires_at?: string;
  /** Absent when the answer is a bare text: the token itself. */
  raw?: Record<string, unknown>;
}

/** Reads the answer of the last step by the paths of `token_response`. */
export function readTwoStepToken({ entry }: TokenContext, answer: StepAnswer, nowMs: number): TwoStepToken {
  const { token: tokenPath, refresh_token: refreshPath } = entry.token_response ?? {};
  const token = tokenPath ? tokenText(valueAt(answer.value, tokenPath)) : wholeBody(answer);
  if (token === undefined)
    throw new HomeportError(
      'invalid_two_step_credentials',
      'The answer of the provider holds no token. Check what was entered.',
    );
  const refreshToken = refreshPath ? tokenText(valueAt(answer.value, refreshPath)) : undefined;
  const expiresAt = expiryOf(entry, answer.value, { token, refreshToken, nowMs });
  return {
    token,
    ...(refreshToken === undefined ? {} : { refresh_token: refreshToken }),
    ...(expiresAt === undefined ? {} : { expires_at: toIsoTime(expiresAt) }),
    ...(isMap(answer.value) ? { raw: answer.value } : {}),
  };
}

/** Values of the headers that the entry keeps; of `set-cookie` each cookie, and all of them as `_cookies`. */
export function capturedHeaders(entry: ProviderEntry, answers: StepAnswer[]): Record<string, string> {
  const captured = (entry.token_response_headers ?? []).flatMap((name) => {
    const values = answers.flatMap(({ headers }) => headers[name.toLowerCase()] ?? []);
    if (name.toLowerCase() === 'set-cookie') return readCookies(values);
    return values.length === 0 ? [] : [[name, values.at(-1)] as [string, string]];
  });
  return Object.fromEntries(captured.filter(([name]) => !TWO_STEP_MEMBERS.has(name)));
}

function readCookies(lines: string[]): Array<[string, string]> {
  const cookies = new Map(
    lines.flatMap((line): Array<[string, string]> => {
      const [, name, value] = /^\s*([^=;\s]+)=([^;]*)/.exec(line) ?? [];
      return name === undefined || value === undefined ? [] : [[name, value.trim()]];
    }),
  );
  if (cookies.size === 0) return [];
  return [...cookies, ['_cookies', [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')]];
}

function wholeBody(answer: StepAnswer): string | undefined {
  return tokenText(answer.json) ?? tokenText(answer.text.trim());
}

interface Tokens {
  token: string;
  refreshToken: string | undefined;
  nowMs: number;
}

/** The earliest of what answer, entry and the tokens themselves say; undefined when the entry says never. */
function expiryOf(entry: ProviderEntry, value: unknown, { token, refreshToken, nowMs }: Tokens): number | undefined {
  const explicit = explicitExpiry(entry, value, nowMs);
  if (explicit === undefined && entry.token_expires_in_ms === 0) return undefined;
  const refreshEnd = jwtEnd(refreshToken);
  if (explicit !== undefined) return Math.min(explicit, refreshEnd);
  return Math.min(nowMs + (entry.token_expires_in_ms ?? ENDLESS_MS), jwtEnd(token), refreshEnd);
}

function explicitExpiry(entry: ProviderEntry, value: unknown, nowMs: number): number | undefined {
  const { token_expiration: path, token_expiration_strategy: strategy } = entry.token_response ?? {};
  if (!path) return undefined;
  const found = valueAt(value, path);
  return strategy === 'expireIn' ? readLifetime(found, nowMs) : readMoment(found, nowMs);
}

/** When a JWT should be renewed; a token that is none never. */
function jwtEnd(token: string | undefined): number {
  if (token === undefined) return Number.POSITIVE_INFINITY;
  try {
    const { exp } = decodeJwt(token);
    return exp === undefined ? Number.POSITIVE_INFINITY : exp * 1_000 - JWT_MARGIN_MS;
  } catch {
    return Number.POSITIVE_INFINITY; // Not a JWT.
  }
}
