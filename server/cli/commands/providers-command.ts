import type { Command } from 'commander';
import type { CatalogFinding } from '../../dashboard/dashboard-provider-entries.contract.ts';
import type { ProviderChange, ProviderRow } from '../../integrations/dashboard-integrations.contract.ts';
import type { CliContext } from '../cli-context.ts';
import { CliFailure } from '../cli-failure.ts';
import { confirmOption, environmentOption } from '../command-options.ts';
import { confirm } from '../confirm.ts';
import type { DashboardSession } from '../hub/dashboard-session.ts';
import type { ProviderCheck } from './check-providers.ts';
import type { ProviderImport } from './import-description.ts';

export function addProviders(program: Command, context: CliContext): void {
  const parent = program.command('providers').description('provider entries of the workspace (providers.yaml)');
  parent
    .command('list', { isDefault: true })
    .description('entries of the workspace, and changes that wait for approval because connections use them')
    .argument('[text]', 'only those that have it in their key, their name or another name')
    .option('--all', 'those that are built in, too, with counts', false)
    .option('--no-app', 'of all entries, only those that work now, without an app at the provider')
    .option('--problems', 'only entries that cannot be used, with the reasons', false)
    .action((text: string | undefined, { all, app, problems }: { all: boolean; app: boolean; problems: boolean }) =>
      problems
        ? listProblems(context, text ?? '')
        : list(context, { text: text ?? '', isAll: all || !app, isWithoutApp: !app }),
    );
  environmentOption(parent.command('show'), 'environment whose key is used')
    .description('the entry in use, with warnings')
    .argument('<provider>')
    .action(async (provider: string, { environment }: { environment: string }) =>
      (await import('./provider-files.ts')).showEntry(context, provider, environment),
    );
  parent
    .command('check')
    .description('compare entries with what their providers publish, or check a file of entries (the workspace’s)')
    .argument('[what...]', 'providers, or one file of entries')
    .option('--all', 'every entry of the catalogue', false)
    .option('--description <source>', 'API description (file or address) to compare one provider with')
    .action(async (what: string[], options: ProviderCheck) =>
      (await import('./check-providers.ts')).checkProviders(context, what, options),
    );
  parent
    .command('import')
    .description('add provider entries to the workspace: those of a file, or one written from an API description')
    .argument('<source>', 'file of entries, OpenAPI description (file or address), or address of an MCP server')
    .option('--replace', 'take entries over built-in providers and over those of the workspace, too', false)
    .option('--name <key>', 'key of the provider, for a description')
    .option('--auth <scheme>', 'way to authorize, by its name in the description')
    .option('--print', 'only show the entry that a description gives', false)
    .action(async (source: string, options: ProviderImport) =>
      (await import('./import-description.ts')).importSource(context, source, options),
    );
  confirmOption(parent.command('approve'))
    .description('apply a change that waits')
    .argument('<provider>')
    .action((provider: string) => approve(context, provider));
}

interface ListFilter {
  text: string;
  isAll: boolean;
  isWithoutApp: boolean;
}

async function list({ terminal, hubs }: CliContext, { text, isAll, isWithoutApp }: ListFilter): Promise<void> {
  const session = await hubs.logIn();
  const { data } = await session.call<{ data: ProviderRow[] }>('GET', '/api/v1/providers');
  const { data: waiting } = await session.call<{ data: ProviderChange[] }>('GET', '/api/v1/provider-changes');
  const providers = data
    .filter((row) => (isAll || row.source !== 'built-in') && isCalled(row, text.toLowerCase()))
    .filter(({ worksWithoutApp }) => worksWithoutApp || !isWithoutApp);
  const counts = countsOf(providers);
  terminal.printJson({ providers, waiting, ...(isAll ? { counts } : {}) });
  if (providers.length > 0)
    terminal.table(
      ['PROVIDER', 'SOURCE', 'NAME', 'AUTH MODE', 'CATEGORIES', 'WAYS IN'],
      providers.map((row) => [
        row.name,
        row.source,
        row.displayName,
        row.authMode,
        row.categories.join(', '),
        row.waysIn.join(', '),
      ]),
    );
  for (const change of waiting) {
    showChange(terminal, change);
    terminal.print(`  Apply it: homeport providers approve ${change.provider}`);
  }
  if (isAll && providers.length > 0) terminal.note(describeCounts(providers.length, counts));
  else if (isAll) terminal.note(`No provider has "${text}" in its key or name.`);
  else if (providers.length + waiting.length === 0)
    terminal.note(
      `The workspace has no ${text ? 'such ' : ''}provider entries. What is built in: homeport providers list --all`,
    );
  const faulty = new Set((await findProblems(session)).map(({ provider }) => provider)).size;
  if (faulty > 0)
    terminal.note(
      `${faulty === 1 ? '1 entry' : `${faulty} entries`} of the workspace cannot be used. Why: homeport providers list --problems`,
    );
}

