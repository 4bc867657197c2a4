import type { Writable } from 'node:stream';
import { removeSecretVariables } from '../config.ts';
import { hasErrorCode } from '../platform/lib/error-code.ts';
import { onParentEnd } from '../platform/lib/parent-end.ts';
import { locateResources } from '../resources.ts';
import { EXIT } from './cli-failure.ts';
import { runCommandLine } from './command-line.ts';

/** Entry of the command line: reads arguments and environment, runs one command and returns its exit status. */
async function main(args: string[]): Promise<number> {
  const stopping = new AbortController();
  const steps = new Set<Promise<unknown>>();
  const environment = { ...process.env };
  let statusOf = (status: number): number => status;
  // The server handles its stop and reads its secrets itself.
  if (!args.includes('serve')) {
    // A command that `run` starts ends by itself; signals are passed on to it.
    if (args.find((arg) => !arg.startsWith('-')) !== 'run') statusOf = endWithSurroundings(stopping, steps);
    // A child of a command (a compiler, a test run) inherits no key.
    removeSecretVariables(process.env);
  }
  const status = await runCommandLine(args, {
    cwd: process.cwd(),
    environment,
    resources: await locateResources(),
    input: process.stdin,
    output: process.stdout,
    errors: process.stderr,
    signal: stopping.signal,
    steps,
  });
  return statusOf(status);
}

/** Time for cleaning up after Ctrl-C. Then the process is ended, whatever it is waiting for. */
const STOP_LIMIT_MS = 2000;
/** Time in which a command whose output nobody reads ends by itself. */
const UNREAD_LIMIT_MS = 2000;
/**
 * A signal after this time is a second Ctrl-C. Earlier ones are the first Ctrl-C again: terminal and launcher both send
 * it.
 */
const SAME_SIGNAL_MS = 500;

/**
 * A command stops with Ctrl-C, SIGTERM, its terminal, its reader and its launcher. The server does so on its own. Returns
 * the exit status of a command that ended with a given one.
 */
function endWithSurroundings(
  stopping: AbortController,
  steps: ReadonlySet<Promise<unknown>>,
): (status: number) => number {
  const end = async (status: number): Promise<void> => {
    await Promise.allSettled(steps);
    process.exit(status);
  };
  let isImpatient = false;
  const stop = (): void => {
    if (stopping.signal.aborted) return;
    stopping.abort(new Error('Stopped.'));
    setTimeout(() => {
      isImpatient = true;
    }, SAME_SIGNAL_MS).unref();
    // After the last step the command continues and reports the result, unless it hangs.
    const later = (): void =>
      void setTimeout(() => (steps.size === 0 ? void end(EXIT.interrupted) : later()), STOP_LIMIT_MS).unref();
    later();
  };
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, stop);
  process.on('SIGINT', () => {
    if (isImpatient) process.exit(EXIT.interrupted);
    stop();
  });
  let isOutputLost = false;
  const statusOf = (status: number): number => (isOutputLost && status === 0 ? EXIT.failed : status);
  watchOutput({
    output: process.stdout,
    errors: process.stderr,
    onFailure: (isLost) => {
      isOutputLost = isLost;
      // The last output is written after the command has ended.
      if (isLost) process.exitCode ||= EXIT.failed;
      // A command with an end keeps its own status; one that follows something would go on for ever.
      setTimeout(() => void end(statusOf(0)), UNREAD_LIMIT_MS).unref();
    },
  });
  const launcher = process.env['HOMEPORT_LAUNCHER'];
  if (launcher === undefined) return statusOf;
  // The variable is meant for this process and not for its child processes.
  delete process.env['HOMEPORT_LAUNCHER'];
  onParentEnd(stop, Number(launcher));
  return statusOf;
}

interface OutputFailuresOptions {
  output: Writable & { isTTY?: boolean };
  errors: Writable & { isTTY?: boolean };
  /** Called once. `isLost`: a result could not be written; otherwise its reader has read enough. */
  onFailure(isLost: boolean): void;
}

/**
 * Watches for output that cannot be written. A reader that has read enough (`homeport logs | head -1`) is no failure. A
 * full disk is one, because the result is lost.
 */
function watchOutput({ output, errors, onFailure }: OutputFailuresOptions): void {
  let isKnown = false;
  // Not `once`: every further write fails too, and an error without a listener ends the process with a stack.
  for (const stream of [output, errors])
    stream.on('error', (error) => {
      if (isKnown) return;
      isKnown = true;
      const isUnread = hasErrorCode(error, 'EPIPE', 'ERR_STREAM_DESTROYED');
      // A terminal that was closed.
      const isClosed = stream.isTTY === true && hasErrorCode(error, 'EIO');
      const isLost = !isUnread && !isClosed;
      if (isLost && stream === output) errors.write(`error: The output cannot be written: ${reasonOf(error)}.\n`);
      onFailure(isLost);
    });
}

function reasonOf(error: Error): string {
  return hasErrorCode(error, 'ENOSPC') ? 'no space is left there' : error.message;
}

main(process.argv.slice(2)).then(
  // Sets the exit status instead of calling `process.exit`, so that all output is written first.
  (status) => {
    process.exitCode = status;
  },
  (error: unknown) => {
    process.stderr.write(`${String(error)}\n`);
    process.exitCode = 1;
  },
);
