import type { Command } from 'commander';
import type { CompiledFunction } from '../../../functions/compiler/compiled-function.ts';
import { type DeployMode, deployPayload } from '../../data/transfer/deploy-payload.ts';
import type { CliContext } from '../cli-context.ts';
import { CliFailure, EXIT } from '../cli-failure.ts';
import { environmentOption, integrationOption } from '../command-options.ts';
import type { HubClient } from '../hub/hub-client.ts';
import { compileProject, count, requireCompiled } from '../project/compile-project.ts';

interface Options {
  version?: string;
  sync?: string;
  action?: string;
  environment: string;
  integrationId?: string;
  allowDestructive?: boolean;
}

interface PlannedFunction {
  name: string;
  providerConfigKey: string;
  connections?: number;
}

/** Answer of the confirmation: lists of changes by their kind. */
type Plan = Record<string, PlannedFunction[]> & { deletedModels: string[] };

interface Deployed {
  name: string;
  version: string;
  providerConfigKey: string;
  type: string;
}

const KINDS = ['Syncs', 'Actions', 'OnEventScripts'];

export function addDeploy(program: Command, context: CliContext): void {
  integrationOption(environmentOption(program.command('deploy')), 'only functions of one integration')
    .description('compile the project and deploy it to a running hub')
    .argument('[environment]', 'where to, as --env says')
    .option('-v, --version <version>', 'version of every function, in place of those in the files')
    .option('-s, --sync <name>', 'only this sync; nothing is removed')
    .option('-a, --action <name>', 'only this action; nothing is removed')
    .option('--allow-destructive', 'deploy although syncs with connections, or models, are deleted')
    .action((environment: string | undefined, options: Options) =>
      deploy(context, environment ?? options.environment, options),
    );
}

async function deploy(context: CliContext, environment: string, options: Options): Promise<void> {
  const { terminal, resources } = context;
  const project = await context.findProject();
  await using engine = await context.openEngine(project);
  const compiled = await terminal.progress('compiling', () => compileProject(engine.compiler));
  const functions = choose(requireCompiled(terminal, compiled), options);
  const body = deployPayload({
    functions,
    mode: modeOf(options),
    version: options.version,
    programVersion: resources.version,
  });
  const hub = await context.hubs.open(environment);
  const plan = await send<Plan>(hub, '/sync/deploy/confirmation', body);
  showPlan(context, plan);
  await requireConsent(context, plan, options);
  const deployed = await terminal.progress('deploying', () =>
    send<Deployed[]>(hub, '/sync/deploy', { ...body, nangoYamlBody: '' }),
  );
  terminal.printJson({ environment, plan, deployed });
  for (const { name, providerConfigKey, version } of deployed)
    terminal.print(`${terminal.colors.green('✓')} ${providerConfigKey}/${name} version ${version}`);
  terminal.print(`${count(deployed.length, 'function')} live in ${environment} of ${hub.baseUrl}`);
}

function choose(functions: CompiledFunction[], { sync, action, integrationId }: Options): CompiledFunction[] {
  const chosen = functions.filter(
    (one) =>
      (integrationId === undefined || one.integration === integrationId) &&
      (sync === undefined && action === undefined
        ? true
        : (one.kind === 'sync' && one.name === sync) || (one.kind === 'action' && one.name === action)),
  );
  if (chosen.length > 0) return chosen;
  throw new CliFailure('No function matches; nothing was deployed.', EXIT.usage);
}

function modeOf({ sync, action, integrationId }: Options): DeployMode {
  if (sync !== undefined || action !== undefined) return 'single';
  return integrationId === undefined ? 'all' : 'integration';
}

async function send<T>(hub: HubClient, path: string, body: unknown): Promise<T> {
  const answer = await hub.send('POST', path, { body });
  if (answer.status >= 400) throw hub.refusal(answer.status, answer.body, EXIT.deploy);
  return answer.body as T;
}

function showPlan({ terminal }: CliContext, plan: Plan): void {
  const { colors } = terminal;
  const show = (verb: string, sign: string, paint: (text: string) => string): void => {
    for (const { name, providerConfigKey } of KINDS.flatMap((kind) => plan[`${verb}${kind}`] ?? []))
      terminal.note(paint(`${sign} ${providerConfigKey}/${name}`));
  };
  show('new', '+', colors.green);
  show('updated', '~', colors.yellow);
  show('deleted', '-', colors.red);
  for (const model of plan.deletedModels) terminal.note(colors.red(`- model ${model}`));
}

/** Asks only before records are deleted. `--auto-confirm` does not cover this (functions.md 8.1). */
async function requireConsent({ terminal, env }: CliContext, plan: Plan, options: Options): Promise<void> {
  const syncs = (plan['deletedSyncs'] ?? []).filter(({ connections }) => (connections ?? 0) > 0);
  if (syncs.length === 0 && plan.deletedModels.length === 0) return;
  if (options.allowDestructive || env['NANGO_DEPLOY_AUTO_CONFIRM'] === 'true') return;
  const what = [
    ...syncs.map(
      ({ name, connections }) => `the sync ${name} and its records on ${count(connections ?? 0, 'connection')}`,
    ),
    ...plan.deletedModels.map((model) => `the model ${model}`),
  ].join(', ');
  const otherwise = `This would delete ${what}. Run it again with --allow-destructive if that is meant.`;
  if (!(await terminal.confirm(`This deletes ${what}. Deploy it?`, otherwise)))
    throw new CliFailure('Nothing was deployed.', EXIT.deploy);
}
