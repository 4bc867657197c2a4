import { join } from 'node:path';
import { ConfigError, readConfig, removeSecretVariables } from '../config.ts';
import { systemClock } from '../lib/clock.ts';
import { commandName } from '../lib/command-name.ts';
import { randomIds } from '../lib/ids.ts';
import { locateResources } from '../resources.ts';
import type { CliContext } from './cli-context.ts';
import { CliFailure, EXIT } from './cli-failure.ts';
import { createProgram, runProgram } from './cli-program.ts';
import { HubAccess } from './hub/hub-access.ts';
import { findProject } from './project/find-project.ts';
import { readProjectEnvironment } from './project-environment.ts';
import { Terminal } from './terminal.ts';

/** Entry of the command line: reads arguments and environment, runs one command and returns its exit status. */
async function main(args: string[]): Promise<number> {
  const cwd = process.cwd();
  const { env, foreignHost } = readProjectEnvironment(cwd, process.env);
  const resources = await locateResources();
  const terminal = new Terminal({
    env,
    commandName: commandName({ launcher: resources.launcher, cwd, env: process.env }),
    input: process.stdin,
    output: process.stdout,
    errors: process.stderr,
  });
  const isServer = args.includes('serve');
  const stopping = new AbortController();
  /** Running steps that must not be interrupted. */
  const steps = new Set<Promise<unknown>>();
  if (!isServer) endWithSurroundings(stopping, steps, env);
  // Only the server opens the vault. Child processes of a command (a compiler, a test run) do not inherit the key.
  const config = readConfig({ ...env, HOMEPORT_MASTER_KEY: undefined });
  if (!isServer) removeSecretVariables(process.env);
  // Separate from the hub's cache: the hub may have another version and removes old entries of its own cache.
  const cacheFolder = join(config.home, 'cache/projects');
  const context: CliContext = {
    env,
    cwd,
    config,
    terminal,
    resources,
    clock: systemClock,
    ids: randomIds,
    hubs: new HubAccess({
      env,
      foreignHost,
      fetch,
      home: config.home,
      port: config.port,
      note: (text) => terminal.note(text),
    }),
    options: { autoConfirm: false },
    findProject: () => findProject(cwd, config.functionsFolder),
    openEngine: async ({ root }, needs) => {
      // Loaded only when needed: compiler and sandbox are most of the program, and few commands use them.
      const { openLocalEngine } = await import('./project/local-engine.ts');
      return openLocalEngine({ ...needs, root, cacheFolder, resources, clock: systemClock, ids: randomIds });
    },
    finish: async (step) => {
      // After Ctrl-C a step that has not started is not run.
      if (stopping.signal.aborted) throw new CliFailure('Stopped. Nothing was changed.', EXIT.interrupted);
      const running = step();
      steps.add(running);
      try {
        return await running;
      } finally {
        steps.delete(running);
      }
    },
    signal: stopping.signal,
  };
  return runProgram(createProgram(context), context, args);
}

/** Time for cleaning up after Ctrl-C. Then the process is ended, whatever it is waiting for. */
const STOP_LIMIT_MS = 2000;
const LAUNCHER_CHECK_MS = 500;
/**
 * A signal after this time is a second Ctrl-C. Earlier ones are the first Ctrl-C again: terminal and launcher both send
 * it.
 */
const SAME_SIGNAL_MS = 500;

/**
 * Stops the command at Ctrl-C and SIGTERM, and when its terminal, its reader or its launcher ends. The server does this
 * itself.
 */
function endWithSurroundings(
  stopping: AbortController,
  steps: ReadonlySet<Promise<unknown>>,
  env: Record<string, string | undefined>,
): void {
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
  const launcher = env['HOMEPORT_LAUNCHER'];
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

function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error instanceof ConfigError || !process.argv.includes('--debug')
    ? `${error.message}${error instanceof ConfigError ? '' : ' (run again with --debug for details)'}`
    : (error.stack ?? error.message);
}

main(process.argv.slice(2)).then(
  // Sets the exit status instead of calling `process.exit`, so that all output is written first.
  (status) => {
    process.exitCode = status;
  },
  (error: unknown) => {
    process.stderr.write(`${explain(error)}\n`);
    process.exitCode = 1;
  },
);
