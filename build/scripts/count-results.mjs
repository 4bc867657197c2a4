import path from 'node:path';
import { ROOT } from './setup/setup-paths.mjs';

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

/** Which tests run beside `npm test`, by their tag; a test with both counts for the first. */
const LEVELS = [
  { tag: 'nightly', command: 'npm run test:nightly' },
  { tag: 'slow', command: 'npm run test:all' },
];

/** Lines that say which tests this run left out, by folder. */
export function describeLeftOut(report) {
  const leftOut = report.testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status !== 'passed' && status !== 'failed')
      .map(({ tags = [] }) => ({ folder: folderOf(name), tag: LEVELS.find(({ tag }) => tags.includes(tag))?.tag })),
  );
  return LEVELS.flatMap(({ tag, command }) => {
    const ofLevel = leftOut.filter((one) => one.tag === tag);
    if (ofLevel.length === 0) return [];
    const folders = new Map();
    for (const { folder } of ofLevel) folders.set(folder, (folders.get(folder) ?? 0) + 1);
    const named = [...folders].sort(([, one], [, other]) => other - one).map(([folder, count]) => `${folder} ${count}`);
    return [`${ofLevel.length} ${tag} tests were left out, ${command} runs them too: ${named.join(', ')}`];
  });
}

const folderOf = (file) => path.dirname(path.relative(ROOT, file));

/** Files with a failed test, and files that could not be loaded. */
export function failedFiles(report) {
  return report.testResults.filter(({ status }) => status === 'failed').map(({ name }) => name);
}
