/**
 * Counts the results of a Vitest run. A file that could not be loaded counts as one failure. So does a run that failed
 * although every test passed (an error between tests), and a run without a report.
 */
export function countResults(report, endedWell) {
  if (!report) return { passed: 0, failed: 1 };
  const brokenFiles = report.testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
  ).length;
  const failed = report.numFailedTests + brokenFiles;
  return { passed: report.numPassedTests, failed: failed === 0 && !endedWell ? 1 : failed };
}

/** The number of slow tests that this run left out. */
export function countLeftOut(report) {
  const tests = report.testResults.flatMap(({ assertionResults }) => assertionResults);
  return tests.filter(({ status, tags = [] }) => status !== 'passed' && status !== 'failed' && tags.includes('slow'))
    .length;
}

/** Files with a failed test, and files that could not be loaded. */
export function failedFiles(report) {
  return report.testResults.filter(({ status }) => status === 'failed').map(({ name }) => name);
}

/** The report, with the results of repeated files instead of their first ones. */
export function withSecondTry(report, again) {
  const names = new Set(again.testResults.map(({ name }) => name));
  const testResults = [...report.testResults.filter(({ name }) => !names.has(name)), ...again.testResults];
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  const count = (status) => tests.filter((test) => test.status === status).length;
  return { testResults, numPassedTests: count('passed'), numFailedTests: count('failed') };
}
