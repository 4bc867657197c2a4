import { availableParallelism } from 'node:os';
import type { FunctionLocation } from '../../../functions/compiler/function-path.ts';
import type { ShapeChange } from '../../functions/dry-run/compare-shapes.ts';
import { type FoundFixture, findFixtures, readFixture, writeFixture } from '../../functions/dry-run/fixture-files.ts';
import type { ReplayResult } from '../../functions/dry-run/replay.ts';
import { isJsonObject } from '../../platform/lib/json-object.ts';
import type { CliContext } from '../cli-context.ts';
import { CliFailure, EXIT } from '../cli-failure.ts';
import { showDifference } from '../local-run/show-difference.ts';
import { count, isFailing } from '../project/compile-project.ts';
import type { Project } from '../project/find-project.ts';
import type { LocalEngine } from '../project/local-engine.ts';
import type { OfflineCatalog } from '../project/offline-catalog.ts';
import { listIdsOf, runOnHub } from './run-dry.ts';

export interface TestOptions {
  environment: string;
  integrationId?: string;
  update?: boolean;
  drift?: boolean;
  connection?: string;
}

type TestCase = FoundFixture<FunctionLocation>;

/** `path` is the path of the function. Results hold only the differences, because there may be thousands of results. */
type TestResult = { path: string; fixture: string; tookMs: number } & (
  | Omit<Extract<ReplayResult, { outcome: 'differs' }>, 'actual' | 'unsent'>
  | Extract<ReplayResult, { outcome: 'failed' }>
  | { outcome: 'passed'; note?: string }
  | { outcome: 'updated' }
  | { outcome: 'broken'; problems: string[] }
);

/** One function process per processor, and enough replays at a time to keep all of them and the compiler busy. */
const WORKERS = Math.min(availableParallelism(), 4);
const AT_A_TIME = 12 * WORKERS;

/** Up to this many results are all listed. */
const FEW_RESULTS = 20;

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

interface TestRun {
  engine: LocalEngine;
  catalog: OfflineCatalog;
  project: Project;
  isUpdate: boolean;
}

/** Replays recorded runs. */
export async function runTests(context: CliContext, names: string[], options: TestOptions): Promise<void> {
  const { signal } = context;
  const project = await context.findProject();
  await using engine = await context.openEngine(project, { workers: WORKERS });
  const { cases: waiting, unrecorded } = await findCases(engine, project, names, options);
  const { OfflineCatalog } = await import('../project/offline-catalog.ts');
  const catalog = await OfflineCatalog.load(context.resources.catalog, project.root);
  const run: TestRun = { engine, catalog, project, isUpdate: options.update === true };
  const results: TestResult[] = [];
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next && !signal.aborted; next = waiting.shift()) {
      const result = await runCase(context, run, next);
      // A test that was interrupted has neither passed nor failed.
      if (signal.aborted) return;
      results.push(result);
      showCase(context, result);
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, worker));
  report(context, results, unrecorded);
}

interface DriftResult {
  path: string;
  fixture: string;
  /** Why it was not run. */
  skipped?: string;
  changes: ShapeChange[];
}

/** Makes recordings that only read again, and compares them by shape. Stores nothing and sends nothing that writes. */
export async function checkDrift(context: CliContext, names: string[], options: TestOptions): Promise<void> {
  const { signal, terminal } = context;
  const project = await context.findProject();
  await using engine = await context.openEngine(project);
  const { cases } = await findCases(engine, project, names, options);
  const results: DriftResult[] = [];
  for (const test of cases) {
    if (signal.aborted) throw new CliFailure('Stopped before every recording was compared.', EXIT.interrupted);
    const outcome = await compareWithProvider(context, { engine, project, test, options });
    const result = { path: test.subject.path, fixture: test.path, ...outcome };
    results.push(result);
    showDrift(terminal, result);
  }
  const changed = results.filter(({ changes }) => changes.length > 0);
  const skipped = results.filter((one) => one.skipped !== undefined).length;
  terminal.printJson({ compared: results.length - skipped, skipped, changed: changed.length, results });
  terminal.print(`${results.length - skipped} compared, ${changed.length} changed, ${skipped} left out`);
  if (changed.length > 0)
    throw new CliFailure(
      `The provider answers ${count(changed.length, 'recorded run')} in another form. Record again with "homeport dryrun <name> <connection_id> --save" when the functions fit.`,
      EXIT.run,
    );
}

