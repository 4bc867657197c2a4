import { describeProblems, type SchemaProblem } from '../../functions/dry-run/schema-check.ts';
import { CliFailure, EXIT } from '../cli-failure.ts';
import { issueText } from '../issue-text.ts';
import type { Terminal } from '../terminal.ts';

/** Ends the command when a value does not match its schema. */
export function requireFitting(what: string, problems: SchemaProblem[]): void {
  if (problems.length === 0) return;
  throw new CliFailure(messageOf(what, problems), EXIT.run, { code: 'validation_error', problems });
}

/** Warns about values that do not match. They do not stop the run (functions.md 6.1). */
export function warnOfMismatches(terminal: Terminal, what: string, problems: SchemaProblem[]): void {
  if (problems.length > 0) terminal.note(`${terminal.colors.yellow('warning')} ${messageOf(what, problems)}`);
}

function messageOf(what: string, problems: SchemaProblem[]): string {
  const said = problems.map((problem) => ({ ...problem, message: issueText(problem.message) }));
  const lines = describeProblems(said).replaceAll(/^/gm, '  ');
  return `${what} does not match its model:\n${lines}`;
}
