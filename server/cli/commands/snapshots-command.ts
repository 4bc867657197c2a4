import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { localTime } from '../../platform/lib/local-time.ts';
import type { SnapshotEveryView, SnapshotsView } from '../../snapshots/dashboard-snapshots.contract.ts';
import type { CliContext } from '../cli-context.ts';
import { environmentOption } from '../command-options.ts';

const PATH = '/api/v1/snapshots';
const EVERY: readonly SnapshotEveryView[] = ['sync', 'hour', 'day', 'week'];

interface Options {
  environment: string;
}

/** The folder of Parquet files of an environment. */
export function addSnapshots(program: Command, context: CliContext): void {
  const { terminal } = context;
  const send = async (
    method: string,
    { environment }: Options,
    path = PATH,
    body?: unknown,
  ): Promise<SnapshotsView> => {
    const session = await context.hubs.logIn();
    return session.call<SnapshotsView>(method, path, {
      query: { env: environment },
      ...(body === undefined ? {} : { body }),
    });
  };
  const show = (state: SnapshotsView): void => {
    terminal.printJson(state);
    if (!state.settings) return terminal.note('Snapshots are off. Switch them on: homeport snapshots on <folder>');
    terminal.table(
      ['VIEW', 'FILE', 'ROWS', 'BYTES'],
      state.files.map(({ bytes, file, rows, view }) => [
        view,
        file,
        rows.toLocaleString('en'),
        bytes.toLocaleString('en'),
      ]),
    );
    const when = { sync: 'after each sync', hour: 'every hour', day: 'every day', week: 'every week' };
    terminal.note(
      `${state.settings.folder}, ${when[state.settings.every]}${state.lastAt === null ? '' : `, last ${localTime(state.lastAt)}`}`,
    );
    if (state.problem !== null) terminal.note(state.problem);
  };

  const family = environmentOption(program.command('snapshots'))
    .description('a folder of Parquet files, one for each model: what is in it')
    .action(async (options: Options) => show(await send('GET', options)));
  environmentOption(family.command('on'))
    .description('write the files into a folder, now and again')
    .argument('<folder>', 'a folder for these files')
    .addOption(new Option('--every <time>', 'when').choices([...EVERY]).default('day'))
    .option('--history', 'with the kept versions of models')
    .action(async (folder: string, options: Options & { every: SnapshotEveryView; history?: boolean }) => {
      const before = await send('GET', options);
      const body = { folder: resolve(context.cwd, folder), every: options.every, hasHistory: options.history ?? false };
      const state = await send('PUT', options, PATH, body);
      if (!before.settings) terminal.note(UNSEALED);
      show(state);
    });
  environmentOption(family.command('run'))
    .description('write the files now')
    .action(async (options: Options) => show(await send('POST', options, `${PATH}/run`)));
  environmentOption(family.command('off'))
    .description('write no more; the files stay')
    .action(async (options: Options) => {
      terminal.printJson(await send('DELETE', options));
      terminal.note('Off. The files stay where they are.');
    });
}

const UNSEALED =
  'The hub keeps records encrypted; these files are not encrypted. Whoever may read the folder reads all records in it.';
