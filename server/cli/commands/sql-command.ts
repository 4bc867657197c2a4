import { type Command, Option } from 'commander';
import type { CliContext } from '../cli-context.ts';
import { environmentOption } from '../command-options.ts';
import type { SqlOptions } from '../sql/run-sql.ts';

const collect = (one: string, all: readonly string[] = []): string[] => [...all, one];

/** Asks the records of the hub in SQL (http-api.md 11.1). */
export function addSql(program: Command, context: CliContext): void {
  environmentOption(program.command('sql'))
    .description('query records in SQL; without a statement a prompt on a terminal, else the statement of the input')
    .argument('[statement]', 'one statement that reads, such as "SELECT count(*) FROM practice.Issue"')
    .addOption(
      new Option('--format <format>', 'form of the rows (default: table)').choices([
        ...['table', 'csv', 'json', 'ndjson', 'arrow', 'parquet'],
      ]),
    )
    .option('-o, --output <file>', 'write the rows to this file; its ending says the format')
    .option(
      '-p, --param <value>',
      'a value for the next placeholder, or name=value for $name; may be repeated',
      collect,
    )
    .option('-n, --limit <number>', 'most rows of the answer (default: 100,000)')
    .option('--views', 'list the views and their columns')
    .option('--saved <name>', 'run a saved query; --param replaces values that were saved with it')
    .option('--save <name>', 'keep the statement under this name, when it has run')
    .option('--list', 'list the saved queries')
    .addHelpText(
      'after',
      '\nThe SQL is that of DuckDB. Each model is a view: integration.Model, its kept versions are integration.Model_history.\nThe hub itself is in homeport.connections, homeport.syncs, homeport.runs and homeport.deliveries.',
    )
    .action(async (statement: string | undefined, options: SqlOptions) => {
      const { runSql } = await import('../sql/run-sql.ts');
      await runSql(context, statement, options);
    });
}
