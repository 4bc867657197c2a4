import { spawn } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { countResults, describeLeftOut, failedFiles } from './count-results.mjs';
import { describeSecondTry, passedAtSecondTry } from './second-try.mjs';
import { BuildProblem, isBuilt } from './setup/build-outputs.mjs';
import { readJson, writeJson } from './setup/fingerprint.mjs';
import { CommandError, runCommand } from './setup/run-command.mjs';
import { reportAndExit, runSetup } from './setup/run-setup.mjs';
import { DIST, NODE_MODULES, ROOT } from './setup/setup-paths.mjs';
import { SetupProblem } from './setup/setup-problem.mjs';

/**
 * `node build/scripts/test.mjs` runs all tests that are not slow, `--all` the slow ones too, `--nightly` also those of
 * the night, `--golden` those that compare stored files, and stores them again; with paths (or options of Vitest) only those tests, slow or not.
 */
const words = process.argv.slice(2);
const isNightly = words.includes('--nightly');
const isAll = words.includes('--all');
const GOLDEN_FILES = [
  'test/golden',
  'test/contract/cli/cli-commands.test.ts',
  'test/integration/database/schema.test.ts',
  'test/integration/proxy/catalog-requests.test.ts',
  'test/e2e/dashboard/every-screen.test.ts',
];
const isGolden = words.includes('--golden');
const selection = isGolden
  ? ['--update', ...GOLDEN_FILES]
  : words.filter((word) => !['--all', '--nightly'].includes(word));
/** The long forms of tests that repeat something at random. */
const NIGHTLY_ENV = { HOMEPORT_CRASH_ROUNDS: '20', HOMEPORT_FUZZ_REQUESTS: '50' };
let runtime;
const total = { passed: 0, failed: 0 };

/** Milliseconds. A test that leaves a process running must not block the summary; the report is written before. */
const LINGER_MS = 30_000;

function run(file, args, resultFile) {
  return new Promise((resolve) => {
    const env = {
      ...(isNightly && NIGHTLY_ENV),
      ...process.env,
      ...(isGolden && { UPDATE_GOLDEN: '1' }),
    };
    const child = spawn(runtime, [path.join(NODE_MODULES, file), ...args], { stdio: 'inherit', cwd: ROOT, env });
    const watch = resultFile && setInterval(() => endLingering(child, resultFile, watch), 1000);
    child.once('exit', (code) => {
      clearInterval(watch);
      resolve(code === 0);
    });
  });
}

function endLingering(child, resultFile, watch) {
  if (!existsSync(resultFile)) return;
  clearInterval(watch);
  const timer = setTimeout(() => {
    process.stdout.write('The tests are over, but a process that they started is still running; it is ended.\n');
    child.kill('SIGKILL');
  }, LINGER_MS);
  child.once('exit', () => clearTimeout(timer));
}

/** Runs next to the tests; its output is kept until it has ended. */
async function check(title, file, args) {
  try {
    await runCommand(runtime, [path.join(NODE_MODULES, file), ...args], { cwd: ROOT });
    total.passed += 1;
    process.stdout.write(`✓ ${title}\n`);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    total.failed += 1;
    process.stdout.write(`${error.output}\n✗ ${title}\n`);
  }
}

/** Resolves to the checks, which need the packages only and start as soon as these are installed. */
async function setUpForTests() {
  let checks = [];
  const onInstalled = (installedRuntime) => {
    runtime = installedRuntime;
    if (selection.length > 0) return;
    checks = [
      check('types', 'typescript-7/bin/tsc', ['-b']),
      check('lint and format', '@biomejs/biome/bin/biome', ['check', '--config-path=build/config']),
    ];
  };
  try {
    await runSetup({ quiet: true, onInstalled });
    if (!isBuilt()) {
      total.failed += 1;
      process.stdout.write(
        '✗ build: a part could not be built from the current sources; the tests use its last build\n',
      );
    }
  } catch (error) {
    if (!(error instanceof SetupProblem)) throw error;
    if (!(error instanceof BuildProblem)) reportAndExit(error);
    total.failed += 1;
    process.stdout.write(`${error.details}\n✗ build: ${error.message}\n`);
  }
  return checks;
}

/** The tags of CONTRIBUTING.md, "Tests". */
const QUICK = '(!slow && !nightly) || main-path';
const EVERY_PUSH = '!nightly || main-path';

/** Undefined: all tests. What a person names runs whole. */
function tagsFilter() {
  if (isNightly) return undefined;
  if (isAll) return EVERY_PUSH;
  return selection.length === 0 ? QUICK : undefined;
}
/** More failed files than this have a common cause, and are not repeated. */
const MAX_RETRIED_FILES = 8;

async function runVitest(chosen) {
  // One file per process, because two runs at the same time must not read each other's results.
  const resultFile = path.join(DIST, `test-results-${process.pid}.json`);
  const filter = tagsFilter();
  const config = ['--config', 'build/config/vitest.config.ts', ...(filter ? [`--tags-filter=${filter}`] : [])];
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${resultFile}`];
  const isGood = await run('vitest/vitest.mjs', ['run', ...config, ...reporters, ...chosen], resultFile);
  const report = readJson(resultFile);
  rmSync(resultFile, { force: true });
  return { isGood, report };
}

/** Which tests needed a second try, and when. */
const UNSTABLE_TESTS = path.join(DIST, 'unstable-tests.json');
const MAX_RECORDED = 200;

/**
 * A few failed files are run once more by themselves, which says whether they are broken or unstable. A test that passes
 * then has failed all the same: it is named and recorded, because it has to be fixed.
 */
async function runTests() {
  const first = await runVitest(selection);
  const files = first.report ? failedFiles(first.report) : [];
  if (selection.length > 0 || files.length === 0 || files.length > MAX_RETRIED_FILES) return first;
  process.stdout.write(`Failed, and run once more:\n${files.map((file) => `  ${file}\n`).join('')}`);
  const second = await runVitest(files);
  if (!second.report) return first;
  const unstable = passedAtSecondTry(first.report, second.report).map(({ file, ...test }) => ({
    file: path.relative(ROOT, file),
    ...test,
  }));
  const record = readJson(UNSTABLE_TESTS) ?? [];
  process.stdout.write(`${describeSecondTry(unstable, record).join('\n')}\n`);
  const date = new Date().toISOString().slice(0, 10);
  writeJson(UNSTABLE_TESTS, [...record, ...unstable.map((one) => ({ ...one, date }))].slice(-MAX_RECORDED));
  return first;
}

const checks = await setUpForTests();
const { report, isGood } = await runTests();
await Promise.all(checks);
const { passed, failed } = countResults(report, isGood);
total.passed += passed;
total.failed += failed;
if (report && tagsFilter())
  process.stdout.write(
    describeLeftOut(report)
      .map((line) => `${line}\n`)
      .join(''),
  );
process.stdout.write(`${total.passed} passed, ${total.failed} failed\n`);
process.exitCode = total.failed > 0 ? 1 : 0;
