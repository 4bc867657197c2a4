import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { BackupRow, DataState, MasterKeyState } from '../../data/dashboard-data.contract.ts';
import type { ExaminedDataFile } from '../../offline-data.ts';
import type { CliContext } from '../cli-context.ts';
import { CliFailure, EXIT, failureJson } from '../cli-failure.ts';
import { confirmOption } from '../command-options.ts';
import { confirm } from '../confirm.ts';
import {
  explained,
  folderOf,
  loadOffline,
  refuseUnusable,
  requireDatabase,
  sourceName,
  sourceText,
  unusable,
  withData,
} from '../hub/data-access.ts';

/** Backups and checks. A running hub does them; otherwise the command works on the data folder itself. */
export function addData(program: Command, context: CliContext): void {
  confirmOption(program.command('backup'))
    .description('copy the database into the folder of backups, or into a file of that name')
    .argument('[file]')
    .action((file: string | undefined) => backUp(context, file));
  confirmOption(program.command('restore'))
    .description('replace the database by a backup; the hub must not run')
    .argument('<file>')
    .option('--any-key', 'also a backup that no master key here opens')
    .action((file: string, options: { anyKey?: boolean }) => restore(context, file, options.anyKey === true));
  program
    .command('verify')
    .description('read the database, or a backup, from end to end and try the master key on it')
    .argument('[file]')
    .action((file: string | undefined) => verify(context, file));
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
    terminal.printValue(made.path);
    return;
  }
  const path = resolve(cwd, name);
  refuseFolder(path);
  if (existsSync(path)) await confirm(context, `${path} exists. Overwrite it?`);
  // SQLite allows a second process to read, so a running hub is not affected.
  const { copyDataTo } = await loadOffline();
  await explained(terminal.progress('Copying the database', () => copyDataTo(config, path)));
  terminal.printJson({ path });
  terminal.printValue(path);
}

function requireFile(path: string): void {
  if (!existsSync(path)) throw new CliFailure(`There is no file ${path}.`);
  refuseFolder(path);
}

function refuseFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory())
    throw new CliFailure(`${path} is a folder, not a file. Name a file.`);
}

async function restore(context: CliContext, name: string, takesAnyKey: boolean): Promise<void> {
  const { cwd, terminal } = context;
  const path = resolve(cwd, name);
  requireFile(path);
  await withData(context, {
    hub: () => {
      throw new CliFailure('The hub runs on this data folder. Stop it, then restore.');
    },
    folder: async (data) => {
      const found = await terminal.progress('Reading the backup', () => data.examine(path));
      refuseUnusable(path, found);
      if (found.schemaProblem !== undefined) throw unusableSchema(path, found.schemaProblem);
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
        await confirm(context, `A copy of it is kept as a backup. Replace the database ${data.file}?`);
      const kept = await terminal.progress('Restoring', () => context.finish(() => data.restore(path)));
      terminal.printJson({ restored: data.file, kept: kept ?? null });
      terminal.print(`${terminal.colors.green('✓')} ${data.file} is what ${path} was`);
      if (kept !== undefined) terminal.print(`  The previous database is kept in ${kept}`);
    },
  });
}

function unusableSchema(path: string, { age, schema }: NonNullable<ExaminedDataFile['schemaProblem']>): CliFailure {
  return new CliFailure(
    age === 'newer'
      ? `${path} was written by a newer Homeport (schema ${schema}). Install that version first.`
      : `${path} was written by an older Homeport (schema ${schema}), from before the versions that this one can update. ` +
          'Restore it with the version before this one and start that once: it updates the data, which this version then opens.',
  );
}

async function verify(context: CliContext, name: string | undefined): Promise<void> {
  const { cwd, terminal } = context;
  const path = name === undefined ? undefined : resolve(cwd, name);
  if (path !== undefined) requireFile(path);
  const what = path ?? 'The database';
  const { checkFile, keySourcesOf } = await loadOffline();
  const result = await terminal.progress('Reading from end to end', () =>
    path === undefined
      ? verifyDatabase(context)
      : checkFile(path, { ...keySourcesOf(folderOf(context)), subject: 'this backup' }),
  );
  const failure = unusable(what, result) ?? closed(what, result);
  if (failure) {
    const { problems, keySource } = result;
    const outcome = { ok: false, opened_by: sourceName(keySource), problems };
    terminal.printJson({ ...outcome, ...failureJson(failure, terminal.withCommands(failure.message)) });
    throw failure;
  }
  terminal.printJson({ ok: true, opened_by: sourceName(result.keySource), problems: [] });
  terminal.print(
    `${terminal.colors.green('✓')} ${what} is valid, and the master key (${sourceText(result.keySource ?? '')}) opens it`,
  );
}

/** Data that nothing opens is lost, so the check fails. */
function closed(what: string, { keySource, keyProblem }: Verified): CliFailure | undefined {
  if (keySource !== undefined) return undefined;
  return new CliFailure(`${what} is whole, but cannot be used: ${keyProblem}`, EXIT.failed, {
    code: 'wrong_master_key',
  });
}

type Verified = Pick<ExaminedDataFile, 'problems' | 'isHomeport' | 'keyProblem'> & { keySource: string | undefined };

function verifyDatabase(context: CliContext): Promise<Verified> {
  return withData<Verified>(context, {
    hub: async (hub) => {
      const { problems } = await hub.call<{ problems: string[] }>('POST', '/api/v1/data/verify', { body: {} });
      // The hub works with the key in its memory. What counts is the key that its next start finds.
      const { keySource, problem } = await hub.call<MasterKeyState>('GET', '/api/v1/data/key');
      if (problem === null) return { problems, isHomeport: true, keySource, keyProblem: undefined };
      return { problems, isHomeport: true, keySource: undefined, keyProblem: problem };
    },
    folder: async (data) => {
      await requireDatabase(data);
      return data.examine();
    },
  });
}
