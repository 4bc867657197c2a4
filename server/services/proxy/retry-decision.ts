import type { RetryRules } from '../../catalog/proxy-schema.ts';
import type { OutboundError } from '../../lib/outbound-error.ts';

export type AttemptOutcome =
  | { kind: 'network'; error: OutboundError }
  | { kind: 'response'; status: number; headers: Record<string, string | string[] | undefined> };

export interface RetryContext {
  rules: RetryRules | undefined;
  retryOn: readonly number[];
  /** The credentials are those of the attempt before. */
  areCredentialsUnchanged: boolean;
}

/** Why the attempt is worth repeating, or undefined (functions.md 4.5, providers.md 6). */
export function retryReason(outcome: AttemptOutcome, context: RetryContext): string | undefined {
  if (outcome.kind === 'network') return outcome.error.isTransient ? 'network_error' : undefined;
  const { status, headers } = outcome;
  // Asking again with credentials that were refused can only be refused again.
  if (status === 401 && context.areCredentialsUnchanged) return undefined;
  if (isRetryableStatus(status, context.rules?.error_code)) return `status_${status}`;
  if (context.retryOn.includes(status)) return 'retry_on';
  const remaining = context.rules?.remaining;
  return remaining !== undefined && headers[remaining] === '0' ? 'provider_remaining' : undefined;
}

/** The entry's list replaces the defaults. */
function isRetryableStatus(status: number, codes: string[] | undefined): boolean {
  if (codes) return codes.some((code) => matchesCode(status, code));
  return status >= 500 || status === 429 || status === 401;
}

/** `403`, `5xx`, `500-502`. */
function matchesCode(status: number, code: string): boolean {
  if (code.endsWith('xx')) return String(status).startsWith(code.charAt(0));
  const [from = 0, to = from] = code.split('-').map(Number);
  return status >= from && status <= to;
}
