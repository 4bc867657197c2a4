/** A problem that the user can fix: one sentence, and the tool's output where it helps. */
export class SetupProblem extends Error {
  name = 'SetupProblem';
  constructor(sentence, details = '') {
    super(sentence);
    this.details = details;
  }
}
