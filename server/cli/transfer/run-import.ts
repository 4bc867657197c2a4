import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { CompiledFunction } from '../../../functions/compiler/compiled-function.ts';
import { deployPayload } from '../../data/transfer/deploy-payload.ts';
import { isArchive, openArchive } from '../../data/transfer/export-archive.ts';
import { type ExportFile, exportedSecrets, exportFile } from '../../data/transfer/export-file.ts';
import { withFunctionFiles } from '../../data/transfer/exported-functions.ts';
import { describeEffects } from '../../data/transfer/import-effects.ts';
import { openSecrets } from '../../data/transfer/sealed-secrets.ts';
import { restoreSecrets } from '../../data/transfer/withheld-secrets.ts';
import { type TransferPart, type TransferRow, writeHub } from '../../data/transfer/write-hub.ts';
import { jsonErrorPosition } from '../../platform/lib/parse-json.ts';
import { readIfExists } from '../../platform/lib/read-if-exists.ts';
import type { CliContext } from '../cli-context.ts';
import { CliFailure, EXIT, fileFailure } from '../cli-failure.ts';
import { confirm } from '../confirm.ts';
import { type HubClient, refusalLines } from '../hub/hub-client.ts';
import { compileProject, count, isFailing } from '../project/compile-project.ts';
import { asFailure } from './as-failure.ts';
import { importProviders, listPresentProviders } from './import-providers.ts';
import { PASSPHRASE_VARIABLE, readPassphrase } from './read-passphrase.ts';

/** Functions are not a part here: they are compiled by this program and deployed separately. */
const PARTS: ReadonlySet<TransferPart> = new Set(['settings', 'integrations', 'connections']);

/** What an import did and what it could not do. */
interface ImportReport {
  integrations: number;
  connections: number;
  functions: number;
  /** One sentence each. */
  skipped: string[];
}

export interface ImportOptions {
  environment: string;
  passphraseFile?: string;
}

/** Imports an export file into a running hub. Fails when a part was left out. */
export async function runImport(context: CliContext, path: string, options: ImportOptions): Promise<void> {
  const { terminal } = context;
  const readable = await readExport(resolve(context.cwd, path));
  const passphrase = await readPassphrase(context, options);
  const { secrets: sealed } = readable;
  if (sealed && passphrase === undefined)
    throw new CliFailure(
      `This file holds credentials under a passphrase. Give it with --passphrase-file or ${PASSPHRASE_VARIABLE}.`,
      EXIT.usage,
    );
  const secrets =
    sealed && passphrase !== undefined
      ? exportedSecrets.parse(await asFailure(() => openSecrets(sealed, passphrase)))
      : undefined;
  const file = restoreSecrets(readable, secrets?.withheld ?? []);
  const hub = await context.hubs.open(options.environment);
  await confirmImport(context, hub, file);
  const functionsFolder = await context.hubs.functionsFolder();
  const unfinished: string[] = [];
  const report = await terminal.progress('writing', async (): Promise<ImportReport> => {
    // Must come first, because an integration needs its provider.
    const withoutProvider = await importProviders(hub, file, functionsFolder);
    const { rows } = await writeHub({ hub, file, secrets, conflict: 'replace', parts: PARTS });
    const failed = rows.filter(({ outcome }) => outcome === 'failed');
    for (const { kind, detail, name, outcome } of rows)
      if (kind === 'record-destination' && outcome !== 'failed' && detail !== undefined)
        unfinished.push(`destination ${name}: ${detail}`);
    const countOf = (kind: TransferRow['kind']): number =>
      rows.filter((row) => row.kind === kind && row.outcome !== 'failed').length;
    const left = secrets ? [] : file.left_out.map((part) => `${part}: secret, so it is not in the file`);
    return {
      integrations: countOf('integration'),
      connections: countOf('connection'),
      functions: 0,
      skipped: [...withoutProvider, ...failed.map(({ kind, name, detail }) => `${kind} ${name}: ${detail}`), ...left],
    };
  });
  await importFunctions(context, { hub, functionsFolder }, file, report);
  terminal.printJson(report);
  terminal.print(
    `${terminal.colors.green('✓')} ${count(report.integrations, 'integration')}, ${count(report.connections, 'connection')}, ${count(report.functions, 'function')} imported`,
  );
  for (const sentence of unfinished) terminal.note(sentence);
  for (const sentence of report.skipped) terminal.print(`${terminal.colors.yellow('!')} ${sentence}`);
  if (report.skipped.length > 0)
    throw new CliFailure(
      `${count(report.skipped.length, 'part')} of the file ${report.skipped.length === 1 ? 'is' : 'are'} not here.`,
    );
}

