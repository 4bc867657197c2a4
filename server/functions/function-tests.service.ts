import { createHash } from 'node:crypto';
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { StoredConnection } from '../connections/connection.ts';
import type { ConnectionsService } from '../connections/connections.service.ts';
import type { ProviderEntry } from '../integrations/catalog/entry-schema.ts';
import { splitConfig } from '../integrations/catalog/secret-config.ts';
import type { IntegrationsService } from '../integrations/integrations.service.ts';
import type { Clock } from '../platform/lib/clock.ts';
import { hasErrorCode } from '../platform/lib/error-code.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { Ids } from '../platform/lib/ids.ts';
import type { Sandbox } from '../platform/sandbox/sandbox.ts';
import type { DeployedFunction } from './deployments/deployed-function.ts';
import type { DeploymentsService } from './deployments/deployments.service.ts';
import type { RecordedTemplate } from './deployments/function-templates.ts';
import type { FailureReport } from './dry-run/describe-failure.ts';
import {
  type FoundFixture,
  fixturePath,
  generatedTestPath,
  listFixtures,
  readFixture,
  writeFixture,
} from './dry-run/fixture-files.ts';
import { type LocalFunction, LocalRunner } from './dry-run/local-runner.ts';
import { Recorder } from './dry-run/recorder.ts';
import {
  type Difference,
  type ReplayedValues,
  type ReplayResult,
  replay,
  type SentRequest,
  sentRequests,
  withActual,
} from './dry-run/replay.ts';
import { SecretScrubber } from './dry-run/secret-scrubber.ts';

/** A finished recording, as `Recorder.finish` returns it. */
export type Recording = ReturnType<Recorder['finish']>;

/** The result of a replay. Times are in milliseconds (`at`: since the epoch). */
export interface ReplayedTest {
  /** Path of the recording below the functions folder. */
  path: string;
  at: number;
  tookMs: number;
  outcome: 'passed' | 'differs' | 'failed' | 'broken';
  /** Why it failed or could not be replayed, or a remark about a test that passed. */
  message: string | null;
  code: string | null;
  differences: Difference[];
  /** Recorded requests that the run did not send, such as `GET /items`. */
  unsent: string[];
  /** Identifies the actual result, so that exactly this one can be accepted; null when there is nothing to accept. */
  actualId: string | null;
}

export interface FunctionTest {
  path: string;
  /** True for the old layout, a folder. */
  isLegacy: boolean;
  lastResult: ReplayedTest | null;
}

/** The result of a shipped function with its recording. */
export interface TriedRun {
  tookMs: number;
  /** Undefined for a sync. */
  input: unknown;
  requests: SentRequest[];
  failure?: FailureReport;
  actual?: ReplayedValues;
}

/** Limit for the requests and responses of one recording, because larger ones are not useful as a test. */
const MAX_RECORDED_BYTES = 10 * 1024 * 1024;
/** Number of results kept. */
const KEPT_RESULTS = 200;

export type FunctionTestsService = ReturnType<typeof createFunctionTestsService>;

