import { LRUCache } from 'lru-cache';
import type { ConnectionContext } from '../connections/connection.ts';
import type { ConnectionsService } from '../connections/connections.service.ts';
import type { ProviderEntry } from '../integrations/catalog/entry-schema.ts';
import type { Clock } from '../platform/lib/clock.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { Ids } from '../platform/lib/ids.ts';
import type { Sandbox } from '../platform/sandbox/sandbox.ts';
import type { DeployedFunction } from './deployments/deployed-function.ts';
import type { DeploymentsService } from './deployments/deployments.service.ts';
import type { DraftCompiler } from './deployments/draft-compiler.ts';
import type { CompileDiagnostic, DraftFiles, FunctionLocation } from './deployments/draft-files.ts';
import type { FunctionWriter, ProvenFile } from './deployments/function-writer.ts';
import {
  abilitiesOf,
  countsOf,
  type DraftCheck,
  type DraftProof,
  type DraftRun,
  type DraftRunResult,
  declaredScopes,
  hashOf,
  hostsIn,
  type KnownDraft,
  toRunnable,
} from './draft-proof.ts';
import { fixturePath } from './dry-run/fixture-files.ts';
import { LocalRunner } from './dry-run/local-runner.ts';
import { Recorder } from './dry-run/recorder.ts';
import { replay } from './dry-run/replay.ts';
import { SecretScrubber } from './dry-run/secret-scrubber.ts';
import { lineDifference } from './line-difference.ts';
import { createDraftGuard } from './runs/draft-guard.ts';
import type { DryRunsService } from './tasks/dry-runs.service.ts';

/** How long a step of a proof holds. */
const FRESH_MS = 3_600_000;
const MAX_DRAFTS = 500;
const MAX_RECORDED_BYTES = 10 * 1024 * 1024;

export type { DraftProof } from './draft-proof.ts';
export type DraftsService = ReturnType<typeof createDraftsService>;

/**
 * Functions that agents write (agents.md 13): outside the functions folder, proven step by step, and live only when a
 * person has agreed to exactly this text.
 */
