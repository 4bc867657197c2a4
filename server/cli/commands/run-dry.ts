import type { CompiledFunction } from '../../../functions/compiler/compiled-function.ts';
import type { GuestLogEntry } from '../../../functions/runtime/bridge.ts';
import type { Fixture } from '../../../functions/testing/fixture-file.ts';
import type { SentRead } from '../../functions/dry-run/compare-shapes.ts';
import { describeFailure } from '../../functions/dry-run/describe-failure.ts';
import { fixturePath, writeFixture } from '../../functions/dry-run/fixture-files.ts';
import type { SchemaProblem } from '../../functions/dry-run/schema-check.ts';
import type { CliContext } from '../cli-context.ts';
import { CliFailure, EXIT } from '../cli-failure.ts';
import { listConnections } from '../hub/find-connection.ts';
import type { DryRunResult, LocalDryRun } from '../local-run/dry-run.ts';
import { chooseFunction, compileOne } from '../project/choose-function.ts';
import type { Project } from '../project/find-project.ts';
import { readJsonArgument, readObjectArgument } from '../project/json-argument.ts';
import type { LocalEngine } from '../project/local-engine.ts';
import { showLog } from '../show-log.ts';
import { showResult } from '../show-result.ts';

export interface DryRunCommandOptions {
  environment: string;
  lastSyncDate?: string;
  variant?: string;
  input?: string;
  metadata?: string;
  checkpoint?: string;
  integrationId?: string;
  validate?: boolean;
  validation?: boolean;
  save?: boolean;
  saveResponses?: boolean;
  diagnostics?: boolean;
}

/** Runs one function of the project; what it saves is shown and not kept. */
export async function dryrun(
  context: CliContext,
  name: string | undefined,
  connectionId: string | undefined,
  options: DryRunCommandOptions,
): Promise<void> {
  const { terminal } = context;
  // Loaded here, because every other command starts faster without them.
  const { SchemaCheck } = await import('../../functions/dry-run/schema-check.ts');
  const { requireFitting, warnOfMismatches } = await import('../local-run/check-schema.ts');
  const project = await context.findProject();
  await using engine = await context.openEngine(project);
  const choice = { name, integration: options.integrationId };
  const compiled = await compileOne(engine.compiler, terminal, await chooseFunction(engine.compiler, terminal, choice));
  const id = connectionId ?? (await chooseConnection(context, compiled, options.environment));
  const isRecorded = Boolean(options.save || options.saveResponses);
  const isChecked = isRecorded || Boolean(options.validate || options.validation);
  const request = { ...(await readRequest(context, compiled, options)), isRecorded };
  const check = new SchemaCheck(compiled.definition);
  const hold = (what: string, problems: SchemaProblem[]): void =>
    isChecked ? requireFitting(what, problems) : warnOfMismatches(terminal, what, problems);
  hold('The input', check.input(request.input));

  const logs: GuestLogEntry[] = [];
  const startedAt = context.clock.now();
  const onLog = (entry: GuestLogEntry): void => {
    logs.push(entry);
    showLog(terminal, entry);
  };
  const result = await runOnHub(context, engine, {
    request,
    connectionId: id,
    environment: options.environment,
    onLog,
  });
  if (!result.outcome.ok) throw failureOf(result, logs);
  hold('The output', check.output(JSON.parse(result.outcome.output)));
  hold('What was saved', check.records(result.records));
  await showResult(context, { compiled, result, logs });
  if (options.diagnostics) showDiagnostics(context, result, context.clock.now() - startedAt);
  if (result.fixture) await saveFixture(context, project, compiled, result.fixture);
}

/** More are too many to choose from by number. */
const MAX_CHOICES = 20;

/** Asks for one of the connections that the function can run on; without a person, names them. */
async function chooseConnection(
  context: CliContext,
  { integration, name }: CompiledFunction,
  environment: string,
): Promise<string> {
  const { terminal } = context;
  const usage = `Say which connection: homeport dryrun ${name} <connection_id>.`;
  const known = await listIdsOf(context, integration, environment);
  // The hub that would know them cannot be asked; the run itself says why.
  if (known === undefined) return terminal.ask('On which connection? (id)', usage);
  if (known.length === 0)
    throw new CliFailure(
      `${usage} The integration "${integration}" has no connections in ${environment} yet; "homeport connections add ${integration} <connection_id>" adds one.`,
      EXIT.usage,
    );
  const more =
    known.length > MAX_CHOICES ? ` and ${known.length - MAX_CHOICES} more ("homeport connections list")` : '';
  const otherwise = `${usage} There are: ${known.slice(0, MAX_CHOICES).join(', ')}${more}.`;
  if (more !== '') return terminal.ask('On which connection? (id)', otherwise);
  const choices = known.map((id) => ({ label: id, value: id }));
  return terminal.choose('On which connection? (number)', choices, otherwise);
}

