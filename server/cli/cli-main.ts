import { removeSecretVariables } from '../config.ts';
import { locateResources } from '../resources.ts';
import { EXIT } from './cli-failure.ts';
import { runCommandLine } from './command-line.ts';

/** Entry of the command line: reads the outside world, runs one command, ends with its status. */
async function main(args: string[]): Promise<number> {
  const stopping = new AbortController();
  const steps = new Set<Promise<unknown>>();
  const environment = { ...process.env };
  // The server stops in its own way, and reads its secrets itself.
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

/** What a command has to leave things tidy once it was told to stop; it is ended then, whatever it waits for. */
const STOP_LIMIT_MS = 2000;
const LAUNCHER_CHECK_MS = 500;
/** A Ctrl-C after this is a person's second one; what comes before is the first, passed on by terminal and launcher. */
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
    // The command itself goes on after its last step, and says what it did, unless it hangs.
    const later = (): void => void setTimeout(() => (steps.size === 0 ? void end() : later()), STOP_LIMIT_MS).unref();
    later();
  };
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, stop);
  process.on('SIGINT', () => {
    if (isImpatient) process.exit(EXIT.interrupted);
    stop();
  });
  // `homeport logs | head`, or a terminal that is gone: what is still to come has no reader.
  for (const stream of [process.stdout, process.stderr]) stream.once('error', () => void end());
  const launcher = process.env['HOMEPORT_LAUNCHER'];
  if (launcher === undefined) return;
  // It is said to this process, not to those that it starts.
  delete process.env['HOMEPORT_LAUNCHER'];
  const timer = setInterval(() => {
    if (process.ppid === Number(launcher)) return;
    clearInterval(timer);
    stop();
  }, LAUNCHER_CHECK_MS);
  timer.unref();
}

main(process.argv.slice(2)).then(
  // Not `process.exit`: what was written has to leave first.
  (status) => {
    process.exitCode = status;
  },
  (error: unknown) => {
    process.stderr.write(`${String(error)}\n`);
    process.exitCode = 1;
  },
);
