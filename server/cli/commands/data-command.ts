import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import type {
  BackupRow,
  ChangedKey,
  ChangeKey,
  DataState,
  MasterKeyState,
} from '../../contract/dashboard/dashboard-data.ts';
import type { ExaminedDataFile, OfflineData } from '../../offline-data.ts';
import type { CliContext } from '../cli-context.ts';
import { CliFailure, EXIT, fileFailure } from '../cli-failure.ts';
import { DashboardSession } from '../hub/dashboard-session.ts';

const SOURCES = { keychain: 'the keychain', file: 'the key file', variable: 'HOMEPORT_MASTER_KEY' } as const;
const NEW_KEY_VARIABLE = 'HOMEPORT_NEW_MASTER_KEY';

/** The database and the vault, which no other command needs. */
const loadOffline = () => import('../../offline-data.ts');

/** The configuration with the master key, which other commands do not get. */
function folderOf({ config, env }: CliContext): CliContext['config'] {
  const masterKey = env['HOMEPORT_MASTER_KEY'];
  return masterKey ? { ...config, masterKey } : config;
}

/** Backups, checks and the master key: through the hub when it runs, on the data folder itself when it does not. */
export function addData(program: Command, context: CliContext): void {
  program
    .command('backup')
    .description('copy the database into the folder of backups, or into a file of that name')
    .argument('[file]')
    .action((file: string | undefined) => backUp(context, file));
  program
    .command('restore')
    .description('put a backup in the place of the database; the hub must not run')
    .argument('<file>')
    .option('--any-key', 'also a backup that no master key here opens')
    .action((file: string, options: { anyKey?: boolean }) => restore(context, file, options.anyKey === true));
  program
    .command('verify')
    .description('read the database, or a backup, from end to end and try the master key on it')
    .argument('[file]')
    .action((file: string | undefined) => verify(context, file));
  const key = program.command('key').description('the master key, which opens what is sealed in the data folder');
  key
    .command('status')
    .description('where it is, and whether it opens the data')
    .action(() => showKey(context));
  key
    .command('rotate')
    .description(`replace it by a new one; a key from HOMEPORT_MASTER_KEY by the one in ${NEW_KEY_VARIABLE}`)
    .action(() => rotateKey(context));
  key
    .command('move')
    .description('keep it elsewhere: keychain or file')
    .argument('<to>')
    .action((to: string) => moveKey(context, to));
  key
    .command('reset')
    .description('make a new one when it is lost: what is sealed goes, the rest is kept; the hub must not run')
    .action(() => resetKey(context));
}

async function backUp(context: CliContext, name: string | undefined): Promise<void> {
  const { config, cwd, terminal } = context;
  if (name === undefined) {
    const made = await withData<{ path: string; sizeBytes: number }>(context, {
      hub: async (hub) => {
        const { backupFolder } = await hub.call<DataState>('GET', '/api/v1/data');
        const backup = await hub.call<BackupRow>('POST', '/api/v1/data/backups');
        return { path: resolve(backupFolder, backup.name), sizeBytes: backup.sizeBytes };
      },
      folder: async (data) => {
        await requireDatabase(data);
        const backup = await data.backups.write('manual');
        return { path: resolve(data.backups.path, backup.name), sizeBytes: backup.sizeBytes };
      },
    });
    terminal.printJson(made);
    terminal.print(made.path);
    return;
  }
  const path = resolve(cwd, name);
  if (existsSync(path)) await confirm(context, `${path} exists. Overwrite it?`);
  // SQLite lets a second process read: a hub that runs goes on as before.
  const { copyDataTo } = await loadOffline();
  await explained(terminal.progress('Copying the database', () => copyDataTo(config, path)));
  terminal.printJson({ path });
  terminal.print(path);
}

