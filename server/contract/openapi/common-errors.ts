import { ERROR_CODES, type ErrorCode } from '../error-codes.ts';
import type { ErrorAnswer, RouteDescription } from './route-description.ts';

/** Codes by status, both in a stable order. */
export type ErrorsByStatus = ReadonlyMap<number, readonly ErrorCode[]>;

/** Host check, body parsers and the last resort stand before and behind every route. */
const EVERYWHERE: readonly ErrorCode[] = [
  'misdirected_request',
  'invalid_json',
  'request_too_large',
  'request_timeout',
  'invalid_headers',
  'invalid_content_type',
  'generic_error_support',
];
const BEARER: readonly ErrorCode[] = ['missing_auth_header', 'malformed_auth_header', 'too_many_request'];
const KEY: readonly ErrorCode[] = ['invalid_secret_key_format', 'unknown_account'];
const SESSION: readonly ErrorCode[] = ['invalid_connect_session_token_format', 'unknown_connect_session_token'];

const BY_ACCESS: Record<RouteDescription['access'], readonly ErrorCode[]> = {
  public: [],
  key: [...BEARER, ...KEY],
  session: [...BEARER, ...SESSION],
  'key-or-session': [...BEARER, ...KEY, ...SESSION],
};

/** Everything that the route may refuse with: the pipeline's codes, the validation's, its own. */
export function errorsOf(route: RouteDescription): ErrorsByStatus {
  const all: ErrorAnswer[] = [
    ...EVERYWHERE,
    ...BY_ACCESS[route.access],
    ...(route.scopes ? (['forbidden'] as const) : []),
    ...(route.params ? (['invalid_uri_params'] as const) : []),
    ...(route.query && !route.unchecked?.includes('query') ? (['invalid_query_params'] as const) : []),
    ...(route.headers && !route.unchecked?.includes('headers') ? (['invalid_headers'] as const) : []),
    ...(route.body && !route.unchecked?.includes('body') ? (['invalid_body'] as const) : []),
    ...(route.errors ?? []),
  ];
  const byStatus = new Map<number, Set<ErrorCode>>();
  for (const answer of all) {
    const [status, code] = typeof answer === 'string' ? [ERROR_CODES[answer].status, answer] : answer;
    byStatus.set(status, (byStatus.get(status) ?? new Set()).add(code));
  }
  const sorted = [...byStatus].sort(([a], [b]) => a - b);
  return new Map(sorted.map(([status, codes]) => [status, [...codes].sort()]));
}
