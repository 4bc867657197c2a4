import type { Command } from 'commander';
import type { CliContext } from '../cli-context.ts';

export function addServe(program: Command, context: CliContext): void {
  program
    .command('serve')
    .description('run the hub in the foreground; SIGTERM or Ctrl-C ends it')
    .action(async () => {
      // Loading the server's entry starts the server. The process ends with it.
      await import('../../main.ts');
    });
  program
    .command('version')
    .description('print the version')
    .action(() => {
      const { version } = context.resources;
      context.terminal.printJson({ version });
      context.terminal.print(version);
    });
}
