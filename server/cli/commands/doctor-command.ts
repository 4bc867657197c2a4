import type { Command } from 'commander';
import type { CliContext } from '../cli-context.ts';
import { environmentOption } from '../command-options.ts';
import type { DoctorOptions } from './run-doctor.ts';

export function addDoctor(program: Command, context: CliContext): void {
  environmentOption(program.command('doctor'), 'environment to look at')
    .description('check that everything works, and explain how to fix problems')
    .option('--fix', 'correct what can be corrected in the project of the current folder')
    .action(async (options: DoctorOptions) => (await import('./run-doctor.ts')).runDoctor(context, options));
}
