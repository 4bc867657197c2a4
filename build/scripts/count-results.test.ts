import { describe, expect, it } from 'vitest';
// @ts-expect-error a plain script without types: it has to run on any Node
import { countResults, describeLeftOut, failedFiles } from './count-results.mjs';
// @ts-expect-error as above
import { describeSecondTry, passedAtSecondTry } from './second-try.mjs';

const broken = { status: 'failed', assertionResults: [] };
const failing = { status: 'failed', assertionResults: [{ status: 'passed' }, { status: 'failed' }] };

describe('countResults', () => {
  it('counts tests, and a file that could not be loaded as one failure', () => {
    const report = { numPassedTests: 7, numFailedTests: 1, testResults: [broken, failing] };

    expect(countResults(report, false)).toEqual({ passed: 7, failed: 2 });
  });

  it('never reports a failed run as passed', () => {
    expect(countResults({ numPassedTests: 7, numFailedTests: 0, testResults: [] }, false)).toEqual({
      passed: 7,
      failed: 1,
    });
    expect(countResults(undefined, true)).toEqual({ passed: 0, failed: 1 });
  });
});

it('names the tests that were left out by level and folder, not those that skipped themselves', () => {
  const tests = [
    { status: 'passed', tags: ['slow'] },
    { status: 'skipped', tags: ['slow'] },
    { status: 'skipped', tags: ['slow', 'nightly'] },
    { status: 'skipped', tags: [] },
    { status: 'skipped' },
  ];
  const file = (name: string) => ({ name: `${process.cwd()}/test/${name}`, status: 'passed', assertionResults: tests });

  expect(describeLeftOut({ testResults: [file('a/one.test.ts'), file('a/two.test.ts'), file('b/c.test.ts')] })).toEqual(
    [
      '3 nightly tests were left out, npm run test:nightly runs them too: test/a 2, test/b 1',
      '3 slow tests were left out, npm run test:all runs them too: test/a 2, test/b 1',
    ],
  );
  expect(describeLeftOut({ testResults: [] })).toEqual([]);
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
});

describe('tests that passed at the second try only', () => {
  const named = (fullName: string, status: string) => ({ fullName, status });
  const first = {
    testResults: [
      { name: 'a', status: 'passed', assertionResults: [named('one', 'passed')] },
      { name: 'b', status: 'failed', assertionResults: [named('one', 'failed'), named('two', 'failed')] },
      { name: 'c', ...broken },
      { name: 'd', ...broken },
    ],
  };
  const second = {
    testResults: [
      { name: 'b', status: 'failed', assertionResults: [named('one', 'passed'), named('two', 'failed')] },
      { name: 'c', status: 'passed', assertionResults: [named('one', 'passed')] },
      { name: 'd', ...broken },
    ],
  };
  const unstable = [{ file: 'b', test: 'one' }, { file: 'c' }];

  it('are named with their files, and a file that could not be loaded by itself', () => {
    expect(passedAtSecondTry(first, second)).toEqual(unstable);
  });

  it('are printed, with the days on which they needed one before', () => {
    const record = [
      { file: 'b', test: 'one', date: '2026-11-01' },
      { file: 'b', test: 'two', date: '2026-11-02' },
      { file: 'b', test: 'one', date: '2026-11-03' },
    ];

    expect(describeSecondTry(unstable, record)).toEqual([
      '2 passed at the second try only. They are unstable, count as failed and must be fixed:',
      '  b > one (also on 2026-11-01, 2026-11-03)',
      '  c',
    ]);
  });

  it('are said to be none when there are none', () => {
    expect(describeSecondTry([], [])).toEqual(['None of them passed at the second try.']);
  });
});
