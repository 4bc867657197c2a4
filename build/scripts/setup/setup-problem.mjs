/** Something the person at the keyboard can mend: one sentence, and the tool's own words where they help. */
export class SetupProblem extends Error {
  name = 'SetupProblem';
  constructor(sentence, details = '') {
    super(sentence);
    this.details = details;
  }
}
