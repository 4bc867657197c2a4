import { describe, expect, it } from 'vitest';
import { causeOf, isToldAgain, normaliseMessage, reasonOf } from './failure-cause.ts';

describe('normaliseMessage', () => {
  it.each([
    ['Request failed with status code 429', 'Request failed with status code 429'],
    ['Request failed with status code 503', 'Request failed with status code 503'],
    ['HTTP 500 after 3 attempts', 'HTTP 500 after … attempts'],
    ['Customer 4711 not found', 'Customer … not found'],
    ['Customer 8f14e45f-ceea-467f-a0e6-1d2b3c4d5e6f not found', 'Customer … not found'],
    ['no such customer: cus_9s6XKzkNRiz8i3', 'no such customer: …'],
    ['Issue LIN-42 is locked', 'Issue … is locked'],
    ['mail to person@example.com bounced', 'mail to … bounced'],
    ['at 2026-11-28T09:12:44.123Z the lock was held', 'at … the lock was held'],
    ['ids 1, 2, 3 are gone', 'ids … are gone'],
    ['ids 1, 2 are gone', 'ids … are gone'],
    ['connect ECONNREFUSED 127.0.0.1:40123', 'connect ECONNREFUSED …'],
    ['GET https://api.example.com/v1/users/42?page=3 failed', 'GET https://api.example.com/v1/users/… failed'],
    ['see https://api.example.com/v1/users/42.', 'see https://api.example.com/v1/users/….'],
    ['https://acme-17.example.com/x: closed', 'https://….example.com/x: closed'],
    ['GET /v1/teams/7/members failed', 'GET /v1/teams/…/members failed'],
    ["Cannot read properties of undefined (reading 'id')", "Cannot read properties of undefined (reading 'id')"],
    ['{"error":{"code":17,"id":"a1b2"}}', '{"error":{"code":…,"id":"…"}}'],
    ['sha256 of OAuth2 over v2 is utf-8', 'sha256 of OAuth2 over v2 is utf-8'],
    ['token eyJhbGciOiJIUzI1NiJ9.abc.def is bad', 'token … is bad'],
    ['first line\nsecond line 12', 'first line'],
    ['', ''],
  ])('%j becomes %j', (message, expected) => {
    expect(normaliseMessage(message)).toBe(expected);
  });

  it('leaves out values that the caller knows to differ', () => {
    expect(normaliseMessage('no records for wren-studio', ['wren-studio'])).toBe('no records for …');
  });

  it('keeps different reasons apart', () => {
    const [a, b] = ["(reading 'id')", "(reading 'name')"].map((end) => normaliseMessage(`of undefined ${end}`));
    expect(a).not.toBe(b);
  });

  it('takes no longer for long texts', () => {
    for (const unit of ['a', '1', '@', '/', ':', '://', '…,', 'a@', '[', '"']) {
      const started = performance.now();
      expect(normaliseMessage(unit.repeat(1_000_000)).length).toBeLessThan(400);
      expect(performance.now() - started).toBeLessThan(500);
    }
  });
});

const refusal = { method: 'GET', path: '/v1/issues', code: 429, times: 3 };

describe('reasonOf', () => {
  it('prefers the refusal of the provider to the text of the error', () => {
    const message = 'Request failed with status code 429';
    expect(reasonOf({ message, refusal })).toBe('429 on GET /v1/issues');
    expect(reasonOf({ message, refusal: { ...refusal, code: null } })).toBe('no answer to GET /v1/issues');
    expect(reasonOf({ message: ' bad\n  input' })).toBe('bad');
    expect(reasonOf({ message: null })).toBe('no longer in the log');
  });
});

describe('causeOf', () => {
  it('is the same for refusals that differ in ids and repetitions', () => {
    const at = (path: string, times = 1) => causeOf({ message: 'x', refusal: { ...refusal, path, times } }, ['wren']);
    expect(at('/v1/teams/7/issues')).toEqual(at('/v1/teams/12/issues', 3));
    expect(at('/v1/users/wren')).toEqual(at('/v1/users/4'));
    expect(at('/v1/users').key).not.toBe(at('/v1/teams').key);
  });

  it('differs by status, kind and message', () => {
    const of = (code: number) => causeOf({ message: 'x', refusal: { ...refusal, code } }).key;
    const keys = [of(429), of(503), causeOf({ message: 'a' }).key, causeOf({ message: 'a', type: 'b' }).key];
    expect(new Set(keys).size).toBe(4);
  });

  it('lets only the refusal onto locked screens', () => {
    expect(causeOf({ message: 'secret text' }).safeReason).toBeNull();
    expect(causeOf({ message: 'x', refusal }).safeReason).toBe('429 on GET /v1/issues');
  });
});

describe('isToldAgain', () => {
  const hour = 3_600_000;
  it.each([
    ['it lasts and is as large', { toldSize: 3, overAt: null }, 3, false],
    ['it lasts and grew ninefold', { toldSize: 3, overAt: null }, 29, false],
    ['it lasts and grew tenfold', { toldSize: 3, overAt: null }, 30, true],
    ['it was gone for less than an hour', { toldSize: 1, overAt: 10 * hour + 1 }, 1, false],
    ['it was gone for an hour', { toldSize: 1, overAt: 10 * hour }, 1, true],
    ['it was gone for a moment and comes back tenfold', { toldSize: 1, overAt: 11 * hour }, 10, true],
  ])('when %s', (_, before, size, expected) => {
    expect(isToldAgain(before, size, 11 * hour)).toBe(expected);
  });
});
