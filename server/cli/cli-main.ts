import { removeSecretVariables } from '../config.ts';
import { locateResources } from '../resources.ts';
import { EXIT } from './cli-failure.ts';
import { runCommandLine } from './command-line.ts';

/** Entry of the command line: reads arguments and environment, runs one command and returns its exit status. */
async function main(args: string[]): Promise<number> {
  const stopping = new AbortController();
  const steps = new Set<Promise<unknown>>();
  const environment = { ...process.env };
  // The server handles its stop and reads its secrets itself.
  if (!args.includes('serve')) {
    endWithSurroundings(stopping, steps);
    // A child of a command (a compiler, a test run) inherits no key.
    removeSecretVariables(process.env);
  }
  return runCommandLine(args, {
    cwd: process.cwd(),
    environment,
    resources: await locateResources(),
    input: process.stdin,
    output: process.stdout,
    errors: process.stderr,
    signal: stopping.signal,
    steps,
  });
}

/** Time for cleaning up after Ctrl-C. Then the process is ended, whatever it is waiting for. */
const STOP_LIMIT_MS = 2000;
const LAUNCHER_CHECK_MS = 500;
/**
 * A signal after this time is a second Ctrl-C. Earlier ones are the first Ctrl-C again: terminal and launcher both send
 * it.
 */
const SAME_SIGNAL_MS = 500;

/** A command stops with Ctrl-C, SIGTERM, its terminal, its reader and its launcher. The server does so on its own. */
function endWithSurroundings(stopping: AbortController, steps: ReadonlySet<Promise<unknown>>): void {
  const end = async (): Promise<void> => {
    await Promise.allSettled(steps);
    process.exit(EXIT.interrupted);
  };
  let isImpatient = false;
  const stop = (): void => {
    if (stopping.signal.aborted) return;
    stopping.abort(new Error('Stopped.'));
    setTimeout(() => {
      isImpatient = true;
    }, SAME_SIGNAL_MS).unref();
    // After the last step the command continues and reports the result, unless it hangs.
    const later = (): void => void setTimeout(() => (steps.size === 0 ? void end() : later()), STOP_LIMIT_MS).unref();
    later();
  };
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, stop);
  process.on('SIGINT', () => {
    if (isImpatient) process.exit(EXIT.interrupted);
    stop();
  });
  // The output has no reader any more, for example after `homeport logs | head` or a closed terminal.
  for (const stream of [process.stdout, process.stderr]) stream.once('error', () => void end());
  const launcher = process.env['HOMEPORT_LAUNCHER'];
  if (launcher === undefined) return;
  // The variable is meant for this process and not for its child processes.
  delete process.env['HOMEPORT_LAUNCHER'];
  const timer = setInterval(() => {
    if (process.ppid === Number(launcher)) return;
    clearInterval(timer);
    stop();
  }, LAUNCHER_CHECK_MS);
  timer.unref();
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
