import { join } from 'node:path';
import { ConfigError, readConfig } from '../config.ts';
import { systemClock } from '../platform/lib/clock.ts';
import { commandName } from '../platform/lib/command-name.ts';
import { randomIds } from '../platform/lib/ids.ts';
import type { Sandbox } from '../platform/sandbox/sandbox.ts';
import type { Resources } from '../resources.ts';
import type { CliContext } from './cli-context.ts';
import { CliFailure, EXIT } from './cli-failure.ts';
import { createProgram, runProgram } from './cli-program.ts';
import { HubAccess } from './hub/hub-access.ts';
import { findProject } from './project/find-project.ts';
import { readProjectEnvironment } from './project-environment.ts';
import { Terminal, type TerminalStreams } from './terminal.ts';

/** The environment of a command. */
export interface CommandSurroundings extends TerminalStreams {
  cwd: string;
  /** Variables of the shell. */
  environment: Record<string, string | undefined>;
  resources: Resources;
  /** Aborted when the command is told to stop. */
  signal: AbortSignal;
  /** Running steps that must not be interrupted. */
  steps: Set<Promise<unknown>>;
  /** For several commands in one process: a sandbox that runs and stays. Default: each command starts its own. */
  sandbox?: Sandbox;
  /** Keeps compiled functions for later commands; default: a folder of the data folder. */
  cacheFolder?: string;
}

/** Runs one command; resolves to its exit status. */
export async function runCommandLine(args: string[], surroundings: CommandSurroundings): Promise<number> {
  try {
    const context = createContext(surroundings);
    // Known before the arguments are read, because a usage error has the form of the output that is asked for.
    context.terminal.isJson = wantsJson(args);
    return await runProgram(createProgram(context), context, args);
  } catch (error) {
    const message = explain(error, args.includes('--debug'));
    const code = error instanceof ConfigError ? 'invalid_configuration' : 'internal_error';
    if (wantsJson(args)) surroundings.output.write(`${JSON.stringify({ error: { message, code } }, null, 2)}\n`);
    else surroundings.errors.write(`error: ${message}\n`);
    return 1;
  }
}

function wantsJson(args: string[]): boolean {
  const end = args.indexOf('--');
  return (end === -1 ? args : args.slice(0, end)).some((arg) => arg === '--json' || /^--jq(?:=|$)/.test(arg));
}

function createContext(surroundings: CommandSurroundings): CliContext {
  const { cwd, environment, resources, sandbox, signal, steps, input, output, errors } = surroundings;
  const { env, foreignHost } = readProjectEnvironment(cwd, environment);
  const terminal = new Terminal({
    env,
    commandName: commandName({ launcher: resources.launcher, cwd, env: environment }),
    input,
    output,
    errors,
  });
  // Only the server opens the vault.
  const config = readConfig({ ...env, HOMEPORT_MASTER_KEY: undefined });
  // Separate from the hub's cache: the hub may have another version and removes old entries of its own cache.
  const cacheFolder = surroundings.cacheFolder ?? join(config.home, 'cache/projects');
  return {
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
    outcome: { status: 0 },
    options: { autoConfirm: false },
    findProject: () => findProject(cwd, config.functionsFolder),
    openEngine: async ({ root }, needs) => {
      // The compiler and the sandbox are most of the program, and few commands need them.
      const { openLocalEngine } = await import('./project/local-engine.ts');
      const readsIndex = root !== config.functionsFolder;
      return openLocalEngine({
        ...needs,
        root,
        cacheFolder,
        resources,
        readsIndex,
        clock: systemClock,
        ids: randomIds,
        sandbox,
      });
    },
    finish: async (step) => {
      // After Ctrl-C a step that has not started is not run.
      if (signal.aborted) throw new CliFailure('Stopped. Nothing was changed.', EXIT.interrupted);
      const running = step();
      steps.add(running);
      try {
        return await running;
      } finally {
        steps.delete(running);
      }
    },
    signal,
  };
}

function explain(error: unknown, isDebugging: boolean): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof ConfigError) return error.message;
  // The code before a message of the system is for programs.
  return isDebugging
    ? (error.stack ?? error.message)
    : `The command failed unexpectedly: ${error.message.replace(/^[A-Z][A-Z_]+: /, '')} (run again with --debug for details)`;
}
