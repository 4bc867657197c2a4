/** Exit statuses of functions.md 8.1; the rest follows sysexits and shells. */
export const EXIT = { failed: 1, compile: 10, deploy: 11, run: 12, usage: 64, interrupted: 130 } as const;

/** A command that ends with a sentence for the reader instead of a stack trace. */
export class CliFailure extends Error {
  override readonly name = 'CliFailure';
  readonly status: number;
  /** Printed with `--json` in place of the sentence alone. */
  readonly details: Record<string, unknown>;

  constructor(message: string, status: number = EXIT.failed, details: Record<string, unknown> = {}) {
    super(message);
    this.status = status;
    this.details = details;
  }
}
