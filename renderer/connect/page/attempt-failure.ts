import type { ApiError } from '../../api/api-error.ts';
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

/** The text for a code; undefined where the server's message is shown. */
export const failureText = ({ code, message }: ApiError): TextKey | undefined =>
  OWN_TEXTS[code] ?? (message.trim() === '' ? 'failed.unknown' : undefined);
