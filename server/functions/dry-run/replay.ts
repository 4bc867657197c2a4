import { isDeepStrictEqual } from 'node:util';
import { type Fixture, singlePagesOf } from '../../../functions/testing/fixture-file.ts';
import { describeFailure, type FailureReport } from './describe-failure.ts';
import { FixtureMethods } from './fixture-methods.ts';
import { LocalHost } from './local-host.ts';
import type { LocalFunction, LocalRunner } from './local-runner.ts';
import { ReplayRequestSender } from './replay-request-sender.ts';

/** A value that differs from the recording. */
export interface Difference {
  /** For example `output` or `batchSave.Issue`. */
  what: string;
  expected: unknown;
  actual: unknown;
}

/** `unsent` are recorded requests that the run did not send. They are not a failure (functions.md 8.4). */
export type ReplayResult =
  | { outcome: 'passed'; note?: string; actual: ReplayedValues; unsent: string[] }
  | { outcome: 'differs'; differences: Difference[]; actual: ReplayedValues; unsent: string[] }
  | { outcome: 'failed'; failure: FailureReport };

type Batches = Record<string, unknown[]>;

/** Values that a replay produced. */
export interface ReplayedValues {
  output?: unknown;
  batchSave: Batches;
  batchDelete: Batches;
}

export interface ReplayRequest {
  compiled: LocalFunction;
  fixture: Fixture;
  runner: LocalRunner;
  provider: string;
  paginateDefaults: Record<string, unknown> | null;
  signal: AbortSignal;
}

/** The mock classes return 4xx and 5xx responses, which throw in a real run (functions.md 8.4). */
const LENIENT_NOTE =
  'passes only with the mock classes, where refused requests do not throw; in the hub this run ends with an error';
const MOCKED_NOTE =
  'passes only with the mock classes: the recording lacks data that the function requests, or has text where the hub has other data';

interface Attempt {
  result: ReplayResult;
  /** Whether a request got a response outside 2xx. */
  hasRefused: boolean;
  /** Whether the mock classes would have returned something else. */
  mayDiffer: boolean;
}

/** Runs a function with the responses of a recording, and compares as the generated tests do (functions.md 8.4). */
export async function replay(request: ReplayRequest): Promise<ReplayResult> {
  const strict = await attempt(request, false);
  if (strict.result.outcome === 'passed' || !strict.mayDiffer) return strict.result;
  const { result } = await attempt(request, true);
  if (result.outcome !== 'passed') return strict.result;
  return { ...result, note: strict.hasRefused ? LENIENT_NOTE : MOCKED_NOTE };
}

/** Runs the function as the hub does or, with `isMocked`, as the mock classes do. */
async function attempt(
  { compiled, fixture, runner, provider, paginateDefaults, signal }: ReplayRequest,
  isMocked: boolean,
): Promise<Attempt> {
  const sender = new ReplayRequestSender(fixture, { isMocked });
  const recorded = new FixtureMethods(fixture);
  const host = new LocalHost({
    sender,
    methods: recorded.methods(),
    checkpoint: fixture.nango?.getCheckpoint ?? null,
    onLog: () => {},
    throwsOnRefusal: !isMocked,
  });
  const outcome = await runner.run({
    compiled,
    host,
    provider,
    paginateDefaults,
    signal,
    singlePages: singlePagesOf(fixture.api),
    connectionId: String(fixture.nango?.getConnection?.['connectionId'] ?? 'recorded'),
    environmentName: 'dev',
    ...(isMocked ? { unrecorded: recorded.unrecorded } : {}),
    ...(fixture.input === undefined ? {} : { input: JSON.stringify(fixture.input) }),
  });
  const { hasRefused } = sender;
  const mayDiffer = hasRefused || sender.differsFromMock || recorded.hasMissed;
  if (!outcome.ok) {
    return { hasRefused, mayDiffer, result: { outcome: 'failed', failure: describeFailure(outcome.failure) } };
  }
  const actual: ReplayedValues = {
    batchSave: host.records.saved,
    batchDelete: host.records.deleted,
    ...(compiled.kind === 'action' ? { output: JSON.parse(outcome.output) as unknown } : {}),
  };
  return { hasRefused, mayDiffer, result: judge(compiled, fixture, actual, sender.unsent) };
}

/**
 * Returns the recording with the actual values instead of the expected ones. Responses of the provider stay unchanged.
 */
export function withActual(fixture: Fixture, { output, batchSave, batchDelete }: ReplayedValues): Fixture {
  if (output !== undefined) return { ...fixture, output };
  return { ...fixture, nango: { ...fixture.nango, batchSave, batchDelete } };
}

/** `path` as recorded, without the host. */
export interface SentRequest {
  method: string;
  path: string;
  status: number;
}

/** The used responses by method and path. Unused ones are the last of their list. */
export function sentRequests({ api = {} }: Fixture, unsent: readonly string[]): SentRequest[] {
  return Object.entries(api).flatMap(([name, paths]) => {
    const method = name.toUpperCase();
    return Object.entries(paths).flatMap(([path, responses]) => {
      const all = [responses].flat();
      const left = unsent.filter((one) => one === `${method} ${path}`).length;
      return all.slice(0, all.length - left).map(({ status = 200 }) => ({ method, path, status }));
    });
  });
}

function judge({ kind }: LocalFunction, fixture: Fixture, actual: ReplayedValues, unsent: string[]): ReplayResult {
  const { batchSave = {}, batchDelete = {} } = fixture.nango ?? {};
  const differences =
    kind === 'action'
      ? compareOutput(fixture.output, actual.output)
      : [...compareSaved(batchSave, actual.batchSave), ...compareDeleted(batchDelete, actual.batchDelete)];
  return differences.length === 0
    ? { outcome: 'passed', actual, unsent }
    : { outcome: 'differs', differences, actual, unsent };
}

/** An action without an output returns null; its recording has no output. */
function compareOutput(expected: unknown, actual: unknown = null): Difference[] {
  if (expected === undefined) return actual === null ? [] : [{ what: 'output', expected, actual }];
  return compare('output', withoutUndefined(expected), actual);
}

/** Compares every model: a saved record that was not recorded is also a difference. */
function compareSaved(recorded: Batches, saved: Batches): Difference[] {
  const models = new Set([...Object.keys(recorded), ...Object.keys(saved)]);
  return [...models].flatMap((model) =>
    compare(`batchSave.${model}`, (recorded[model] ?? []).map(withTextIds), saved[model] ?? []),
  );
}

/** Compares only models with recorded deletions, as the generated tests do. */
function compareDeleted(recorded: Batches, deleted: Batches): Difference[] {
  return Object.entries(recorded).flatMap(([model, records]) =>
    records.length === 0 ? [] : compare(`batchDelete.${model}`, records.map(onlyIds), deleted[model] ?? []),
  );
}

/** The runtime converts ids to text before records leave the function. */
function withTextIds(record: unknown): unknown {
  const { _nango_metadata: _own, ...rest } = record as Record<string, unknown>;
  return typeof rest['id'] === 'number' ? { ...rest, id: String(rest['id']) } : rest;
}

/** Only the ids of deleted records are compared. */
function onlyIds(record: unknown): unknown {
  return { id: String((record as Record<string, unknown>)['id']) };
}

function withoutUndefined(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value)) as unknown;
}

function compare(what: string, expected: unknown, actual: unknown): Difference[] {
  return isDeepStrictEqual(expected, actual) ? [] : [{ what, expected, actual }];
}
