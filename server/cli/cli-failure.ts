import { errorCodeOf } from '../platform/lib/error-code.ts';

/** Exit statuses of functions.md 8.1. Other statuses follow sysexits and shells. */
export const EXIT = { failed: 1, stopped: 3, compile: 10, deploy: 11, run: 12, usage: 64, interrupted: 130 } as const;

/** Exit statuses of the server (contract/shell-messages.ts), which `serve` becomes. */
export const SERVER_EXIT = { damagedDatabase: 65, wrongMasterKey: 78 } as const;

/** For the help: what each exit status says. */
export const EXIT_MEANINGS: ReadonlyArray<readonly [status: number, meaning: string]> = [
  [0, 'done'],
  [EXIT.failed, 'failed, or the thing does not exist'],
  [EXIT.stopped, 'no hub runs'],
  [EXIT.compile, 'a function does not compile'],
  [EXIT.deploy, 'the hub refused the deploy'],
  [EXIT.run, 'a function failed when it ran'],
  [EXIT.usage, 'wrong arguments, or a question that nobody can answer'],
  [SERVER_EXIT.damagedDatabase, 'serve: the database is damaged'],
  [SERVER_EXIT.wrongMasterKey, 'serve: the master key does not open the data'],
  [EXIT.interrupted, 'stopped, or a question was not answered with yes'],
];

/** The member `code` of a JSON error whose failure has no code of its own. */
const CODES: Readonly<Record<number, string>> = {
  [EXIT.stopped]: 'hub_not_running',
  [EXIT.compile]: 'compilation_error',
  [EXIT.deploy]: 'deploy_refused',
  [EXIT.run]: 'run_failed',
  [EXIT.usage]: 'invalid_usage',
  [EXIT.interrupted]: 'interrupted',
};

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

/** What `--json` prints of a failure. `message` and `code` are always there. */
export function failureJson({ details, status }: CliFailure, message: string): Record<string, unknown> {
  return { error: { message, code: CODES[status] ?? 'failed', ...details } };
}

/** End of the name of a file until it is whole. */
const UNFINISHED = '.part';

const FILE_PROBLEMS: Record<string, string> = {
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'a part of this path is a file, not a folder',
  EISDIR: 'this is a folder, not a file',
  EACCES: 'this user may not read or write it',
  EPERM: 'this user may not read or write it',
  EROFS: 'it is on a read-only file system',
  ENOSPC: 'the disk is full',
};

/**
 * Turns a failed read or write of a file into a failure that names the file; undefined for other errors. `named` is the
 * file of an error that does not say it, as that of a folder that was read like a file.
 */
export function fileFailure(error: unknown, named?: string): CliFailure | undefined {
  if (!(error instanceof Error && ('path' in error || named !== undefined))) return undefined;
  const code = errorCodeOf(error) ?? '';
  // A file is first written under a temporary name; the name that the user gave is then the destination of the rename.
  const path = String('dest' in error ? error.dest : 'path' in error ? error.path : named);
  const isUnfinished = path.endsWith(UNFINISHED);
  const problem = isUnfinished && code === 'ENOENT' ? 'its folder does not exist' : FILE_PROBLEMS[code];
  const file = isUnfinished ? path.slice(0, -UNFINISHED.length) : path;
  return problem === undefined ? undefined : new CliFailure(`${file}: ${problem}.`);
}
