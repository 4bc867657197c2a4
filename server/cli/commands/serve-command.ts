import type { Command } from 'commander';
import { requestLoginLink } from '../../running-file.ts';
import type { CliContext } from '../cli-context.ts';
import { CliFailure } from '../cli-failure.ts';

export function addServe(program: Command, context: CliContext): void {
  program
    .command('serve')
    .description('run the hub in the foreground; SIGTERM or Ctrl-C ends it')
    .action(async () => {
      // Loading the server's entry starts the server. The process ends with it.
      await import('../../main.ts');
    });
  program
    .command('open')
    .description('print a new login link for the dashboard of the running hub')
    .action(() => open(context));
  program
    .command('version')
    .description('print the version')
    .action(() => {
      const { version } = context.resources;
      context.terminal.printJson({ version });
      context.terminal.print(version);
    });
}

async function open({ config, terminal }: CliContext): Promise<void> {
  const url = await requestLoginLink(config.home);
  if (url === undefined) {
    throw new CliFailure(
      `No Homeport runs with the data folder ${config.home}. Start it with "homeport serve" or the app.`,
    );
  }
  terminal.printJson({ url });
  terminal.print(url);
}
