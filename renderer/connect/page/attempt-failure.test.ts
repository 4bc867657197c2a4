import { describe, expect, it } from 'vitest';
import { ApiError } from '../../lib/api-error.ts';
import { failureOf, failureText } from './attempt-failure.ts';

describe('failureOf', () => {
  it.each([
    ['blocked_by_browser', 0, { errorType: 'blocked_by_browser', warning: 'blocked' }],
    ['window_closed', 0, { errorType: 'window_closed', warning: 'closed' }],
    ['sign_in_late', 0, { errorType: 'window_closed', warning: 'late' }],
    ['connection_test_failed', 400, { errorType: 'connection_test_failed', event: 'view:credentials_error' }],
    ['connection_validation_failed', 400, { errorType: 'connection_validation_failed', isExpired: false }],
    ['unreachable', 0, { errorType: 'unknown_error' }],
    ['unknown_connect_session_token', 401, { isExpired: true }],
    // A code that arrives over the socket has no status.
    ['unknown_connect_session_token', 0, { isExpired: true }],
    ['invalid_connect_session_token_format', 401, { isExpired: true }],
  ])('leads %s (%i) to its place', (code, status, expected) => {
    expect(failureOf(new ApiError(code, 'why', status))).toMatchObject(expected);
  });
});

describe('failureText', () => {
  it('uses our texts for known codes, and the server’s for the others', () => {
    expect(failureText(new ApiError('connection_test_failed', 'HTTP 401', 400))).toBe('failed.credentials');
    expect(failureText(new ApiError('connection_validation_failed', 'Only admins may connect.', 400))).toBeUndefined();
    expect(failureText(new ApiError('callback_err', ' ', 0))).toBe('failed.unknown');
  });

  it.each([
    'The provider did not give access: access_denied, The user denied the request.',
    '{"error":"access_denied"}',
    'The provider did not give access: user_cancelled_login.',
    'The provider did not give access: permission_denied.',
  ])('says of a person’s refusal that they did not allow access: %s', (message) => {
    expect(failureText(new ApiError('callback_err', message, 0))).toBe('failed.denied');
  });

  it('shows other refusals in the words of the provider', () => {
    const refused = new ApiError('callback_err', 'The provider did not give access: invalid_scope.', 0);

    expect(failureText(refused)).toBeUndefined();
  });
});
