import { isDeepStrictEqual } from 'node:util';
import type { CompiledFunction } from '../../../functions/compiler/compiled-function.ts';
import type { Fixture } from '../../../functions/testing/fixture-file.ts';
import { describeFailure, type FailureReport } from './describe-failure.ts';
import { FixturePlace } from './fixture-place.ts';
import { LocalHost } from './local-host.ts';
import type { LocalRunner } from './local-runner.ts';
import { ReplayExit } from './replay-exit.ts';

/** One value that is not what was recorded. */
export interface Difference {
  /** `output`, `batchSave.Issue`, … */
  what: string;
  expected: unknown;
  actual: unknown;
}

export type ReplayResult =
  | { verdict: 'passed'; note?: string; actual: ReplayedValues }
  | { verdict: 'differs'; differences: Difference[]; actual: ReplayedValues }
  | { verdict: 'failed'; failure: FailureReport };

/** What a run made of a recording. */
export interface ReplayedValues {
  output?: unknown;
  batchSave: Record<string, unknown[]>;
  batchDelete: Record<string, unknown[]>;
}

export interface ReplayRequest {
  compiled: CompiledFunction;
  fixture: Fixture;
  runner: LocalRunner;
  provider: string;
  paginateDefaults: Record<string, unknown> | null;
  signal: AbortSignal;
}

/** The mock classes hand on 4xx and 5xx answers that throw in a real run (functions.md 8.4). */
const LENIENT_NOTE =
  'passes only as the mocks run it, where refused requests do not throw; in the hub this run ends with an error';

/** Runs a function over a recording, without a network, and compares as the generated tests do (functions.md 8.4). */
export async function replay(request: ReplayRequest): Promise<ReplayResult> {
  const strict = await attempt(request, true);
  if (strict.result.verdict === 'passed' || !strict.hasRefused) return strict.result;
  const lenient = await attempt(request, false);
  return lenient.result.verdict === 'passed' ? { ...lenient.result, note: LENIENT_NOTE } : strict.result;
}

async function attempt(
  { compiled, fixture, runner, provider, paginateDefaults, signal }: ReplayRequest,
  throwsOnRefusal: boolean,
): Promise<{ result: ReplayResult; hasRefused: boolean }> {
  const exit = new ReplayExit(fixture.api);
  const host = new LocalHost({
    exit,
    place: new FixturePlace(fixture),
    checkpoint: fixture.nango?.getCheckpoint ?? null,
    onLog: () => {},
    throwsOnRefusal,
  });
  const outcome = await runner.run({
    compiled,
    host,
    provider,
    paginateDefaults,
    signal,
    connectionId: String(fixture.nango?.getConnection?.['connectionId'] ?? 'recorded'),
    environmentName: 'dev',
    ...(fixture.input === undefined ? {} : { input: JSON.stringify(fixture.input) }),
  });
  if (!outcome.ok) {
    return { hasRefused: exit.hasRefused, result: { verdict: 'failed', failure: describeFailure(outcome.failure) } };
  }
  const actual: ReplayedValues = {
    batchSave: host.records.saved,
    batchDelete: host.records.deleted,
    ...(compiled.kind === 'action' ? { output: JSON.parse(outcome.output) as unknown } : {}),
  };
  return { hasRefused: exit.hasRefused, result: judge(compiled, fixture, actual) };
}

function judge({ kind }: CompiledFunction, fixture: Fixture, actual: ReplayedValues): ReplayResult {
  const differences =
    kind === 'action'
      ? compare('output', withoutUndefined(fixture.output ?? null), actual.output ?? null)
      : [
          ...compareModels('batchSave', fixture.nango?.batchSave, actual.batchSave, withTextIds),
          ...compareModels('batchDelete', fixture.nango?.batchDelete, actual.batchDelete, onlyIds),
        ];
  return differences.length === 0 ? { verdict: 'passed', actual } : { verdict: 'differs', differences, actual };
}

function compareModels(
  what: 'batchSave' | 'batchDelete',
  expected: Record<string, unknown[]> = {},
  actual: Record<string, unknown[]>,
  readRecord: (record: Record<string, unknown>) => unknown,
): Difference[] {
  return Object.entries(expected).flatMap(([model, records]) => {
    // Nothing is deleted with an empty list, and nothing asks for it.
    if (what === 'batchDelete' && records.length === 0) return [];
    const wanted = records.map((record) => readRecord(record as Record<string, unknown>));
    return compare(`${what}.${model}`, wanted, actual[model] ?? []);
  });
}

/** The runtime makes ids text before anything leaves the function. */
function withTextIds(record: Record<string, unknown>): unknown {
  const { _nango_metadata: _own, ...rest } = record;
  return typeof rest['id'] === 'number' ? { ...rest, id: String(rest['id']) } : rest;
}

/** A deletion passes on nothing but the id. */
function onlyIds({ id }: Record<string, unknown>): unknown {
  return { id: String(id) };
}

function withoutUndefined(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value)) as unknown;
}

function compare(what: string, expected: unknown, actual: unknown): Difference[] {
  return isDeepStrictEqual(expected, actual) ? [] : [{ what, expected, actual }];
}