async function compareWithProvider(
  context: CliContext,
  use: { engine: LocalEngine; project: Project; test: TestCase; options: TestOptions },
): Promise<{ changes: ShapeChange[]; skipped?: string }> {
  const { engine, options, project, test } = use;
  const { compareShapes, isReadOnly, readFilter } = await import('../../functions/dry-run/compare-shapes.ts');
  const { integration, path } = test.subject;
  const fixture = await readFixture(project.root, test);
  if (!isReadOnly(fixture.api)) return { changes: [], skipped: 'its recording has requests that write, or none' };
  const compiled = await engine.compiler.compileFile(path);
  if (!compiled.ok) return { changes: [], skipped: 'it does not compile' };
  const known = options.connection === undefined ? await listIdsOf(context, integration, options.environment) : [];
  const connectionId = options.connection ?? (known?.length === 1 ? known[0] : undefined);
  if (connectionId === undefined)
    return {
      changes: [],
      skipped: known?.length
        ? `${integration} has ${known.length} connections: choose with --connection`
        : `${integration} has no connection here`,
    };
  const request = {
    compiled: compiled.compiled,
    isRecorded: 'partly' as const,
    ...(fixture.input === undefined ? {} : { input: fixture.input }),
    ...(isJsonObject(fixture.nango?.getMetadata) ? { metadata: fixture.nango.getMetadata } : {}),
  };
  const { environment } = options;
  const run = { request, connectionId, environment, onLog: () => undefined, mayBeSent: readFilter(fixture.api) };
  const { fixture: current, outcome } = await runOnHub(context, engine, run);
  const changes = compareShapes(fixture.api, current?.api);
  if (!outcome.ok) {
    const { describeFailure } = await import('../../functions/dry-run/describe-failure.ts');
    // A function that fails because a field is gone has still shown that it is gone.
    return { changes, skipped: `the run failed: ${describeFailure(outcome.failure).message}` };
  }
  return { changes };
}

function showDrift(terminal: CliContext['terminal'], { changes, path, skipped }: DriftResult): void {
  const { colors } = terminal;
  const mark = skipped !== undefined ? colors.dim('–') : changes.length > 0 ? colors.red('✗') : colors.green('✓');
  terminal.print(`${mark} ${path}${skipped === undefined ? '' : `: ${skipped}`}`);
  for (const { after, before, field, kind, request } of changes)
    terminal.print(
      `    ${request}: ${field} ${kind === 'gone' ? `is gone (${before})` : `was ${before}, is ${after}`}`,
    );
}

/** In the JSON output, the outcome is called `verdict`. */
function toPublicResult({ path, fixture, tookMs, outcome, ...details }: TestResult): Record<string, unknown> {
  return { path, fixture, tookMs, verdict: outcome, ...details };
}

/** Prints the failures and then the counts at the end, because thousands of lines may come before. */
function report({ signal, terminal }: CliContext, results: TestResult[], unrecorded: string[]): void {
  const failed = results.filter((result) => !isGood(result));
  terminal.printJson({
    passed: results.length - failed.length,
    failed: failed.length,
    unrecorded,
    results: results.map(toPublicResult),
  });
  if (results.length > FEW_RESULTS)
    for (const { path, fixture } of failed) terminal.print(`${terminal.colors.red('✗')} ${path} (${fixture})`);
  terminal.print(`${results.length - failed.length} passed, ${failed.length} failed`);
  if (unrecorded.length > 0)
    terminal.note(
      `${count(unrecorded.length, 'function')} without a recorded run: ${unrecorded.slice(0, FEW_RESULTS).join(', ')}${unrecorded.length > FEW_RESULTS ? ', …' : ''}`,
    );
  if (signal.aborted) throw new CliFailure('Stopped before every recorded run was replayed.', EXIT.interrupted);
  if (failed.length > 0)
    throw new CliFailure(
      `${count(failed.length, 'recorded run')} no longer ${failed.length === 1 ? 'fits' : 'fit'}.`,
      EXIT.run,
    );
}