async function restore(context: CliContext, name: string, takesAnyKey: boolean): Promise<void> {
  const { cwd, terminal } = context;
  const path = resolve(cwd, name);
  if (!existsSync(path)) throw new CliFailure(`There is no file ${path}.`);
  await withData(context, {
    hub: () => {
      throw new CliFailure('The hub runs on this data folder. Stop it, then restore.');
    },
    folder: async (data) => {
      const found = await terminal.progress('Reading the backup', () => data.examine(path));
      refuseUnusable(path, found);
      if (found.newerSchema !== undefined)
        throw new CliFailure(
          `${path} was written by a newer Homeport (schema ${found.newerSchema}). Install that version first.`,
        );
      if (found.keySource === undefined && !takesAnyKey)
        throw new CliFailure(
          `No master key here opens ${path}: ${found.keyProblem} Set HOMEPORT_MASTER_KEY to the key of the backup, or restore with --any-key and set it before the next start.`,
        );
      terminal.note(
        found.keySource === undefined
          ? 'No master key here opens this backup.'
          : `The master key of this data folder (${sourceText(found.keySource)}) opens this backup.`,
      );
      if (await data.exists())
        await confirm(context, `Replace the database ${data.file}? It is kept as a backup first.`);
      const kept = await terminal.progress('Restoring', () => context.finish(() => data.restore(path)));
      terminal.printJson({ restored: data.file, kept: kept ?? null });
      terminal.print(`${terminal.colors.green('✓')} ${data.file} is what ${path} was`);
      if (kept !== undefined) terminal.print(`  What was there is kept in ${kept}`);
    },
  });
}

async function verify(context: CliContext, name: string | undefined): Promise<void> {
  const { cwd, terminal } = context;
  const path = name === undefined ? undefined : resolve(cwd, name);
  if (path !== undefined && !existsSync(path)) throw new CliFailure(`There is no file ${path}.`);
  const what = path ?? 'The database';
  const { checkFile: examineFile, keySourcesOf } = await loadOffline();
  const result = await terminal.progress('Reading from end to end', () =>
    path === undefined ? verifyDatabase(context) : examineFile(path, keySourcesOf(folderOf(context))),
  );
  refuseUnusable(what, result);
  terminal.printJson({ ok: true, opened_by: result.keySource ?? null });
  terminal.print(
    result.keySource === undefined
      ? `${terminal.colors.yellow('!')} ${what} is sound, but no master key here opens it: ${result.keyProblem}`
      : `${terminal.colors.green('✓')} ${what} is sound, and the master key (${sourceText(result.keySource)}) opens it`,
  );
}

type Verified = Pick<ExaminedDataFile, 'problems' | 'isHomeport' | 'keyProblem'> & { keySource: string | undefined };

function verifyDatabase(context: CliContext): Promise<Verified> {
  return withData<Verified>(context, {
    hub: async (hub) => {
      const { problems } = await hub.call<{ problems: string[] }>('POST', '/api/v1/data/verify', { body: {} });
      const { keySource } = await hub.call<DataState>('GET', '/api/v1/data');
      return { problems, isHomeport: true, keySource, keyProblem: undefined };
    },
    folder: async (data) => {
      await requireDatabase(data);
      return data.examine();
    },
  });
}

async function showKey(context: CliContext): Promise<void> {
  const { terminal } = context;
  const found = await withData<Pick<Verified, 'keySource' | 'keyProblem'>>(context, {
    hub: async (hub) => {
      const { keySource, problem } = await hub.call<MasterKeyState>('GET', '/api/v1/data/key');
      if (problem !== null) throw lostKey(context, keySource, problem);
      return { keySource, keyProblem: undefined };
    },
    folder: async (data) => {
      await requireDatabase(data);
      return data.examine();
    },
  });
  if (found.keySource === undefined)
    throw new CliFailure(
      `${found.keyProblem} Put the key back (from a copy of your keychain or of master.key). If it is lost: \`homeport key reset\` makes a new one and keeps what is not sealed; accounts are connected again.`,
    );
  terminal.printJson({ source: found.keySource });
  terminal.print(`The master key is in ${sourceText(found.keySource)} and opens the data.`);
}

/** The hub has it in memory, so nothing is lost yet. */
function lostKey({ config }: CliContext, keySource: MasterKeyState['keySource'], problem: string): CliFailure {
  const file = join(config.home, 'master.key');
  const what =
    keySource === 'file' && !existsSync(file)
      ? `The key file ${file} is gone.`
      : `The master key was not found. ${problem}`;
  const wayOut =
    keySource === 'variable'
      ? 'Set it to the key of this data folder'
      : 'Put the key back, or let the hub make a new one now: homeport key rotate';
  return new CliFailure(
    `${what} The running hub works until it ends; its next start does not open the data. ${wayOut}.`,
  );
}

