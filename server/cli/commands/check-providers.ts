import { access } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { ProviderEntry } from '../../integrations/catalog/entry-schema.ts';
import type { EntryCheck } from '../../integrations/descriptions/check-entry-sources.ts';
import type { CliContext } from '../cli-context.ts';
import { CliFailure, EXIT } from '../cli-failure.ts';
import { OfflineCatalog } from '../project/offline-catalog.ts';
import { requireDescription, withDescriptions } from './import-description.ts';
import { checkProviderFile } from './provider-files.ts';

export interface ProviderCheck {
  all: boolean;
  description?: string;
}

/** Entries that are compared at the same time: most of the time is waiting. */
const AT_ONCE = 8;
const KEY = /^[a-zA-Z0-9_-]+$/;

/** Checks a file of entries, or compares entries with what their providers publish. Changes nothing. */
export async function checkProviders(
  context: CliContext,
  targets: string[],
  { all, description }: ProviderCheck,
): Promise<void> {
  const { config, hubs, resources } = context;
  if (all && targets.length > 0) throw new CliFailure('Name providers, or use --all; not both.', EXIT.usage);
  const catalog = await OfflineCatalog.load(
    resources.catalog,
    (await hubs.functionsFolder()) ?? config.functionsFolder,
  );
  const entries = all ? catalog.list() : targets.flatMap((one) => catalog.find(one) ?? []);
  if (description !== undefined && (all || targets.length !== 1))
    throw new CliFailure('--description is for one provider: homeport providers check <provider>', EXIT.usage);
  if (entries.length > 0 || description !== undefined) {
    const unknown = targets.find((one) => !catalog.find(one));
    if (unknown !== undefined) throw new CliFailure(catalog.explainMissing(unknown), EXIT.failed);
    return compare(context, entries, description);
  }
  const [file, more] = targets;
  if (more !== undefined) throw new CliFailure('Name one file, or providers.', EXIT.usage);
  if (file !== undefined && KEY.test(file) && !(await isThere(resolve(context.cwd, file))))
    throw new CliFailure(`${catalog.explainMissing(file)} There is no file of this name, either.`, EXIT.failed);
  return checkProviderFile(context, file);
}

async function compare(context: CliContext, entries: ProviderEntry[], description: string | undefined): Promise<void> {
  const { signal, terminal } = context;
  const given = description === undefined ? undefined : await requireDescription(context, description);
  const isSingle = entries.length === 1;
  const checks: EntryCheck[] = [];
  await withDescriptions(async ({ check }) => {
    const open = entries.entries();
    const work = async (): Promise<void> => {
      for (const [at, entry] of open) {
        signal.throwIfAborted();
        checks[at] = await check(entry, given, signal);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  });
  for (const one of checks) show(context, one, isSingle);
  const count = (is: (one: EntryCheck) => boolean): number => checks.filter(is).length;
  const counts = {
    agree: count((one) => stateOf(one) === 'agrees'),
    differ: count((one) => stateOf(one) === 'differs'),
    unread: count((one) => stateOf(one) === 'unread'),
    nothing_to_compare: count((one) => stateOf(one) === 'nothing'),
  };
  const summary =
    `${counts.agree} agree, ${counts.differ} differ, ${counts.unread} could not be read, ` +
    `${counts.nothing_to_compare} have nothing to compare with`;
  if (counts.differ + counts.unread > 0) throw new CliFailure(`${summary}.`, EXIT.failed, { checks, counts });
  terminal.printJson({ checks, counts });
  if (!isSingle) terminal.note(`${summary}.`);
}

function stateOf({ differences, problems, sources }: EntryCheck): 'agrees' | 'differs' | 'unread' | 'nothing' {
  if (differences.length > 0) return 'differs';
  if (problems.length > 0) return 'unread';
  return sources.length > 0 ? 'agrees' : 'nothing';
}

/** One line for each difference and failure. Of many entries, those with nothing to compare are only counted. */
function show({ terminal }: CliContext, check: EntryCheck, isSingle: boolean): void {
  const { differences, problems, provider, sources } = check;
  for (const { document, entry, keyPath, source } of differences)
    terminal.print(`${terminal.colors.red('✗')} ${provider}.${keyPath}: ${entry}; ${source} has: ${document}`);
  for (const problem of problems) terminal.print(`${terminal.colors.yellow('!')} ${provider}: ${problem}`);
  const state = stateOf(check);
  if (state === 'agrees')
    terminal.print(`${terminal.colors.green('✓')} ${provider} agrees with ${sources.join(' and ')}`);
  if (state === 'nothing' && isSingle)
    terminal.print(
      `– ${provider}: the entry names no API description, and no discovery document was found at its addresses. ` +
        'Name a description: --description <file or address>',
    );
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