async function findCases(
  engine: LocalEngine,
  project: Project,
  names: string[],
  options: TestOptions,
): Promise<{ cases: TestCase[]; unrecorded: string[] }> {
  const { functions } = await engine.compiler.discover();
  const wanted = functions.filter(
    ({ name, integration }) =>
      (names.length === 0 || names.includes(name)) &&
      (options.integrationId === undefined || options.integrationId === integration),
  );
  const unknown = names.filter((name) => !wanted.some((one) => one.name === name));
  if (unknown.length > 0) throw new CliFailure(`There is no function ${unknown.join(', ')} here.`, EXIT.usage);
  const cases = await findFixtures(project.root, wanted);
  const recorded = new Set(cases.map(({ subject }) => subject.path));
  const unrecorded = wanted.map(({ path }) => path).filter((path) => !recorded.has(path));
  if (cases.length > 0) return { cases, unrecorded };
  throw new CliFailure(
    'Nothing is recorded yet. Record a run with "homeport dryrun <name> <connection_id> --save".',
    EXIT.usage,
  );
}

async function runCase(context: CliContext, run: TestRun, test: TestCase): Promise<TestResult> {
  const { clock } = context;
  const startedAt = clock.now();
  const judged = await judgeCase(context, run, test).catch((error: unknown) => {
    // When a file cannot be read or has disappeared, only its own test fails.
    const problem = error instanceof Error ? error.message : String(error);
    return { outcome: 'broken' as const, problems: [problem] };
  });
  return { path: test.subject.path, fixture: test.path, tookMs: clock.now() - startedAt, ...judged };
}

async function judgeCase(
  { signal }: CliContext,
  { engine, catalog, project, isUpdate }: TestRun,
  test: TestCase,
): Promise<DistributiveOmit<TestResult, 'path' | 'fixture' | 'tookMs'>> {
  const location = test.subject;
  const fixture = await readFixture(project.root, test);
  const compiled = await engine.compiler.compileFile(location.path);
  const problems = compiled.ok ? compiled.compiled.warnings.filter(isFailing) : compiled.diagnostics;
  if (!compiled.ok || problems.length > 0)
    return {
      outcome: 'broken',
      problems: problems.map(({ file, line, message }) => `${file}:${line} ${message}`),
    };
  const provider = String(fixture.nango?.getConnection?.['provider'] ?? location.integration);
  // Loads the runtime of functions.
  const { replay, withActual } = await import('../../functions/dry-run/replay.ts');
  const result = await replay({
    compiled: compiled.compiled,
    fixture,
    runner: engine.runner,
    provider,
    paginateDefaults: catalog.paginateDefaults(provider),
    signal,
  });
  switch (result.outcome) {
    case 'passed':
      return { outcome: 'passed', ...(result.note ? { note: result.note } : {}) };
    case 'failed':
      return result;
    case 'differs':
      if (!isUpdate) return { outcome: 'differs', differences: result.differences };
      await writeFixture(project.root, test, withActual(fixture, result.actual));
      return { outcome: 'updated' };
  }
}

function isGood({ outcome }: TestResult): boolean {
  return outcome === 'passed' || outcome === 'updated';
}

function showCase({ terminal }: CliContext, result: TestResult): void {
  const { colors } = terminal;
  const mark = isGood(result) ? colors.green('✓') : colors.red('✗');
  const remark = result.outcome === 'updated' ? ' updated' : '';
  terminal.print(`${mark} ${result.path}${remark} ${colors.dim(`${result.tookMs} ms`)}`);
  for (const line of linesOf(result)) terminal.print(`    ${line}`);
}

function linesOf(result: TestResult): string[] {
  switch (result.outcome) {
    case 'updated':
      return [];
    case 'passed':
      return result.note ? [result.note] : [];
    case 'broken':
      return result.problems;
    case 'differs':
      return result.differences.flatMap(showDifference);
    case 'failed':
      return [`${result.failure.message} (${result.failure.code})`, ...(result.failure.stack?.split('\n') ?? [])];
  }
}
