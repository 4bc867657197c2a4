import { errorCodeOf } from '../lib/error-code.ts';
/** Exit statuses of functions.md 8.1. Other statuses follow sysexits and shells. */
export const EXIT = { failed: 1, compile: 10, deploy: 11, run: 12, usage: 64, interrupted: 130 } as const;

/** Ends a command with a sentence for the reader instead of a stack trace. */
export class CliFailure extends Error {
  override readonly name = 'CliFailure';
  readonly status: number;
  /** With `--json`, printed together with the sentence. */
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

/** Turns a failed read or write of a file into a failure that names the file; undefined for other errors. */
export function fileFailure(error: unknown): CliFailure | undefined {
  if (!(error instanceof Error && 'path' in error)) return undefined;
  const problem = FILE_PROBLEMS[errorCodeOf(error) ?? ''];
  // A file is first written under a temporary name; the name that the user gave is then the destination of the rename.
  const path = 'dest' in error ? error.dest : error.path;
  return problem === undefined ? undefined : new CliFailure(`${String(path)}: ${problem}.`);
}
