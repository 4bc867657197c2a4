import { describe, expect, it } from 'vitest';
// @ts-expect-error a plain script without types: it has to run on any Node
import { countResults, failedFiles, withSecondTry } from './count-results.mjs';

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

describe('a second try', () => {
  const passed = { status: 'passed' };
  const failed = { status: 'failed' };
  const first = {
    numPassedTests: 2,
    numFailedTests: 1,
    testResults: [
      { name: 'a', status: 'passed', assertionResults: [passed] },
      { name: 'b', status: 'failed', assertionResults: [passed, failed] },
      { name: 'c', ...broken },
    ],
  };

  it('is for files with a failed test and files that could not be loaded', () => {
    expect(failedFiles(first)).toEqual(['b', 'c']);
  });

  it('replaces the results of its files and leaves the others', () => {
    const again = {
      testResults: [
        { name: 'b', status: 'passed', assertionResults: [passed, passed] },
        { name: 'c', ...broken },
      ],
    };

    expect(countResults(withSecondTry(first, again), false)).toEqual({ passed: 3, failed: 1 });
  });
});