/** Recorded runs of functions in the functions folder: lists them, replays them, and saves new ones. */
export function createFunctionTestsService({
  workspace,
  sandbox,
  catalog,
  integrations,
  connections,
  deployments,
  clock,
  ids,
}: {
  /** The functions folder. */
  workspace: string;
  sandbox: Sandbox;
  catalog: { find(name: string): ProviderEntry | undefined };
  integrations: Pick<IntegrationsService, 'find'>;
  connections: Pick<ConnectionsService, 'credentials'>;
  deployments: Pick<DeploymentsService, 'findActive'>;
  clock: Clock;
  ids: Ids;
}) {
  /** By function and path, oldest first. */
  const results = new Map<string, ReplayedTest>();
  const runner = new LocalRunner({ sandbox, ids });

  /** Replays the recording at `path`, or all recordings of the function, with the live version. */
  async function run(
    deployed: DeployedFunction,
    path: string | undefined,
    signal: AbortSignal,
  ): Promise<ReplayedTest[]> {
    const all = await findFixtures(deployed);
    const wanted = path === undefined ? all : all.filter((one) => one.path === path);
    if (wanted.length === 0) throw missing(path);
    const results: ReplayedTest[] = [];
    for (const found of wanted) results.push((await replayOne(deployed, found, signal)).result);
    return results;
  }

  /** Adds the current secrets of the connection to those that the recorder removes. */
  async function learn(recorder: Recorder, connection: StoredConnection): Promise<void> {
    const { endUser, metadata, provider, tags } = connection;
    const [credentials, config] = await Promise.all([
      connections.credentials.read(connection),
      connections.credentials.readConfig(connection),
    ]);
    const entry = catalog.find(provider);
    const secret = entry ? splitConfig(config, entry).secret : {};
    recorder.scrubber.learnConnection({ credentials: { credentials, secret }, config, endUser, metadata, tags });
  }

  /** Why a run of the function cannot be saved; undefined when it can be saved. */
  function whyNotSaved(deployed: DeployedFunction): string | undefined {
    if (deployed.origin !== 'workspace')
      return 'Only functions of the functions folder have recorded runs. This one was deployed from elsewhere: record it there with "homeport dryrun --save".';
    if (deployed.missingSince !== null) return 'The file of the function is missing. Put it back, then save the run.';
    return undefined;
  }

  async function findFixtures(deployed: DeployedFunction): Promise<FoundFixture[]> {
    return deployed.origin === 'workspace' ? listFixtures(workspace, subjectOf(deployed)) : [];
  }

  async function replayOne(
    deployed: DeployedFunction,
    found: FoundFixture,
    signal: AbortSignal,
  ): Promise<{ result: ReplayedTest; fixture?: Recording; replayed?: ReplayResult }> {
    const startedAt = clock.now();
    const done = (facts: Pick<ReplayedTest, 'outcome'> & Partial<ReplayedTest>): ReplayedTest => {
      const result = { ...NOTHING, ...facts, path: found.path, at: clock.now(), tookMs: clock.now() - startedAt };
      remember(keyOf(deployed, found.path), result);
      return result;
    };
    const compiled = await liveVersion(deployed);
    if (!compiled) return { result: done({ outcome: 'broken', message: NO_VERSION }) };
    let fixture: Recording;
    try {
      fixture = (await readFixture(workspace, found)) as Recording;
    } catch (error) {
      // A file that is not a recording is a failure of its own test.
      if (!(error instanceof HomeportError)) throw error;
      return { result: done({ outcome: 'broken', message: error.message }) };
    }
    const provider = await providerOf(deployed, fixture);
    const replayed = await replay({
      compiled,
      fixture,
      runner,
      provider,
      paginateDefaults: catalog.find(provider)?.proxy?.paginate ?? null,
      signal,
    });
    return { result: done(describe(replayed)), fixture, replayed };
  }

  /** The live version as `homeport test` sees it: its bundle and its declaration. */
  async function liveVersion({
    environmentId,
    integrationKey,
    type,
    name,
  }: DeployedFunction): Promise<LocalFunction | undefined> {
    const live = await deployments.findActive(environmentId, integrationKey, type, name);
    return (
      live && {
        integration: integrationKey,
        kind: type,
        name,
        bundle: live.bundle,
        bundleHash: live.bundleHash,
        bundleFileName: `${name}-${integrationKey}.cjs`,
        definition: live.definition,
      }
    );
  }

  /** The recorded provider, else the integration's. */
  async function providerOf(
    { environmentId, integrationKey }: DeployedFunction,
    { nango }: Recording,
  ): Promise<string> {
    const recorded = nango?.getConnection?.['provider'];
    if (typeof recorded === 'string') return recorded;
    return (await integrations.find(environmentId, integrationKey))?.provider ?? integrationKey;
  }

  function remember(key: string, result: ReplayedTest): void {
    results.delete(key);
    results.set(key, result);
    const [oldest] = results.keys();
    if (results.size > KEPT_RESULTS && oldest !== undefined) results.delete(oldest);
  }

  return {
    run,
    learn,
    whyNotSaved,
    /** The recording that `homeport test` replays. Throws `conflict` when the file is not one. */
    async readFirst(deployed: DeployedFunction): Promise<Recording | undefined> {
      const [first] = await findFixtures(deployed);
      return first && ((await readFixture(workspace, first)) as Recording);
    },
    /** The recordings of a function, first the one that `homeport test` replays first, and its generated test file. */
    async list(deployed: DeployedFunction): Promise<{ tests: FunctionTest[]; generatedTest: string | null }> {
      if (deployed.origin !== 'workspace') return { tests: [], generatedTest: null };
      const found = await findFixtures(deployed);
      const generated = generatedTestPath(subjectOf(deployed));
      return {
        tests: found.map(({ path, isLegacy }) => ({
          path,
          isLegacy,
          lastResult: results.get(keyOf(deployed, path)) ?? null,
        })),
        generatedTest: (await exists(join(workspace, generated))) ? generated : null,
      };
    },
    /**
     * Replays the first recording with the live version; resolves to the result and the actual output. Throws `not_found`
     * when there is no recording, and the error of the run when it failed.
     */
    async replayFirst(
      deployed: DeployedFunction,
      signal: AbortSignal,
    ): Promise<{ result: ReplayedTest; actual: ReplayedValues }> {
      const [first] = await findFixtures(deployed);
      if (!first) throw missing(undefined);
      const { result, replayed } = await replayOne(deployed, first, signal);
      if (replayed && replayed.outcome !== 'failed') return { result, actual: replayed.actual };
      const code = deployed.type === 'action' ? 'action_script_failure' : 'sync_script_failure';
      throw new HomeportError(code, result.message ?? `${first.path} cannot be replayed.`);
    },
    /** Replays the recording of a shipped function; resolves to its requests and its output. */
    async tryTemplate(
      { template, root, recording }: RecordedTemplate,
      provider: string,
      signal: AbortSignal,
    ): Promise<TriedRun> {
      const startedAt = clock.now();
      const subject = { integration: template.integration, name: template.name };
      const fixture = await readFixture(root, { subject, path: recording, isLegacy: false });
      const result = await replay({
        compiled: template,
        fixture,
        runner,
        provider,
        paginateDefaults: catalog.find(provider)?.proxy?.paginate ?? null,
        signal,
      });
      const tookMs = clock.now() - startedAt;
      if (result.outcome === 'failed') return { tookMs, input: fixture.input, requests: [], failure: result.failure };
      return { tookMs, input: fixture.input, requests: sentRequests(fixture, result.unsent), actual: result.actual };
    },
    /**
     * Stores the actual result as the expected one. Throws `conflict` when it differs from the result that `actualId`
     * identifies, because no person has seen that yet.
     */
    async update(
      deployed: DeployedFunction,
      { path, actualId }: { path: string; actualId: string },
      signal: AbortSignal,
    ): Promise<ReplayedTest> {
      const found = (await findFixtures(deployed)).find((one) => one.path === path);
      if (!found) throw missing(path);
      const { result, fixture, replayed } = await replayOne(deployed, found, signal);
      if (!fixture || !replayed || replayed.outcome === 'failed' || result.actualId !== actualId)
        throw new HomeportError(
          'conflict',
          'The result differs from the one that you saw. Check the new result, then update again.',
        );
      const written = await writeFixture(workspace, found, withActual(fixture, replayed.actual));
      const [updated] = await run(deployed, written, signal);
      if (!updated) throw missing(written);
      return updated;
    },
    /** A recorder that removes the secrets of a connection. Call `learn` after the run, because a run may renew them. */
    async openRecorder(connection: StoredConnection): Promise<Recorder> {
      const recorder = new Recorder(new SecretScrubber(), { maxBytes: MAX_RECORDED_BYTES });
      await learn(recorder, connection);
      return recorder;
    },
    /** The path for a recording below the functions folder, and whether the file exists. */
    async target(deployed: DeployedFunction): Promise<{ path: string; isThere: boolean }> {
      const path = fixturePath(subjectOf(deployed));
      return { path, isThere: await exists(join(workspace, path)) };
    },
    /** Writes a recording and resolves to its path. Throws `conflict` when the file exists and `overwrites` is false. */
    async save(
      deployed: DeployedFunction,
      recording: Recording,
      { overwrites }: { overwrites: boolean },
    ): Promise<string> {
      const problem = whyNotSaved(deployed);
      if (problem !== undefined) throw new HomeportError('conflict', problem);
      const path = fixturePath(subjectOf(deployed));
      const file = join(workspace, path);
      await mkdir(dirname(file), { recursive: true });
      try {
        await writeFile(file, `${JSON.stringify(recording, null, 2)}\n`, { flag: overwrites ? 'w' : 'wx' });
      } catch (error) {
        if (!hasErrorCode(error, 'EEXIST')) throw error;
        throw new HomeportError('conflict', `${path} already exists. Nothing was changed.`);
      }
      return path;
    },
  };
}

