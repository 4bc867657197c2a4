import { Argument, type Command } from 'commander';
import type { CliContext } from '../cli-context.ts';
import { completionScript, SHELLS, type Shell } from '../completion-script.ts';

export function addCompletion(program: Command, context: CliContext): void {
  program
    .command('completion')
    .description('print a script that lets a shell complete commands and options')
    .addArgument(new Argument('<shell>', 'which shell').choices(SHELLS))
    .addHelpText(
      'after',
      '\nbash: homeport completion bash >> ~/.bashrc\nzsh:  homeport completion zsh > "${fpath[1]}/_homeport"\nfish: homeport completion fish > ~/.config/fish/completions/homeport.fish',
    )
    .action((shell: Shell) => context.terminal.write(completionScript(program, shell)));
}
