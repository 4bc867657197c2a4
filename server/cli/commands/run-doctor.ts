import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { requireUsableFolder } from '../../data-folder.ts';
import type { ProviderChange } from '../../integrations/dashboard-integrations.contract.ts';
import { NoAnswerError, requestText } from '../../platform/lib/request-text.ts';
import { StartError } from '../../platform/lib/start-error.ts';
import { readRunningFile } from '../../running-file.ts';
import type { CliContext } from '../cli-context.ts';
import { CliFailure } from '../cli-failure.ts';
import { compileProject, count, isFailing } from '../project/compile-project.ts';
import type { Project } from '../project/find-project.ts';
import { findPathOfOneComputer, repairProject } from '../project/project-repair.ts';

export interface DoctorOptions {
  environment: string;
  fix?: boolean;
}

interface Finding {
  what: string;
  state: 'ok' | 'warning' | 'problem';
  /** What was found, and what to do about it. */
  detail: string;
}

export async function runDoctor(context: CliContext, { environment, fix = false }: DoctorOptions): Promise<void> {
  const { terminal } = context;
  const { colors } = terminal;
  const findings: Finding[] = [];
  const add = async (check: (context: CliContext, environment: string) => Promise<Finding>): Promise<Finding> => {
    const finding = await check(context, environment);
    findings.push(finding);
    return finding;
  };
  await add(checkNode);
  await add(checkDataFolder);
  // Without a hub these fail for that one reason (design.md 7.52).
  const hasHub = (await add(checkHub)).state === 'ok';
  if (hasHub) await add(checkKey);
  await add(checkProviders);
  if (hasHub) await add(checkConnections);
  await add(checkFunctions);
  const project = await checkProject(context, fix);
  if (project) findings.push(project);
  terminal.printJson({ findings });
  const marks = { ok: colors.green('✓'), warning: colors.yellow('!'), problem: colors.red('✗') };
  for (const { what, state, detail } of findings) terminal.print(`${marks[state]} ${what.padEnd(12)} ${detail}`);
  const problems = findings.filter(({ state }) => state === 'problem').length;
  if (problems > 0) throw new CliFailure(`${count(problems, 'problem')} found.`, undefined, { findings });
}

async function checkNode({ resources }: CliContext): Promise<Finding> {
  return ok('program', `Homeport ${resources.version} on Node ${process.versions.node}`);
}

/** Before the first start the folder is missing, which is normal. A folder that the hub could not use is a problem. */
async function checkDataFolder({ config }: CliContext): Promise<Finding> {
  const { home } = config;
  try {
    await requireUsableFolder(home);
    if (existsSync(home)) return ok('data folder', home);
    return warning('data folder', `${home} does not exist yet. "homeport serve" creates it.`);
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    return problem('data folder', error.message);
  }
}

async function checkHub({ config, hubs }: CliContext): Promise<Finding> {
  const address = await hubs.address();
  const running = await readRunningFile(config.home);
  try {
    const { status } = await requestText(`${address}/health`);
    if (status === 200) return ok('hub', `answers at ${address}`);
    return problem('hub', `${address} answers, but it is not a hub. Set NANGO_HOSTPORT to the address of your hub.`);
  } catch (error) {
    // A TypeError: it is no address.
    if (!(error instanceof NoAnswerError || error instanceof TypeError)) throw error;
    const died = running ? ' It ended without a clean stop.' : '';
    return problem('hub', `nothing answers at ${address}.${died} Start it with "homeport serve" or the app.`);
  }
}

async function checkKey({ hubs }: CliContext, environment: string): Promise<Finding> {
  return attempt('key', async () => {
    await (await hubs.open(environment)).call('GET', '/environment/settings');
    return `opens the environment ${environment}`;
  });
}

/** Checks the provider entries in the workspace's files, and changes that wait for approval. */
async function checkProviders({ config, hubs, resources }: CliContext): Promise<Finding> {
  const { OfflineCatalog } = await import('../project/offline-catalog.ts');
  const folder = (await hubs.functionsFolder().catch(withoutHub)) ?? config.functionsFolder;
  const problems = (await OfflineCatalog.load(resources.catalog, folder)).problems();
  if (problems.length > 0) return problem('providers', `${problems.join('; ')} (in ${folder})`);
  const session = await hubs.logIn().catch(withoutHub);
  const { data: waiting } = (await session?.call<{ data: ProviderChange[] }>('GET', '/api/v1/provider-changes')) ?? {
    data: [],
  };
  if (waiting.length === 0) return ok('providers', `the entries in ${folder} are in order`);
  const names = waiting.map(({ provider }) => provider).join(', ');
  return warning('providers', `changes of ${names} wait for approval. "homeport providers" shows them.`);
}