export function createDraftsService({
  files,
  compiler,
  dryRuns,
  deployments,
  functionWriter,
  connections,
  catalog,
  sandbox,
  secretsOf,
  workspaceEnvironmentId,
  clock,
  ids,
}: {
  files: DraftFiles;
  compiler: DraftCompiler;
  dryRuns: Pick<DryRunsService, 'tryLive'>;
  deployments: DeploymentsService;
  functionWriter: Pick<FunctionWriter, 'readPresent' | 'takeBack' | 'writeProven'>;
  connections: Pick<ConnectionsService, 'credentials'>;
  catalog: { find(name: string): ProviderEntry | undefined };
  sandbox: Sandbox;
  /** The secrets of a connection and of its integration. */
  secretsOf(context: ConnectionContext): Promise<string[]>;
  workspaceEnvironmentId(): number;
  clock: Clock;
  ids: Ids;
}) {
  const known = new LRUCache<string, KnownDraft>({ max: MAX_DRAFTS });
  /** Hashes of recordings that this hub wrote, by draft and connection. */
  const recordings = new LRUCache<string, string>({ max: MAX_DRAFTS });
  const runner = new LocalRunner({ sandbox, ids });

  const keyOf = (environmentId: number, path: string): string => `${environmentId} ${path}`;
  const recordingKey = ({ connection, environment }: ConnectionContext, path: string): string =>
    `${keyOf(environment.id, path)} ${connection.id}`;

  async function sourceOf(environmentId: number, { path }: FunctionLocation): Promise<string> {
    const source = await files.read(environmentId, path);
    if (source !== undefined) return source;
    throw new HomeportError('not_found', `There is no draft ${path}. Write it first.`);
  }

  /** The present text, compiled. What was found about another text is forgotten. */
  async function open(
    environmentId: number,
    location: FunctionLocation,
  ): Promise<{ draft: KnownDraft } | { codeHash: string; diagnostics: CompileDiagnostic[] }> {
    const source = await sourceOf(environmentId, location);
    const codeHash = hashOf(source);
    const key = keyOf(environmentId, location.path);
    const before = known.get(key);
    if (before?.codeHash === codeHash) return { draft: before };
    known.delete(key);
    const result = await compiler.compile(location.path, source);
    if (!result.ok) return { codeHash, diagnostics: result.diagnostics };
    const { bundle, bundleFileName, bundleHash, definition } = result.compiled;
    const draft: KnownDraft = {
      codeHash,
      source,
      compiled: { bundle, bundleFileName, bundleHash, definition },
      runs: new Map(),
    };
    known.set(key, draft);
    return { draft };
  }

  async function need(environmentId: number, location: FunctionLocation): Promise<KnownDraft> {
    const opened = await open(environmentId, location);
    if ('draft' in opened) return opened.draft;
    throw new HomeportError('compilation_error', `${location.path} does not compile. Call compile for the reasons.`, {
      payload: { diagnostics: opened.diagnostics },
    });
  }

  function findLive(environmentId: number, { integration, kind, name }: FunctionLocation) {
    return deployments.find(environmentId, integration, kind, name);
  }

  /** What the draft would replace, also when the file has not been read yet. */
  async function presentText(
    environmentId: number,
    { path }: FunctionLocation,
    live: DeployedFunction | undefined,
  ): Promise<string | undefined> {
    const hasFile = environmentId === workspaceEnvironmentId() && (live === undefined || live.origin === 'workspace');
    if (hasFile) return functionWriter.readPresent(path);
    return live && deployments.readFile(live);
  }

  function requireIntegration({ integration }: ConnectionContext, location: FunctionLocation): void {
    if (integration.uniqueKey === location.integration) return;
    throw new HomeportError(
      'invalid_request',
      `${location.path} belongs to the integration "${location.integration}", and the connection to "${integration.uniqueKey}".`,
    );
  }

  async function run(context: ConnectionContext, path: string, asked: DraftRun): Promise<DraftRunResult> {
    const location = files.locate(path);
    requireIntegration(context, location);
    const { connection, environment } = context;
    const draft = await need(environment.id, location);
    // Fresh ones now, so that the run renews none that the guard does not know.
    await connections.credentials.fetch(connection, { isForced: false });
    const guard = createDraftGuard(await secretsOf(context), asked.answers);
    const recorder = asked.records ? await openRecorder(context) : undefined;
    const logs: string[] = [];
    let operationId = '';
    const outcome = await dryRuns
      .tryLive({
        ...context,
        deployed: toRunnable(environment.id, location, draft),
        input: asked.input,
        ...(asked.checkpoint ? { checkpoint: asked.checkpoint } : {}),
        guard,
        ...(recorder ? { recorder } : {}),
        signal: asked.signal,
        onStarted: (id) => {
          operationId = id;
        },
        onLines: (lines) => logs.push(...lines),
      })
      .catch((error: unknown) => {
        // An input, output or record that does not fit its schema.
        if (!(error instanceof HomeportError) || error.code !== 'validation_error') throw error;
        return { ok: false as const, effects: undefined, failure: error };
      });
    const shared = { codeHash: draft.codeHash, operationId, held: guard.held, logs };
    if (!outcome.ok) {
      const { code, message, payload } = outcome.failure;
      draft.runs.delete(connection.id);
      const error = { code, message, ...(payload === undefined ? {} : { payload }) };
      return { ...shared, passed: false, error, ...(outcome.effects ? { effects: outcome.effects } : {}) };
    }
    const { effects, output, records } = outcome;
    draft.runs.set(connection.id, { at: clock.now(), held: guard.held, records: countsOf(effects) });
    const result: DraftRunResult = {
      ...shared,
      passed: true,
      ...(location.kind === 'sync' ? { effects } : { output }),
    };
    if (!recorder) return result;
    if (recorder.isTooLarge)
      throw new HomeportError('request_too_large', 'The run is too long to be recorded. Record one with fewer data.');
    const recording = recorder.finish({
      ...(asked.input === undefined ? {} : { input: asked.input }),
      ...(asked.checkpoint ? { checkpoint: asked.checkpoint } : {}),
      ...(location.kind === 'sync' ? { records } : { output }),
    });
    const text = `${JSON.stringify(recording, null, 2)}\n`;
    const file = fixturePath(location);
    await files.writeRecording(environment.id, file, text);
    recordings.set(recordingKey(context, path), hashOf(text));
    return { ...result, recording: file };
  }

  async function openRecorder(context: ConnectionContext): Promise<Recorder> {
    const recorder = new Recorder(new SecretScrubber(), { maxBytes: MAX_RECORDED_BYTES });
    const { endUser, metadata, tags } = context.connection;
    recorder.scrubber.learnConnection({ endUser, metadata, tags });
    recorder.scrubber.learnTexts(await secretsOf(context));
    return recorder;
  }

  /** The steps that a proof for the connection lacks, in their order, and the draft. */
  async function examine(
    context: ConnectionContext,
    location: FunctionLocation,
  ): Promise<{ draft: KnownDraft | undefined; missing: string[] }> {
    const opened = await open(context.environment.id, location);
    if (!('draft' in opened)) return { draft: undefined, missing: ['It does not compile: call compile.'] };
    const { draft } = opened;
    const isFresh = (at: number | undefined): boolean => at !== undefined && clock.now() - at <= FRESH_MS;
    const own = draft.runs.get(context.connection.id);
    const named = `"${context.connection.connectionId}"`;
    const missing = [
      isFresh(draft.typesAt)
        ? draft.typesAreClean
          ? undefined
          : 'Its types have errors: mend them and call compile.'
        : 'The types of this text were not checked within the last hour: call compile.',
      isFresh(own?.at) ? undefined : `No dry run of this text with the connection ${named} passed: call dry_run.`,
      recordings.has(recordingKey(context, location.path))
        ? undefined
        : `No run with the connection ${named} was recorded since the hub started: call record.`,
      isFresh(own?.replayedAt) ? undefined : `No replay of this text passed: call replay.`,
    ];
    return { draft, missing: missing.filter((one) => one !== undefined) };
  }

  /** Everything that a person must know before the text goes live. Throws `conflict`, which names the missing steps. */
  async function prove(context: ConnectionContext, path: string): Promise<DraftProof> {
    const location = files.locate(path);
    requireIntegration(context, location);
    const { draft, missing } = await examine(context, location);
    const own = draft?.runs.get(context.connection.id);
    if (!draft || !own || missing.length > 0)
      throw new HomeportError(
        'conflict',
        `${path} was not deployed, because its proof is not complete. ${missing.join(' ')}`,
        { payload: { missing } },
      );
    const live = await findLive(context.environment.id, location);
    const before = (await presentText(context.environment.id, location, live)) ?? '';
    const { definition } = draft.compiled;
    return {
      path,
      codeHash: draft.codeHash,
      connectionId: context.connection.connectionId,
      held: own.held,
      records: own.records,
      newScopes: declaredScopes(definition).filter((scope) => !declaredScopes(live?.definition).includes(scope)),
      newHosts: hostsIn(draft.source).filter((host) => !hostsIn(before).includes(host)),
      abilities: abilitiesOf(draft.source),
      isNew: before === '',
      difference: lineDifference(before, draft.source),
    };
  }

  return {
    locate: files.locate,
    /** The draft, else the live source, else a file to start from. */
    async read(
      environmentId: number,
      path: string,
    ): Promise<{ text: string; from: 'draft' | 'live' | 'starter'; codeHash: string }> {
      const location = files.locate(path);
      const draft = await files.read(environmentId, path);
      if (draft !== undefined) return { text: draft, from: 'draft', codeHash: hashOf(draft) };
      const live = await findLive(environmentId, location);
      const text = live ? await deployments.readFile(live) : files.starter(location);
      return { text, from: live ? 'live' : 'starter', codeHash: hashOf(text) };
    },
    /** Writes a draft; resolves to the hash of its text. */
    async write(environmentId: number, path: string, text: string): Promise<string> {
      files.locate(path);
      await files.write(environmentId, path, text);
      return hashOf(text);
    },
    async compile(environmentId: number, path: string): Promise<DraftCheck> {
      const location = files.locate(path);
      const opened = await open(environmentId, location);
      if (!('draft' in opened)) return { ...opened, compiles: false };
      const { draft } = opened;
      const diagnostics = await compiler.checkTypes(path, draft.source);
      draft.typesAreClean = !diagnostics.some(({ severity }) => severity === 'error');
      draft.typesAt = clock.now();
      return { codeHash: draft.codeHash, compiles: true, diagnostics };
    },
    run,
    /** Runs the present text over the recording, without a request. */
    async replay(context: ConnectionContext, path: string, signal: AbortSignal) {
      const location = files.locate(path);
      requireIntegration(context, location);
      const { environment, connection, integration } = context;
      const draft = await need(environment.id, location);
      const file = fixturePath(location);
      const text = await files.readRecording(environment.id, file);
      const recorded = recordings.get(recordingKey(context, path));
      if (text === undefined || recorded === undefined)
        throw new HomeportError(
          'not_found',
          `No run of ${path} with this connection was recorded since the hub started. Call record.`,
        );
      if (hashOf(text) !== recorded)
        throw new HomeportError('conflict', `${file} was changed after the run, or by another one. Call record again.`);
      const { integration: key, kind, name } = location;
      const result = await replay({
        compiled: { ...draft.compiled, integration: key, kind, name },
        fixture: JSON.parse(text) as Parameters<typeof replay>[0]['fixture'],
        runner,
        provider: integration.provider,
        paginateDefaults: catalog.find(integration.provider)?.proxy?.paginate ?? null,
        signal,
      });
      const own = draft.runs.get(connection.id);
      if (own) {
        if (result.outcome === 'passed') own.replayedAt = clock.now();
        else delete own.replayedAt;
      }
      return { codeHash: draft.codeHash, recording: file, result, hasDryRun: own !== undefined };
    },
    prove,
    /**
     * Makes exactly the proven text live. Throws `conflict` when the draft, the proof or the live function is another one
     * than the person saw.
     */
    async deploy(context: ConnectionContext, proof: DraftProof): Promise<DeployedFunction> {
      const location = files.locate(proof.path);
      const { environment } = context;
      const now = await prove(context, proof.path);
      if (JSON.stringify(now) !== JSON.stringify(proof)) throw changedMeanwhile(proof);
      const draft = known.get(keyOf(environment.id, proof.path));
      if (draft?.codeHash !== proof.codeHash) throw new Error('The proven draft is gone.');
      const live = await findLive(environment.id, location);
      const { bundle, bundleHash, definition } = draft.compiled;
      let file: ProvenFile | undefined;
      if (environment.id === workspaceEnvironmentId() && (live === undefined || live.origin === 'workspace')) {
        const replaces = await functionWriter.readPresent(proof.path);
        // The person saw the difference to this text.
        if (lineDifference(replaces ?? '', draft.source) !== proof.difference) throw changedMeanwhile(proof);
        file = { code: draft.source, path: proof.path, replaces };
        await functionWriter.writeProven(file, live);
      } else {
        const pushed = { integrationKey: location.integration, definition, bundle, source: draft.source };
        await deployments.pushed.apply({
          environmentId: environment.id,
          origin: 'standalone',
          removes: 'nothing',
          functions: [pushed],
        });
      }
      const deployed = await findLive(environment.id, location);
      if (deployed?.bundleHash === bundleHash && !deployed.hasCompileErrors) return deployed;
      if (file) await functionWriter.takeBack(file);
      const problems = deployed?.problems.map(({ message }) => message) ?? [];
      throw new HomeportError(
        'conflict',
        `${proof.path} could not go live, and the file is as it was. ${problems.join(' ') || 'It was changed at the same moment.'}`,
      );
    },
    stop: () => compiler.stop(),
  };
}

const changedMeanwhile = ({ path }: DraftProof): HomeportError =>
  new HomeportError(
    'conflict',
    `${path} was changed while the person read it. Nothing was deployed; ask again with the present text.`,
  );
