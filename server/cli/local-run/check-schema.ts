import { describeProblems, type SchemaProblem } from '../../dry-run/schema-check.ts';
import { CliFailure, EXIT } from '../cli-failure.ts';

/** Ends the command when something does not fit. */
export function requireFitting(what: string, problems: SchemaProblem[]): void {
  if (problems.length === 0) return;
  const lines = describeProblems(problems).replaceAll(/^/gm, '  ');
  throw new CliFailure(`The ${what} does not fit its model:\n${lines}`, EXIT.run, {
    code: 'validation_error',
    problems,
  });
}
