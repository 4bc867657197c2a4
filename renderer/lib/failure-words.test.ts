import { describe, expect, it } from 'vitest';
import { failureWords, refusalWords } from './failure-words.ts';

const refusal = { method: 'GET', path: '/v1/issues', code: 429, times: 3 };

describe('refusalWords', () => {
  it('says who refused what how often', () => {
    expect(refusalWords(refusal, 'Practice tracker')).toBe(
      'Practice tracker answered 429 to GET /v1/issues, 3 times in a row',
    );
    expect(refusalWords({ ...refusal, times: 1 }, 'Xero')).toBe('Xero answered 429 to GET /v1/issues');
    expect(refusalWords({ ...refusal, code: null, times: 2 }, 'Xero')).toBe(
      'Xero did not answer GET /v1/issues, 2 times in a row',
    );
  });
});

describe('failureWords', () => {
  it('falls back to the error, which may be gone', () => {
    expect(failureWords({ error: 'no id', refusal: null }, 'Xero')).toBe('no id');
    expect(failureWords({ error: 'Request failed', refusal: { ...refusal, times: 1 } }, 'Xero')).toContain('answered');
    expect(failureWords({ error: null, refusal: null }, 'Xero')).toBeUndefined();
  });
});
