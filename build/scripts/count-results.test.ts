import { describe, expect, it } from 'vitest';
// @ts-expect-error a plain script without types: it has to run on any Node
import { countResults } from './count-results.mjs';

const broken = { status: 'failed', assertionResults: [] };
const failing = { status: 'failed', assertionResults: [{ status: 'passed' }, { status: 'failed' }] };

describe('countResults', () => {
  it('counts tests, and a file that could not be loaded as one failure', () => {
    const report = { numPassedTests: 7, numFailedTests: 1, testResults: [broken, failing] };

    expect(countResults(report, false)).toEqual({ passed: 7, failed: 2 });
  });

  it('never calls a run good that ended badly', () => {
    expect(countResults({ numPassedTests: 7, numFailedTests: 0, testResults: [] }, false)).toEqual({
      passed: 7,
      failed: 1,
    });
    expect(countResults(undefined, true)).toEqual({ passed: 0, failed: 1 });
  });
});
