import type { Command } from 'commander';
import type { CliContext } from '../cli-context.ts';
import { CliFailure, EXIT } from '../cli-failure.ts';
import { confirmOption, environmentOption } from '../command-options.ts';
import type { ParquetOptions } from '../sql/export-parquet.ts';
import { MOVE_KEY_VARIABLE, PASSPHRASE_VARIABLE } from '../transfer/read-passphrase.ts';
import type { ExportOptions } from '../transfer/run-export.ts';
import type { ImportOptions } from '../transfer/run-import.ts';
import type { MoveCommandOptions } from '../transfer/run-move.ts';

/** The code is loaded with its command: the schemas of the file are large, and other commands do not need them. */
export function addTransfer(program: Command, context: CliContext): void {
  confirmOption(environmentOption(program.command('export'), 'environment to read'))
    .description('write integrations, connections, metadata, functions and settings into one file')
    .argument(
      '[file]',
      'file to write: JSON, or a ZIP file with the functions as files when its name ends in .zip or .homeport',
    )
    .option('--credentials', 'with credentials and secrets, sealed under a passphrase')
    .option('--passphrase-file <file>', `file that holds the passphrase (or set ${PASSPHRASE_VARIABLE})`)
    .option(
      '--functions <folder>',
      'folder to take functions and their helper files from (default: that of your own hub)',
    )
    .option('--parquet <folder>', 'write the records instead: one Parquet file for each model, as snapshots do')
    .option('--history', 'with --parquet: the kept versions as well')
    .action(async (file: string | undefined, options: ExportOptions & ParquetOptions) => {
      if (options.parquet !== undefined) {
        const { exportParquet } = await import('../sql/export-parquet.ts');
        return exportParquet(context, file, options);
      }
      if (file === undefined) throw new CliFailure('Name the file to write, or --parquet <folder>.', EXIT.usage);
      const { runExport } = await import('../transfer/run-export.ts');
      await runExport(context, file, options);
    });
  confirmOption(environmentOption(program.command('import'), 'environment to write to'))
    .description('read such a file into a running hub')
    .argument('<file>', 'file to read')
    .option('--passphrase-file <file>', `file that holds the passphrase (or set ${PASSPHRASE_VARIABLE})`)
    .action(async (file: string, options: ImportOptions) => {
      const { runImport } = await import('../transfer/run-import.ts');
      await runImport(context, file, options);
    });
  confirmOption(environmentOption(program.command('move'), 'environment to move'))
    .description('bring an environment to another server of the same API: shows what is there, asks, moves')
    .argument('<address>', 'address of the other server, such as http://192.168.1.5:3003')
    .option('--key-file <file>', `file that holds the secret key of the other server (or set ${MOVE_KEY_VARIABLE})`)
    .option('--records', 'with records')
    .option('--replace', 'overwrite what has the same name there and differs')
    .option('--dry-run', 'only show what would be moved')
    .addHelpText(
      'after',
      '\nWhat is the same there already stays, so the command can be repeated: after an interruption it goes on.',
    )
    .action(async (address: string, options: MoveCommandOptions) => {
      const { runMove } = await import('../transfer/run-move.ts');
      await runMove(context, address, options);
    });
}
