import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT } from './setup/setup-paths.mjs';

/** What each test file costs `npm test`, as it was measured last: processor seconds and path, one file a line. */
const STORED = path.join(ROOT, 'test/seconds.tsv');
/** Files that take less are not stored. */
const LEAST_SECONDS = 1;
/** The most that one file may cost `npm test`. */
export const MOST_SECONDS = 12;
/** It plays 200 weeks in two processes, which take 30 s on two cores, and is wanted in full. */
const MAY_COST_MORE = { 'test/simulation/simulation.test.ts': 50 };

/** Seconds by file. Of a file that ran twice the least counts: a busy machine only adds. */
export function readSeconds(text) {
  const seconds = new Map();
  for (const line of text.split('\n').filter(Boolean)) {
    const [measured, file] = line.split('\t');
    seconds.set(file, Math.min(Number(measured), seconds.get(file) ?? Number.POSITIVE_INFINITY));
  }
  return seconds;
}

export const storedSeconds = () => readSeconds(readFileSync(STORED, 'utf8'));

/** The lines to store: those of the new measurement, and those of files that it did not run. */
export function mergeSeconds(stored, measured) {
  return [...new Map([...stored, ...measured])]
    .filter(([, seconds]) => seconds >= LEAST_SECONDS)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([file, seconds]) => `${seconds.toFixed(1)}\t${file}`);
}

/** What to do about the files that cost `npm test` too much. `textOf`: the text of a file, undefined if it is gone. */
export function findExpensive(stored, textOf) {
  return [...stored]
    .filter(([file, seconds]) => seconds > (MAY_COST_MORE[file] ?? MOST_SECONDS))
    .sort(([, one], [, other]) => other - one)
    .flatMap(([file, seconds]) => {
      const text = textOf(file);
      if (text === undefined) return [];
      const isTagged = /^\/\/ @module-tag (slow|nightly)\b/.test(text);
      const advice = isTagged
        ? 'fewer of its tests should be tagged main-path'
        : 'tag it slow, and main-path what it is for, or tag its longest tests slow';
      return [`${file} takes ${seconds} s of npm test, more than ${MOST_SECONDS}: ${advice}`];
    });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [ledger] = process.argv.slice(2);
  if (ledger === undefined || !existsSync(ledger)) {
    process.stderr.write('Usage: HOMEPORT_TEST_TIMES=dist/times npm test; npm run test:seconds -- dist/times\n');
    process.exit(64);
  }
  const stored = existsSync(STORED) ? storedSeconds() : new Map();
  const here = [...stored].filter(([file]) => existsSync(path.join(ROOT, file)));
  const measured = readSeconds(readFileSync(ledger, 'utf8'));
  writeFileSync(STORED, `${mergeSeconds(here, measured).join('\n')}\n`);
  const sum = [...measured.values()].reduce((total, seconds) => total + seconds, 0);
  process.stdout.write(`${measured.size} files were measured: ${Math.round(sum)} processor seconds.\n`);
}
