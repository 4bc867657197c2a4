/**
 * What a run of Vitest amounts to. A file that could not be loaded has no tests and counts as one failure; so does
 * a run that ended badly although every test passed (an error between tests), and one that left no report.
 */
export function countResults(report, endedWell) {
  if (!report) return { passed: 0, failed: 1 };
  const brokenFiles = report.testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
  ).length;
  const failed = report.numFailedTests + brokenFiles;
  return { passed: report.numPassedTests, failed: failed === 0 && !endedWell ? 1 : failed };
}
