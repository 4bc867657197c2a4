/** Key of a test: its file and its name. A file that could not be loaded has no test. */
const keyOf = ({ file, test = '' }) => `${file}\n${test}`;

/** Tests that failed and passed when their files were run once more. They are unstable and must be fixed. */
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

/** The lines that a run prints about its second try. `record` lists the unstable tests of earlier runs. */
export function describeSecondTry(unstable, record) {
  if (unstable.length === 0) return ['None of them passed at the second try.'];
  return [
    `${unstable.length} passed at the second try only. They are unstable, count as failed and must be fixed:`,
    ...unstable.map((one) => {
      const days = record.filter((entry) => keyOf(entry) === keyOf(one)).map(({ date }) => date);
      const before = days.length === 0 ? '' : ` (also on ${[...new Set(days)].join(', ')})`;
      return `  ${[one.file, one.test].filter(Boolean).join(' > ')}${before}`;
    }),
  ];
}
