import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { findEntryText, replaceEntryText } from '../../integrations/catalog/entry-texts.ts';
import { readWorkspaceCatalog } from '../../integrations/catalog/workspace-files.ts';
import {
  createDescriptionsService,
  type DescriptionsService,
} from '../../integrations/descriptions/descriptions.service.ts';
import type { ProposedEntry } from '../../integrations/descriptions/propose-entry.ts';
import {
  type DescribedApi,
  type Description,
  isDescription,
} from '../../integrations/descriptions/read-description.ts';
import { systemClock } from '../../platform/lib/clock.ts';
import { HomeportError } from '../../platform/lib/homeport-error.ts';
import { OutboundHttp } from '../../platform/lib/outbound-http.ts';
import { readIfExists } from '../../platform/lib/read-if-exists.ts';
import type { CliContext } from '../cli-context.ts';
import { CliFailure, EXIT } from '../cli-failure.ts';
import { OfflineCatalog } from '../project/offline-catalog.ts';
import { importFile, openSession, readNamed, untilApplied } from './provider-files.ts';

export interface ProviderImport {
  replace: boolean;
  name?: string;
  auth?: string;
  print: boolean;
}

const KEY = /^[a-z0-9-]{1,255}$/;

/** Imports a file of entries, or proposes an entry from a description and saves it. */
export async function importSource(context: CliContext, source: string, options: ProviderImport): Promise<void> {
  const api = await openSource(context, source);
  if (api) return importDescription(context, api, options);
  const given = options.name ? '--name' : options.auth ? '--auth' : options.print ? '--print' : undefined;
  if (given) throw new CliFailure(`${given} is for API descriptions; ${source} has provider entries.`, EXIT.usage);
  return importFile(context, source, { isReplacing: options.replace });
}

/** Undefined for a file of provider entries. */
async function openSource(context: CliContext, source: string): Promise<DescribedApi | undefined> {
  if (/^https?:\/\//i.test(source)) return { address: source };
  const text = await readNamed(context, source);
  if (!isDescription(text) && !/"(?:authorization_endpoint)"\s*:/.test(text)) return undefined;
  const file = pathToFileURL(resolve(context.cwd, source));
  return { file: file.href, text, readPart: (location) => readBeside(file, location) };
}

/** The description at an address or in a file, and what `use` makes of it. */
export async function openDescription<T>(
  context: CliContext,
  source: string,
  use: (description: Description) => T,
): Promise<T> {
  const api = await requireDescription(context, source);
  return withDescriptions(async ({ read }) => use(await read(api, context.signal)));
}

export async function requireDescription(context: CliContext, source: string): Promise<DescribedApi> {
  const api = await openSource(context, source);
  if (!api) throw new CliFailure(`${source} is no OpenAPI description.`, EXIT.usage);
  return api;
}

/** A description that cannot be used ends the command with the reason. */
export async function withDescriptions<T>(work: (descriptions: DescriptionsService) => Promise<T>): Promise<T> {
  const http = new OutboundHttp({ ownPort: () => undefined });
  try {
    return await work(createDescriptionsService({ clock: systemClock, http }));
  } catch (error) {
    if (error instanceof HomeportError) throw new CliFailure(error.message, EXIT.failed);
    throw error;
  } finally {
    await http.stop();
  }
}

/** Another file of the same description: only from the folder of the first one, or below. */
async function readBeside(file: URL, location: string): Promise<string> {
  const folder = dirname(fileURLToPath(file)) + sep;
  const path = location.startsWith('file:') ? fileURLToPath(location) : '';
  if (!path.startsWith(folder))
    throw new HomeportError(
      'invalid_body',
      `The API description cannot be used. It refers to ${location}, which is not beside it.`,
    );
  return readFile(path, 'utf8');
}

async function importDescription(context: CliContext, api: DescribedApi, options: ProviderImport): Promise<void> {
  const { config, hubs, resources, signal, terminal } = context;
  if (options.name !== undefined && !KEY.test(options.name))
    throw new CliFailure('Name the provider with lower-case letters, digits and "-".', EXIT.usage);
  const proposed = await propose(api, options, signal);
  const { provider, text } = proposed;
  const folder = (await hubs.functionsFolder()) ?? config.functionsFolder;
  const present = await OfflineCatalog.load(resources.catalog, folder);
  const isBuiltIn = present.isBuiltIn(provider);
  const entry = isBuiltIn ? text.replace('\n', '\n  extends: false\n') : text;
  const trial = await OfflineCatalog.loadFiles(resources.catalog, [{ path: 'entry', text: entry }]);
  const problems = trial.problems();
  show(context, proposed, problems);
  if (options.print) return terminal.printJson({ ...proposed, problems });
  if (!options.replace && (isBuiltIn || present.ownKeys().added.includes(provider)))
    throw new CliFailure(
      `${isBuiltIn ? `"${provider}" is built in` : `The workspace has an entry "${provider}"`}, so nothing was saved. ` +
        'Give the new one another key with --name, or put it in its place with --replace.',
      EXIT.failed,
      { ...proposed, problems },
    );
  if (problems.length > 0)
    throw new CliFailure(
      'The entry is not complete, so it was not saved. Write what --print shows to a file, complete it, and import that file.',
      EXIT.failed,
      { ...proposed, problems },
    );
  const files = await readWorkspaceCatalog(folder);
  const own = files.findLast((one) => findEntryText(one.text, provider) !== undefined);
  const path = join(folder, own?.path ?? `providers.d/${provider}.yaml`);
  const after = replaceEntryText((await readIfExists(path)) ?? '', provider, entry);
  if (after === undefined)
    throw new CliFailure(
      `${path} is formatted so that its entries cannot be separated. Move it away first.`,
      EXIT.failed,
    );
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, after);
  const session = await openSession(context);
  if (session) await untilApplied(session, [provider]);
  terminal.printJson({ ...proposed, file: path });
  terminal.print(
    `${terminal.colors.green('✓')} ${provider} is in ${path}${session ? '' : '; the hub reads it when it starts'}`,
  );
  terminal.note(`Try it: homeport integrations create ${provider}, then homeport connect ${provider}`);
}

async function propose(api: DescribedApi, { auth, name }: ProviderImport, signal: AbortSignal): Promise<ProposedEntry> {
  const proposed = await withDescriptions((one) => one.propose(api, { provider: name, auth }, signal));
  if (auth === undefined || proposed.choices.some((one) => one.name === auth && one.isChosen)) return proposed;
  const names = proposed.choices.map((one) => one.name);
  throw new CliFailure(
    `The description has no usable way to authorize "${auth}". It has: ${names.join(', ') || 'none'}.`,
    EXIT.usage,
  );
}

function show({ terminal }: CliContext, { choices, open, provider, text }: ProposedEntry, problems: string[]): void {
  const entry = findEntryText(text, provider) ?? text;
  terminal.printValue(
    entry
      .split('\n')
      .filter((line) => !/^ {2}#/.test(line))
      .join('\n')
      .trimEnd(),
  );
  if (open.length > 0) terminal.print('\nThe description does not say, or leaves a choice:');
  for (const { keyPath, reason } of open) terminal.print(`${terminal.colors.yellow('!')} ${keyPath}: ${reason}`);
  if (choices.length > 1) {
    terminal.print('\nWays to authorize (choose with --auth):');
    for (const { isChosen, label, name } of choices) terminal.print(`${isChosen ? '●' : '○'} ${name}: ${label}`);
  }
  for (const problem of problems) terminal.print(`${terminal.colors.red('✗')} ${problem}`);
}
