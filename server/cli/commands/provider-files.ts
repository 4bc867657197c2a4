import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { stringify } from 'yaml';
import { importedCatalogPath, pickEntries } from '../../integrations/catalog/entry-texts.ts';
import type { ProviderChange, ProviderRow } from '../../integrations/dashboard-integrations.contract.ts';
import type { CliContext } from '../cli-context.ts';
import { CliFailure, EXIT, fileFailure } from '../cli-failure.ts';
import type { DashboardSession } from '../hub/dashboard-session.ts';
import { readProvider } from '../hub/provider-fields.ts';
import { OfflineCatalog } from '../project/offline-catalog.ts';

/** Time in which a hub loads a saved file. A large file takes a few seconds. */
const LOADED_WITHIN_MS = 30_000;
const POLL_EVERY_MS = 200;

export async function showEntry(
  { config, hubs, resources, terminal }: CliContext,
  provider: string,
  environment: string,
): Promise<void> {
  const hub = await hubs.open(environment);
  const data = await readProvider(hub, provider);
  const folder = (await hubs.functionsFolder()) ?? config.functionsFolder;
  const warnings = (await OfflineCatalog.load(resources.catalog, folder)).warnings(provider);
  terminal.printJson({ entry: data, warnings });
  terminal.printValue(stringify(data, { aliasDuplicateObjects: false }).trimEnd());
  for (const warning of warnings) terminal.note(`! ${warning}`);
}

export async function checkProviderFile(context: CliContext, file: string | undefined): Promise<void> {
  const { terminal } = context;
  const catalog = await openFiles(context, file);
  const [problems, warnings] = [catalog.problems(), catalog.warnings()];
  const { added, overBuiltIn } = catalog.ownKeys();
  const counts = { added: added.length, over_built_in: overBuiltIn.length };
  const details = { ...counts, problems, warnings };
  for (const problem of problems) terminal.print(`${terminal.colors.red('✗')} ${problem}`);
  for (const warning of warnings) terminal.print(`${terminal.colors.yellow('!')} ${warning}`);
  const summary = [
    `${added.length} new, ${overBuiltIn.length} over built-in providers`,
    counted(warnings.length, 'remark'),
    counted(problems.length, 'fault'),
  ].join(', ');
  if (problems.length > 0) throw new CliFailure(`${summary}. Faulty entries are left out.`, EXIT.failed, details);
  terminal.printJson(details);
  terminal.print(`${terminal.colors.green('✓')} ${summary}`);
}

/** Adds a file with the valid entries to the workspace. The text of the entries stays as written. */
export async function importFile(
  context: CliContext,
  file: string,
  { isReplacing }: { isReplacing: boolean },
): Promise<void> {
  const { config, hubs, terminal } = context;
  const text = await readNamed(context, file);
  const catalog = await openFiles(context, file);
  const { added, overBuiltIn } = catalog.ownKeys();
  const wanted = [...added, ...(isReplacing ? overBuiltIn : [])];
  const problems = catalog.problems();
  for (const problem of problems) terminal.note(`${terminal.colors.red('✗')} ${problem}; left out`);
  for (const warning of catalog.warnings()) terminal.note(`${terminal.colors.yellow('!')} ${warning}`);
  if (!isReplacing && overBuiltIn.length > 0)
    terminal.note(`Built in, and left as they are (--replace takes them): ${overBuiltIn.join(', ')}`);
  if (wanted.length === 0) throw new CliFailure(`${file} has no entry to add.`, EXIT.failed, { problems });
  const path = join((await hubs.functionsFolder()) ?? config.functionsFolder, importedCatalogPath(file));
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, await pickEntries(text, new Set(wanted)));
  const session = await openSession(context);
  if (session) await untilApplied(session, wanted);
  terminal.printJson({ file: path, added: wanted, problems, warnings: catalog.warnings() });
  const when = session ? '' : '; the hub reads them when it starts';
  terminal.print(
    `${terminal.colors.green('✓')} ${wanted.length === 1 ? '1 entry is' : `${wanted.length} entries are`} in ${path}${when}`,
  );
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

async function openFiles(context: CliContext, file: string | undefined): Promise<OfflineCatalog> {
  const { config, hubs, resources } = context;
  if (file === undefined)
    return OfflineCatalog.load(resources.catalog, (await hubs.functionsFolder()) ?? config.functionsFolder);
  return OfflineCatalog.loadFiles(resources.catalog, [{ path: file, text: await readNamed(context, file) }]);
}

export async function readNamed({ cwd }: CliContext, file: string): Promise<string> {
  try {
    return await readFile(resolve(cwd, file), 'utf8');
  } catch (error) {
    const problem = fileFailure(error, file);
    if (!problem) throw error;
    throw new CliFailure(`${problem.message} Name a file of provider entries.`, EXIT.usage);
  }
}

/** Undefined when no hub of this user runs. */
export async function openSession({ hubs }: CliContext): Promise<DashboardSession | undefined> {
  try {
    return await hubs.logIn();
  } catch (error) {
    if (error instanceof CliFailure) return undefined;
    throw error;
  }
}

/** Waits until the hub uses the entries. An import by hand approves them (providers.md 12.5). */
export async function untilApplied(session: DashboardSession, wanted: string[]): Promise<void> {
  const limit = AbortSignal.timeout(LOADED_WITHIN_MS);
  for (;;) {
    const { data: waiting } = await session.call<{ data: ProviderChange[] }>('GET', '/api/v1/provider-changes');
    for (const { provider, hash } of waiting.filter((change) => wanted.includes(change.provider)))
      await session.call('POST', `/api/v1/providers/${encodeURIComponent(provider)}/approve`, { body: { hash } });
    const { data: rows } = await session.call<{ data: ProviderRow[] }>('GET', '/api/v1/providers');
    const own = new Set(rows.flatMap(({ name, source }) => (source === 'built-in' ? [] : [name])));
    if (wanted.every((name) => own.has(name))) return;
    if (limit.aborted)
      throw new CliFailure(
        'The entries were written, but the hub has not loaded all of them yet. Check again: homeport providers',
      );
    await delay(POLL_EVERY_MS);
  }
}
