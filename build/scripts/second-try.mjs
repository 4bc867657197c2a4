/** How a test is told from others: its file, and its name. A file that could not be loaded has no test. */
const keyOf = ({ file, test = '' }) => `${file}\n${test}`;

/** Tests that failed and passed when their files were run once more. They are unstable and are to be mended. */
export function passedAtSecondTry(first, second) {
  const again = new Map(second.testResults.map((result) => [result.name, result]));
  return first.testResults.flatMap(({ name: file, status, assertionResults }) => {
    const result = again.get(file);
    if (status !== 'failed' || !result) return [];
    const failed = namesOf(assertionResults, 'failed');
    if (failed.length === 0) return result.status === 'passed' ? [{ file }] : [];
    const passed = new Set(namesOf(result.assertionResults, 'passed'));
    return failed.filter((test) => passed.has(test)).map((test) => ({ file, test }));
  });
}

const namesOf = (tests, status) => tests.filter((test) => test.status === status).map(({ fullName }) => fullName);

/** What a run says of its second try. `record` is what earlier runs kept of theirs. */
export function describeSecondTry(unstable, { record, areCounted }) {
  if (unstable.length === 0) return ['None of them passed at the second try.'];
  const result = areCounted ? 'They count as passed, and are to be mended' : 'They count as failed';
  return [
    `${unstable.length} passed at the second try only. ${result}:`,
    ...unstable.map((one) => {
      const days = record.filter((entry) => keyOf(entry) === keyOf(one)).map(({ date }) => date);
      const before = days.length === 0 ? '' : ` (also on ${[...new Set(days)].join(', ')})`;
      return `  ${[one.file, one.test].filter(Boolean).join(' > ')}${before}`;
    }),
  ];
}
