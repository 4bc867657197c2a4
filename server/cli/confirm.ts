import type { CliContext } from './cli-context.ts';
import { CliFailure, EXIT } from './cli-failure.ts';

/**
 * Asks before something is changed that cannot be undone. Ends the command when the answer is not yes, or when nobody can
 * answer. `option` is what answers yes in a script.
 */
export async function confirm(
  { options, terminal }: Pick<CliContext, 'options' | 'terminal'>,
  question: string,
  option = '--auto-confirm',
): Promise<void> {
  if (options.autoConfirm) return;
  const otherwise = `Nothing was changed, because nobody can answer here: ${question} Run it again with ${option} if that is meant.`;
  if (await terminal.confirm(question, otherwise)) return;
  throw new CliFailure('Nothing was changed.', EXIT.interrupted);
}
