import type { Command } from 'commander';
import type { CliContext } from '../cli-context.ts';
import { CliFailure, EXIT } from '../cli-failure.ts';
import { completionScript, SHELLS } from '../completion-script.ts';

export function addCompletion(program: Command, context: CliContext): void {
  program
    .command('completion')
    .description('print a script that lets a shell complete commands and options')
    .argument('<shell>', SHELLS.join(', '))
    .addHelpText(
      'after',
      '\nbash: homeport completion bash >> ~/.bashrc\nzsh:  homeport completion zsh > "${fpath[1]}/_homeport"\nfish: homeport completion fish > ~/.config/fish/completions/homeport.fish',
    )
    .action((name: string) => {
      const shell = SHELLS.find((one) => one === name);
      if (!shell)
        throw new CliFailure(`There is no completion for "${name}": choose ${SHELLS.join(', ')}.`, EXIT.usage);
      context.terminal.write(completionScript(program, shell));
    });
}