async function rotateKey(context: CliContext): Promise<void> {
  const given = context.env[NEW_KEY_VARIABLE];
  await confirm(context, 'Replace the master key? Copies of backups outside the data folder keep needing the old one.');
  const changed = await changeKey(context, { action: 'rotate' }, async (data) => {
    const { keySource, keyProblem } = await data.examine();
    if (keySource === undefined) throw new CliFailure(keyProblem ?? 'No master key opens the data.');
    if (keySource !== 'environment') return data.changeKey({ key: 'new', to: keySource });
    if (given === undefined)
      throw new CliFailure(
        `The master key comes from HOMEPORT_MASTER_KEY. Put the new one (base64 of 32 bytes) into ${NEW_KEY_VARIABLE}.`,
        EXIT.usage,
      );
    return data.changeKey({ key: decodeNewKey(given), to: 'environment' });
  });
  report(context, 'replaced', changed);
  if (changed.keySource === 'variable')
    context.terminal.note(`Set HOMEPORT_MASTER_KEY to what ${NEW_KEY_VARIABLE} holds before the next start.`);
}

async function moveKey(context: CliContext, to: string): Promise<void> {
  if (to !== 'keychain' && to !== 'file') throw new CliFailure('Say where to: keychain or file.', EXIT.usage);
  if (to === 'file')
    await confirm(context, 'Keep the master key in a file of the data folder? Who can read your files can read it.');
  const changed = await changeKey(context, { action: 'move', to }, async (data) => {
    const { keySource } = await data.examine();
    if (keySource === to) throw new CliFailure(`The master key is in ${SOURCES[to]} already.`);
    return data.changeKey({ key: 'same', to });
  });
  report(context, 'moved', changed);
  if (folderOf(context).masterKey !== undefined)
    context.terminal.note('HOMEPORT_MASTER_KEY is still set and hides it; unset it before the next start.');
}

async function resetKey(context: CliContext): Promise<void> {
  const { finish, ids, terminal } = context;
  await withData(context, {
    hub: () => {
      throw new CliFailure('The hub runs on this data folder with its master key. Stop it first.');
    },
    folder: async (data) => {
      await requireDatabase(data);
      const found = await data.examine();
      refuseUnusable(data.file, found);
      if (found.keySource !== undefined)
        throw new CliFailure(
          `The master key (${sourceText(found.keySource)}) opens the data. \`homeport key rotate\` replaces it and keeps everything.`,
        );
      const hidden = await data.findHiddenKey();
      if (hidden !== undefined)
        throw new CliFailure(
          `HOMEPORT_MASTER_KEY does not open the data, but ${sourceText(hidden)} does. Unset HOMEPORT_MASTER_KEY.`,
        );
      terminal.note(found.keyProblem ?? '');
      await confirm(
        context,
        'Give up what only the lost key opens (credentials, records, API keys, variables, further webhook destinations, kept webhooks)? Integrations, connections with tags and metadata, settings and functions are kept; a backup is made first.',
      );
      const reset = await terminal.progress('Resetting', () => finish(() => data.resetKey(ids)));
      reportReset(context, reset);
    },
  });
}

function reportReset({ terminal }: CliContext, { kept, lost, keys, backup, keySource }: ResetData): void {
  terminal.printJson({
    source: keySource === 'environment' ? 'variable' : keySource,
    kept,
    lost: {
      app_credentials: lost.appCredentials,
      connection_credentials: lost.connectionCredentials,
      records: lost.records,
      api_keys: lost.apiKeys,
      variables: lost.variables,
      signing_keys: lost.signingKeys,
      webhook_destinations: lost.webhookDestinations,
      webhooks: lost.webhooks,
      deliveries: lost.deliveries,
      actions: lost.actions,
      sessions: lost.sessions,
      mcp_decisions: lost.mcpDecisions,
    },
    keys: keys.map(({ environment, secretKey }) => ({ environment, secret_key: secretKey })),
    backup,
  });
  const list = (counts: Array<[number, string, string?]>): string =>
    counts
      .flatMap(([number, one, more]) => (number > 0 ? `${number} ${number === 1 ? one : (more ?? `${one}s`)}` : []))
      .join(', ') || 'nothing';
  terminal.print(
    `${terminal.colors.green('✓')} The data folder has a new master key; it is in ${sourceText(keySource)}.`,
  );
  terminal.print(
    `  kept  ${list([
      [kept.environments, 'environment with its settings', 'environments with their settings'],
      [kept.integrations, 'integration'],
      [
        kept.connections,
        'connection with tags, metadata and end user',
        'connections with tags, metadata and end users',
      ],
      [kept.functions, 'function'],
    ])}`,
  );
  terminal.print(
    `  lost  ${list([
      [lost.appCredentials, 'app credential of an integration', 'app credentials of integrations'],
      [lost.connectionCredentials, 'credential of a connection', 'credentials of connections'],
      [lost.records, 'record'],
      [lost.apiKeys, 'API key'],
      [lost.variables, 'variable'],
      [lost.signingKeys, 'signing key'],
      [lost.webhookDestinations, 'further webhook destination'],
      [lost.webhooks, 'kept webhook'],
      [lost.deliveries, 'webhook delivery', 'webhook deliveries'],
      [lost.actions, 'asynchronous action'],
      [lost.sessions, 'session'],
      [lost.mcpDecisions, 'decision about an MCP tool', 'decisions about MCP tools'],
    ])}`,
  );
  for (const { environment, secretKey } of keys) terminal.print(`  secret key of ${environment}  ${secretKey}`);
  terminal.print(`  What was there is in ${backup}; it opens with the lost key, should you find it.`);
  terminal.note(
    'Next: start the hub, enter app credentials and webhook secrets of integrations (without them webhooks are believed unsigned), then reconnect the connections.',
  );
}

