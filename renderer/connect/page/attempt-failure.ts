import type { ApiError } from '../../lib/api-error.ts';
import type { TextKey } from '../texts/translate.ts';
import type { TelemetryEvent } from './page-telemetry.ts';

/** Shown on the form, where the person can try again. */
export type InlineWarning = 'blocked' | 'closed' | 'late';

export interface Failure {
  /** The error type for the embedding app (auth-and-connect.md 1.2). */
  errorType: string;
  warning?: InlineWarning;
  isExpired?: boolean;
  event?: TelemetryEvent;
}

/** The screen that follows a failed attempt. */
export function failureOf({ code, status }: ApiError): Failure {
  switch (code) {
    case 'blocked_by_browser':
      return { errorType: code, warning: 'blocked', event: 'popup:blocked_by_browser' };
    case 'window_closed':
      return { errorType: code, warning: 'closed', event: 'popup:closed_early' };
    case 'sign_in_late':
      return { errorType: 'window_closed', warning: 'late', event: 'popup:closed_early' };
    case 'connection_test_failed':
      return { errorType: code, event: 'view:credentials_error' };
    case 'unreachable':
      return { errorType: 'unknown_error', event: 'view:unknown_error' };
    case 'unknown_connect_session_token':
      return { errorType: code, isExpired: true };
    default:
      return { errorType: code, isExpired: status === 401, event: 'view:unknown_error' };
  }
}

const OWN_TEXTS: Record<string, TextKey> = {
  connection_test_failed: 'failed.credentials',
  resource_capped: 'failed.capped',
  unreachable: 'failed.unreachable',
};

/** The names that providers give to a person's "no" (RFC 6749 4.1.2.1, and others of their own). */
const DENIED = /\b(access_denied|user_denied|permission_denied|user_refused|consent_denied|user_cancell?ed\w*)\b/i;

/** The person, or somebody who decides for them, did not allow access at the provider. */
export const isDenied = ({ code, message }: ApiError): boolean => code === 'callback_err' && DENIED.test(message);

/** The text for a failure; undefined where the server's message is shown. */
export function failureText(error: ApiError): TextKey | undefined {
  if (isDenied(error)) return 'failed.denied';
  return OWN_TEXTS[error.code] ?? (error.message.trim() === '' ? 'failed.unknown' : undefined);
}