async function listProblems({ terminal, hubs }: CliContext, text: string): Promise<void> {
  const found = (await findProblems(await hubs.logIn())).filter(({ provider }) =>
    provider.includes(text.toLowerCase()),
  );
  terminal.printJson({ problems: found });
  if (found.length > 0)
    terminal.table(
      ['PROVIDER', 'WHERE', 'REASON'],
      found.map(({ file, keyPath, line, provider, reason }) => [
        provider,
        `${file}:${line}`,
        [keyPath, reason].filter((part) => part !== '').join(' '),
      ]),
    );
  else terminal.note('Every entry of the workspace can be used.');
}

async function findProblems(session: DashboardSession): Promise<CatalogFinding[]> {
  return (await session.call<{ problems: CatalogFinding[] }>('GET', '/api/v1/provider-entries')).problems;
}

function isCalled({ name, displayName, searchTerms }: ProviderRow, text: string): boolean {
  return [name, displayName, ...searchTerms].some((one) => one.toLowerCase().includes(text));
}

type Counts = Record<string, number>;

function countsOf(rows: ProviderRow[]): { authMode: Counts; category: Counts; confirmed: Counts } {
  return {
    authMode: countBy(rows.map(({ authMode }) => authMode)),
    category: countBy(rows.flatMap(({ categories }) => categories)),
    confirmed: countBy(rows.map(({ isConfirmed }) => (isConfirmed ? 'yes' : 'in part'))),
  };
}

/** The most frequent first. */
function countBy(values: string[]): Counts {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return Object.fromEntries([...counts].sort(([a, most], [b, other]) => other - most || a.localeCompare(b)));
}

function describeCounts(total: number, { authMode, category, confirmed }: ReturnType<typeof countsOf>): string {
  const line = (counts: Counts): string =>
    Object.entries(counts)
      .map(([name, count]) => `${name} ${count}`)
      .join(', ');
  return [
    `${total} ${total === 1 ? 'provider' : 'providers'}. Auth modes: ${line(authMode)}.`,
    `Categories: ${line(category)}.`,
    `Checked against the provider’s documentation: ${line(confirmed)}.`,
  ].join('\n');
}

async function approve(context: CliContext, provider: string): Promise<void> {
  const { terminal, hubs } = context;
  const session = await hubs.logIn();
  const { data: waiting } = await session.call<{ data: ProviderChange[] }>('GET', '/api/v1/provider-changes');
  const change = waiting.find((one) => one.provider === provider);
  if (!change) throw new CliFailure(`Nothing waits for approval about "${provider}".`);
  showChange(terminal, change);
  await confirm(context, 'Connections will use this from now on. Apply it?');
  await session.call('POST', `/api/v1/providers/${encodeURIComponent(provider)}/approve`, {
    body: { hash: change.hash },
  });
  terminal.printJson({ approved: provider });
  terminal.print(`${terminal.colors.green('✓')} ${provider} applied`);
}

function showChange(terminal: CliContext['terminal'], { provider, kind, changes }: ProviderChange): void {
  terminal.print(
    `${provider}: ${kind === 'removal' ? 'the workspace’s entry is removed' : 'changed by the workspace'}`,
  );
  for (const { keyPath, before, after } of changes)
    terminal.print(`  ${keyPath}: ${before ?? '(none)'} → ${after ?? '(none)'}`);
}
