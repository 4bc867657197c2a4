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

const FILE_PROBLEMS: Record<string, string> = {
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'a part of this path is a file, not a folder',
  EISDIR: 'this is a folder, not a file',
  EACCES: 'this user may not read or write it',
  EPERM: 'this user may not read or write it',
  EROFS: 'it is on a read-only file system',
  ENOSPC: 'the disk is full',
};

/** A file that cannot be read or written, as a failure that names it; undefined for every other error. */
export function fileFailure(error: unknown): CliFailure | undefined {
  if (!(error instanceof Error && 'code' in error && 'path' in error)) return undefined;
  const problem = FILE_PROBLEMS[String(error.code)];
  // A file is written under another name first: the one that the user gave is where it is moved to.
  const path = 'dest' in error ? error.dest : error.path;
  return problem === undefined ? undefined : new CliFailure(`${String(path)}: ${problem}.`);
}
