import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import type { FunctionLocation } from '../../../functions/compiler/function-path.ts';
import type { Fixture } from '../../../functions/testing/fixture-file.ts';
import type { CliContext } from '../cli-context.ts';
import { CliFailure, EXIT } from '../cli-failure.ts';
import { type ReplayResult, replay } from '../local-run/replay.ts';
import { showDifference } from '../local-run/show-difference.ts';
import { count, isFailing } from '../project/compile-project.ts';
import type { Project } from '../project/find-project.ts';
import { type FoundFixture, findFixture } from '../project/fixture-files.ts';
import type { LocalEngine } from '../project/local-engine.ts';
import { OfflineCatalog } from '../project/offline-catalog.ts';

interface Options {
  integration?: string;
  update?: boolean;
}

interface TestCase extends FoundFixture {
  location: FunctionLocation;
}

type TestResult = { path: string; tookMs: number } & (
  | Exclude<ReplayResult, { verdict: 'passed' }>
  | { verdict: 'passed'; note?: string }
  | { verdict: 'updated' }
  | { verdict: 'broken'; problems: string[] }
);

/** Replays at a time: the sandbox runs them on threads of their own. */
const AT_A_TIME = 4;

export function addTest(program: Command, context: CliContext): void {
  program
    .command('test')
    .description('replay recorded runs (*.test.json) and compare; nothing goes over the network')
    .argument('[names...]', 'functions; all of them when none is named')
    .option('-i, --integration <key>', 'only functions of one integration')
    .option('--update', 'take what comes out as what is expected from now on')
    .action((names: string[], options: Options) => runTests(context, names, options));
}

async function runTests(context: CliContext, names: string[], options: Options): Promise<void> {
  const { terminal } = context;
  const project = await context.findProject();
  await using engine = await context.openEngine(project);
  const cases = await findCases(engine, project, names, options);
  const catalog = await OfflineCatalog.load(context.resources.catalog, project.root);
  const results: TestResult[] = [];
  const waiting = [...cases];
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const result = await runCase(context, {
        engine,
        catalog,
        project,
        test: next,
        isUpdate: options.update === true,
      });
      results.push(result);
      showCase(context, result);
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, worker));
  const failed = results.filter(({ verdict }) => verdict !== 'passed' && verdict !== 'updated');
  terminal.printJson({ passed: results.length - failed.length, failed: failed.length, results });
  terminal.print(`${results.length - failed.length} passed, ${failed.length} failed`);
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
  options: Options,
): Promise<TestCase[]> {
  const { functions } = await engine.compiler.discover();
  const wanted = functions.filter(
    ({ name, integration }) =>
      (names.length === 0 || names.includes(name)) &&
      (options.integration === undefined || options.integration === integration),
  );
  const unknown = names.filter((name) => !wanted.some((one) => one.name === name));
  if (unknown.length > 0) throw new CliFailure(`There is no function ${unknown.join(', ')} here.`, EXIT.usage);
  const found = await Promise.all(
    wanted.map(async (location) => {
      const fixture = await findFixture(project.root, location);
      return fixture ? [{ location, ...fixture }] : [];
    }),
  );
  const cases = found.flat();
  if (cases.length > 0) return cases;
  throw new CliFailure(
    'Nothing is recorded yet. Record a run with "homeport dryrun <name> <connection_id> --save".',
    EXIT.usage,
  );
}

async function runCase(
  { clock, signal }: CliContext,
  run: { engine: LocalEngine; catalog: OfflineCatalog; project: Project; test: TestCase; isUpdate: boolean },
): Promise<TestResult> {
  const { engine, catalog, project, test, isUpdate } = run;
  const { location, fixture, path } = test;
  const startedAt = clock.now();
  const done = <T>(result: T): T & { path: string; tookMs: number } => ({
    path: location.path,
    tookMs: clock.now() - startedAt,
    ...result,
  });
  const compiled = await engine.compiler.compileFile(location.path);
  const problems = compiled.ok ? compiled.compiled.warnings.filter(isFailing) : compiled.diagnostics;
  if (!compiled.ok || problems.length > 0)
    return done({
      verdict: 'broken' as const,
      problems: problems.map(({ file, line, message }) => `${file}:${line} ${message}`),
    });
  const provider = String(fixture.nango?.getConnection?.['provider'] ?? location.integration);
  const result = await replay({
    compiled: compiled.compiled,
    fixture,
    runner: engine.runner,
    provider,
    paginateDefaults: catalog.paginateDefaults(provider),
    signal,
  });
  if (result.verdict === 'differs' && isUpdate) {
    await writeFile(join(project.root, path), `${JSON.stringify(withActual(fixture, result.actual), null, 2)}\n`);
    return done({ verdict: 'updated' as const });
  }
  if (result.verdict !== 'passed') return done(result);
  return done({ verdict: 'passed' as const, ...(result.note ? { note: result.note } : {}) });
}

/** The recording with what came out in place of what was expected; answers of the provider stay. */
function withActual(
  fixture: Fixture,
  { output, batchSave, batchDelete }: Extract<ReplayResult, { actual: unknown }>['actual'],
): Fixture {
  if (output !== undefined) return { ...fixture, output };
  return { ...fixture, nango: { ...fixture.nango, batchSave, batchDelete } };
}

function showCase({ terminal }: CliContext, result: TestResult): void {
  const { colors } = terminal;
  const isGood = result.verdict === 'passed' || result.verdict === 'updated';
  const mark = isGood ? colors.green('✓') : colors.red('✗');
  const remark = result.verdict === 'updated' ? ' updated' : '';
  terminal.print(`${mark} ${result.path}${remark} ${colors.dim(`${result.tookMs} ms`)}`);
  for (const line of linesOf(result)) terminal.print(`    ${line}`);
}

function linesOf(result: TestResult): string[] {
  switch (result.verdict) {
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
