import type { Command } from 'commander';
import type { CliContext } from '../cli-context.ts';

export function addTypes(program: Command, context: CliContext): void {
  program
    .command('types')
    .description('write the types of an integration’s API into the project, from its OpenAPI description')
    .argument('<integration>')
    .option('--from <description>', 'file or address; by default the one of the last time')
    .action(async (integration: string, options: { from?: string }) =>
      (await import('./api-types.ts')).writeApiTypes(context, integration, options),
    );
}
