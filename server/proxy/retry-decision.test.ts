import { describe, expect, it } from 'vitest';
import { OutboundError } from '../platform/lib/outbound-error.ts';
import { type RetryContext, retryReason } from './attempts.ts';

const context: RetryContext = { rules: undefined, retryOn: [], areCredentialsUnchanged: false };
const respond = (status: number, headers: Record<string, string> = {}) =>
  ({ kind: 'response', status, headers }) as const;
const failure = (code: string) => ({ kind: 'network', error: new OutboundError(code, code) }) as const;

describe('retryReason', () => {
  it.each(['ECONNRESET', 'ETIMEDOUT', 'ECONNABORTED', 'ECONNREFUSED', 'EHOSTUNREACH', 'EAI_AGAIN', 'UND_ERR_SOCKET'])(
    'repeats after %s',
    (code) => {
      expect(retryReason(failure(code), context)).toBe('network_error');
    },
  );

  it.each(['ENOTFOUND', 'ERR_CANCELED', 'ERR_TOO_MANY_REDIRECTS'])('does not repeat after %s', (code) => {
    expect(retryReason(failure(code), context)).toBeUndefined();
  });

  it.each([
    [500, true],
    [503, true],
    [429, true],
    [401, true],
    [400, false],
    [404, false],
    [200, false],
  ])('repeats after %i by default: %s', (status, expected) => {
    expect(retryReason(respond(status), context) !== undefined).toBe(expected);
  });

  it.each([
    ['403', 403],
    ['5xx', 599],
    ['500-502', 501],
  ])('reads the rule %s', (code, status) => {
    expect(retryReason(respond(status), { ...context, rules: { error_code: [code] } })).toBeDefined();
  });

  it('lets the rules of the entry replace the defaults, and the caller add to them', () => {
    const rules = { error_code: ['429'] };

    expect(retryReason(respond(500), { ...context, rules })).toBeUndefined();
    expect(retryReason(respond(500), { ...context, rules, retryOn: [500] })).toBe('retry_on');
  });

  it('repeats when nothing remains', () => {
    const rules = { remaining: 'x-remaining' };

    expect(retryReason(respond(403, { 'x-remaining': '0' }), { ...context, rules })).toBe('provider_remaining');
    expect(retryReason(respond(403, { 'x-remaining': '1' }), { ...context, rules })).toBeUndefined();
  });

  it('stops at a 401 with the same credentials as before, even when the caller lists it', () => {
    expect(retryReason(respond(401), { ...context, retryOn: [401], areCredentialsUnchanged: true })).toBeUndefined();
  });
});