/** Ids of the connections of an integration; undefined when the hub cannot be asked. */
export async function listIdsOf(
  { hubs }: CliContext,
  integrationId: string,
  environment: string,
): Promise<string[] | undefined> {
  try {
    const connections = await listConnections(await hubs.open(environment), { integrationId });
    return connections.map(({ connection_id }) => connection_id).sort();
  } catch (error) {
    if (!(error instanceof CliFailure)) throw error;
    return undefined;
  }
}

async function readRequest(
  context: CliContext,
  compiled: CompiledFunction,
  options: DryRunCommandOptions,
): Promise<LocalDryRun> {
  const { input, metadata, checkpoint, lastSyncDate, variant } = options;
  if (lastSyncDate !== undefined && Number.isNaN(Date.parse(lastSyncDate)))
    throw new CliFailure(
      `--last-sync-date is not a date: ${lastSyncDate}. Write 2026-01-31 or an ISO time.`,
      EXIT.usage,
    );
  return {
    compiled,
    ...(input === undefined ? {} : { input: await readJsonArgument('--input', input, context) }),
    ...(metadata === undefined ? {} : { metadata: await readObjectArgument('--metadata', metadata, context) }),
    ...(checkpoint === undefined
      ? {}
      : { checkpoint: requireFlat(await readObjectArgument('--checkpoint', checkpoint, context)) }),
    ...(lastSyncDate === undefined ? {} : { lastSyncDate: new Date(lastSyncDate).toISOString() }),
    ...(variant === undefined ? {} : { variant }),
  };
}

/** The same limit as for checkpoints that a run saves (functions.md 3.7). */
const MAX_CHECKPOINT_FIELDS = 16;

function requireFlat(checkpoint: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(checkpoint);
  const nested = entries.find(([, value]) => !['string', 'number', 'boolean'].includes(typeof value));
  if (nested)
    throw new CliFailure(`--checkpoint: the field "${nested[0]}" must be a text, a number or a boolean.`, EXIT.usage);
  if (entries.length > MAX_CHECKPOINT_FIELDS)
    throw new CliFailure(`--checkpoint has more than ${MAX_CHECKPOINT_FIELDS} fields.`, EXIT.usage);
  return checkpoint;
}

/** Runs a function of the project on a connection of the hub. `onLog` receives what it logs. */
export async function runOnHub(
  context: CliContext,
  engine: LocalEngine,
  run: {
    request: LocalDryRun;
    connectionId: string;
    environment: string;
    onLog: (entry: GuestLogEntry) => void;
    mayBeSent?: (request: SentRead) => boolean;
  },
): Promise<DryRunResult> {
  const { terminal, signal, hubs } = context;
  const { request, connectionId, environment, onLog, mayBeSent } = run;
  const { DryRun } = await import('../local-run/dry-run.ts');
  const { OutboundHttp } = await import('../../platform/lib/outbound-http.ts');
  const http = new OutboundHttp({ ownPort: () => undefined });
  const dry = new DryRun({
    hub: await hubs.open(environment),
    http,
    connectionId,
    signal,
    runner: engine.runner,
    environmentName: environment,
    onLog,
    ...(mayBeSent ? { mayBeSent } : {}),
    compileSync: async (integration, name) => {
      const choice = { name, integration, kinds: ['sync' as const] };
      return compileOne(engine.compiler, terminal, await chooseFunction(engine.compiler, terminal, choice));
    },
  });
  try {
    return await dry.run(request);
  } finally {
    await http.stop();
  }
}

function failureOf({ outcome }: DryRunResult, logs: GuestLogEntry[]): CliFailure {
  if (outcome.ok) throw new Error('The run did not fail.');
  const { code, message, payload, stack } = describeFailure(outcome.failure);
  const lines = [
    `The run failed: ${message} (${code})`,
    ...(payload === undefined ? [] : [JSON.stringify(payload, null, 2)]),
    ...(stack ? [stack] : []),
  ];
  return new CliFailure(lines.join('\n'), EXIT.run, { code, payload, logs });
}

function showDiagnostics({ terminal }: CliContext, { outcome, requests }: DryRunResult, tookMs: number): void {
  const memoryMb = Math.round(outcome.memoryBytes / 1024 / 1024);
  terminal.note(
    terminal.colors.dim(
      `${requests} requests, ${tookMs} ms, ${Math.round(outcome.cpuMs)} ms of computing, ${memoryMb} MB`,
    ),
  );
}

async function saveFixture(
  { terminal }: CliContext,
  project: Project,
  compiled: CompiledFunction,
  fixture: Fixture,
): Promise<void> {
  const path = await writeFixture(
    project.root,
    { subject: compiled, path: fixturePath(compiled), isLegacy: false },
    fixture,
  );
  terminal.note(
    `Recorded ${path}. Look it through before you share it; replay it with "homeport test ${compiled.name}".`,
  );
}