const NO_VERSION = 'No version of the function is live: its file has never compiled. Correct the file first.';
const NOTHING = { message: null, code: null, differences: [], unsent: [], actualId: null };

function describe(replayed: ReplayResult): Pick<ReplayedTest, 'outcome'> & Partial<ReplayedTest> {
  if (replayed.outcome === 'failed') {
    const { code, message } = replayed.failure;
    return { outcome: 'failed', message, code };
  }
  const { actual, unsent, outcome } = replayed;
  if (outcome === 'passed') return { outcome: 'passed', unsent, message: replayed.note ?? null };
  const actualId = createHash('sha256').update(JSON.stringify(actual)).digest('hex');
  return { outcome: 'differs', differences: replayed.differences, unsent, actualId };
}

function subjectOf({ integrationKey, name }: DeployedFunction): { integration: string; name: string } {
  return { integration: integrationKey, name };
}

/** With the type, because an action and a sync of the same name share their file. */
function keyOf({ environmentId, type }: DeployedFunction, path: string): string {
  return `${environmentId} ${type} ${path}`;
}

function missing(path: string | undefined): HomeportError {
  return new HomeportError(
    'not_found',
    path === undefined
      ? 'The function has no recorded run. Run it in the playground and save the run as a fixture.'
      : `There is no recorded run ${path} any more. Reload the list.`,
  );
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT', 'ENOTDIR')) return false;
    throw error;
  }
}
