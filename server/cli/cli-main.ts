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

/** Entry of the command line: reads the outside world, runs one command, ends with its status. */
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
  /** Steps under way that must not end half-way. */
  const steps = new Set<Promise<unknown>>();
  if (!isServer) endWithSurroundings(stopping, steps, env);
  // Only the server opens the vault; a child of a command (a compiler, a test run) inherits no key.
  const config = readConfig({ ...env, HOMEPORT_MASTER_KEY: undefined });
  if (!isServer) removeSecretVariables(process.env);
  // Beside that of the hub, which may be of another version and tidies up after itself.
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
      // The compiler and the sandbox are most of the program, and few commands need them.
      const { openLocalEngine } = await import('./project/local-engine.ts');
      return openLocalEngine({ ...needs, root, cacheFolder, resources, clock: systemClock, ids: randomIds });
    },
    finish: async (step) => {
      // Ctrl-C before it begins means that it is not wanted.
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

/** What a command has to leave things tidy once it was told to stop; it is ended then, whatever it waits for. */
const STOP_LIMIT_MS = 2000;
const LAUNCHER_CHECK_MS = 500;
/** A Ctrl-C after this is a person's second one; what comes before is the first, passed on by terminal and launcher. */
const SAME_SIGNAL_MS = 500;

/** A command stops with Ctrl-C, SIGTERM, its terminal, its reader and its launcher. The server does so on its own. */
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
  const launcher = env['HOMEPORT_LAUNCHER'];
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

function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error instanceof ConfigError || !process.argv.includes('--debug')
    ? `${error.message}${error instanceof ConfigError ? '' : ' (run again with --debug for details)'}`
    : (error.stack ?? error.message);
}

main(process.argv.slice(2)).then(
  // Not `process.exit`: what was written has to leave first.
  (status) => {
    process.exitCode = status;
  },
  (error: unknown) => {
    process.stderr.write(`${explain(error)}\n`);
    process.exitCode = 1;
  },
);