/** Shows which other hosts the file would send data to and which functions it would run, and asks. */
async function confirmImport(context: CliContext, hub: HubClient, file: ExportFile): Promise<void> {
  const { data: now } = await hub.call<{ data: Record<string, unknown> }>('GET', '/environment/settings');
  const effects = describeEffects(file, now, { names: await listPresentProviders(hub, file), mayBeReplaced: false });
  if (effects.length === 0) return;
  const list = ['This file changes where data goes and what runs:', ...effects].join('\n  ');
  if (context.options.autoConfirm) context.terminal.note(list);
  await confirm(context, `${list}\nImport it?`);
}

/** One deploy per function, so that a function that the other hub owns by a file does not block the others. */
async function importFunctions(
  context: CliContext,
  target: { hub: HubClient; functionsFolder: string | undefined },
  file: ExportFile,
  report: ImportReport,
): Promise<void> {
  const { hub } = target;
  if (Object.keys(file.functions).length === 0) return;
  const { functions, diagnostics } = await asFailure(() =>
    withFunctionFiles(file.functions, async (root) => {
      await using engine = await context.openEngine({ root, hasMarker: false });
      return await compileProject(engine.compiler);
    }),
  );
  for (const one of diagnostics.filter(isFailing)) report.skipped.push(`function ${one.file}: ${one.message}`);
  for (const one of functions) {
    if (await isThere(target, one, file.functions[one.path])) continue;
    const body = deployPayload({ functions: [one], mode: 'single', programVersion: context.resources.version });
    const { status, body: response } = await hub.send('POST', '/sync/deploy', { body: { ...body, nangoYamlBody: '' } });
    if (status < 400) report.functions += 1;
    else report.skipped.push(`function ${one.path}: ${refusalLines(status, response).join('; ')}`);
  }
}

/** Whether the hub already has the same source, as for the practice functions. */
async function isThere(
  { hub, functionsFolder }: { hub: HubClient; functionsFolder: string | undefined },
  { integration, kind, name, path }: CompiledFunction,
  text: string | undefined,
): Promise<boolean> {
  if (functionsFolder !== undefined && (await readIfExists(join(functionsFolder, path))) === text) return true;
  const code = `/integrations/${encodeURIComponent(integration)}/functions/${encodeURIComponent(name)}/code`;
  const { status, body } = await hub.send('GET', code, { query: { type: kind } });
  return status === 200 && (body as { code: string }).code === text;
}

async function readExport(path: string): Promise<ExportFile> {
  const found = exportFile.safeParse(await readContents(path));
  if (found.success) return found.data;
  const [issue] = found.error.issues;
  const where = issue && issue.path.length > 0 ? ` ("${issue.path.join('.')}": ${issue.message})` : '';
  throw new CliFailure(
    `${path} is not an export of Homeport${where}. "homeport export" writes such a file.`,
    EXIT.usage,
  );
}

/** Reads a JSON file or an archive, recognised by its content. */
async function readContents(path: string): Promise<unknown> {
  const bytes = await readBytes(path);
  if (isArchive(bytes)) return asFailure(async () => openArchive(bytes));
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new CliFailure(
      `${path} is not an export of Homeport: it is not JSON${jsonErrorPosition(error)}.`,
      EXIT.usage,
    );
  }
}

async function readBytes(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    const problem = fileFailure(error, path);
    if (!problem) throw error;
    throw new CliFailure(`The export cannot be read: ${problem.message}`, EXIT.usage);
  }
}