function changeKey(
  context: CliContext,
  body: ChangeKey,
  change: (data: OfflineData) => ReturnType<OfflineData['changeKey']>,
): Promise<ChangedKey> {
  return withData<ChangedKey>(context, {
    hub: (hub) => hub.call<ChangedKey>('POST', '/api/v1/data/key', { body }),
    folder: async (data) => {
      await requireDatabase(data);
      const { source, closedCopies } = await context.finish(() => change(data));
      return { keySource: source === 'environment' ? 'variable' : source, closedBackups: closedCopies };
    },
  });
}

function report({ terminal }: CliContext, what: string, { keySource, closedBackups }: ChangedKey): void {
  terminal.printJson({ source: keySource, closed_backups: closedBackups });
  terminal.print(`${terminal.colors.green('✓')} The master key was ${what}; it is in ${SOURCES[keySource]}.`);
  if (closedBackups > 0) terminal.note(`${closedBackups} of the backups belong to another key and stay as they are.`);
}

type ResetData = Awaited<ReturnType<OfflineData['resetKey']>>;

interface DataWork<T> {
  hub(session: DashboardSession): Promise<T>;
  folder(data: OfflineData): Promise<T>;
}

/** The hub's own part when it runs, so that it knows; else the folder, which no hub can take meanwhile. */
async function withData<T>(context: CliContext, work: DataWork<T>): Promise<T> {
  const session = await DashboardSession.open(context.config.home, fetch);
  if (session) return work.hub(session);
  const { OfflineData } = await loadOffline();
  const data = await explained(OfflineData.open(folderOf(context), context.clock));
  try {
    return await explained(work.folder(data));
  } finally {
    await data.close();
  }
}

async function explained<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Error && EXPECTED.has(error.name)) throw new CliFailure(error.message);
    throw fileFailure(error) ?? error;
  }
}

/** Failures of the data folder whose message is for its user. */
const EXPECTED = new Set([
  'DamagedDatabaseError',
  'DiskFullError',
  'FolderInUseError',
  'KeychainUnavailableError',
  'MasterKeyError',
  'StartError',
]);

async function requireDatabase(data: OfflineData): Promise<void> {
  if (!(await data.exists())) throw new CliFailure(`There is no database ${data.file} yet.`);
}

function refuseUnusable(
  what: string,
  { problems, isHomeport }: Pick<ExaminedDataFile, 'problems' | 'isHomeport'>,
): void {
  if (problems.length > 0) throw new CliFailure(`${what} is damaged: ${problems.join(' ')}`, EXIT.failed, { problems });
  if (!isHomeport) throw new CliFailure(`${what} is no database of Homeport.`);
}

async function confirm({ options, terminal }: CliContext, question: string): Promise<void> {
  if (options.autoConfirm) return;
  const otherwise = `${question} There is no terminal to answer in: run it again with --auto-confirm if that is meant.`;
  if (await terminal.confirm(question, otherwise)) return;
  throw new CliFailure('Nothing was changed.', EXIT.interrupted);
}

function decodeNewKey(text: string): Buffer {
  const key = Buffer.from(text, 'base64');
  if (key.length === 32 && /^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) return key;
  throw new CliFailure(`${NEW_KEY_VARIABLE} is not base64 of 32 bytes.`, EXIT.usage);
}

function sourceText(source: string): string {
  return source === 'environment' ? SOURCES.variable : (SOURCES[source as keyof typeof SOURCES] ?? source);
}