/** Only this user's own hub can be asked. Without it only the files are checked. */
function withoutHub(error: unknown): undefined {
  if (!(error instanceof CliFailure) && !(error instanceof TypeError)) throw error;
  return undefined;
}

async function checkConnections({ hubs }: CliContext, environment: string): Promise<Finding> {
  let failedSyncs: string[] = [];
  const finding = await attempt('connections', async () => {
    const hub = await hubs.open(environment);
    const { connections } = await hub.call<{ connections: ListedConnection[] }>('GET', '/connections');
    const withError = (type: string): string[] =>
      connections.filter(({ errors }) => errors.some((one) => one.type === type)).map((one) => one.connection_id);
    const refused = withError('auth');
    if (refused.length > 0)
      throw new CliFailure(
        `${refused.join(', ')} cannot be used. "homeport logs --failed" says why; connect them again.`,
      );
    failedSyncs = withError('sync');
    return count(connections.length, 'connection');
  });
  if (finding.state !== 'ok' || failedSyncs.length === 0) return finding;
  return warning(
    'connections',
    `${finding.detail}; the last run of a sync failed on ${failedSyncs.join(', ')}. "homeport logs --failed" says why.`,
  );
}

interface ListedConnection {
  connection_id: string;
  errors: Array<{ type: string }>;
}

/** Checks the project of the current folder, else the files that the hub itself runs. Nothing is written. */
async function checkFunctions(context: CliContext): Promise<Finding> {
  return attempt('functions', async () => {
    const project = await context.findProject().catch(orLiveFolder(context));
    if (project === undefined) return `there are none in ${context.config.functionsFolder}`;
    await using engine = await context.openEngine(project);
    const { functions, diagnostics } = await compileProject(engine.compiler);
    const errors = diagnostics.filter(isFailing).length;
    if (errors > 0)
      throw new CliFailure(`${count(errors, 'error')} in ${project.root}. "homeport compile" there shows them.`);
    return `${functions.length} compile in ${project.root}`;
  });
}

/** Projects that an older `homeport init` made start the program by its path. Undefined where there is nothing to say. */
async function checkProject(context: CliContext, fix: boolean): Promise<Finding | undefined> {
  try {
    const project = await context.findProject().catch(orLiveFolder(context));
    const found = project?.hasMarker ? await findPathOfOneComputer(project.root) : undefined;
    if (!project || !found) return undefined;
    const file = join(project.root, 'package.json');
    if (!fix) {
      const where = found.isThere ? 'a path of this computer' : 'where nothing is';
      return (found.isThere ? warning : problem)(
        'project',
        `${file} starts Homeport at ${found.path}, ${where}. "homeport doctor --fix" makes the project work on every computer.`,
      );
    }
    await repairProject(project.root);
    return ok(
      'project',
      `${file} starts Homeport on every computer now. Run "npm install" there, and commit .homeport.`,
    );
  } catch (error) {
    if (!(error instanceof CliFailure)) throw error;
    return problem('project', error.message);
  }
}

function orLiveFolder({ config }: CliContext): (error: unknown) => Project | undefined {
  return (error) => {
    if (!(error instanceof CliFailure) || error.details['code'] !== 'no_project') throw error;
    return existsSync(config.functionsFolder) ? { root: config.functionsFolder, hasMarker: false } : undefined;
  };
}

async function attempt(what: string, work: () => Promise<string>): Promise<Finding> {
  try {
    return ok(what, await work());
  } catch (error) {
    if (!(error instanceof CliFailure)) throw error;
    return problem(what, error.message);
  }
}

const ok = (what: string, detail: string): Finding => ({ what, state: 'ok', detail });
const warning = (what: string, detail: string): Finding => ({ what, state: 'warning', detail });
const problem = (what: string, detail: string): Finding => ({ what, state: 'problem', detail });
