import { join } from 'node:path';
import { ConfigError, readConfig, removeSecretVariables } from '../config.ts';
import { systemClock } from '../lib/clock.ts';
import { randomIds } from '../lib/ids.ts';
import { locateResources } from '../resources.ts';
import type { CliContext } from './cli-context.ts';
import { createProgram, runProgram } from './cli-program.ts';
import { HubAccess } from './hub/hub-access.ts';
import { findProject } from './project/find-project.ts';
import { openLocalEngine } from './project/local-engine.ts';
import { readProjectEnvironment } from './project-environment.ts';
import { Terminal } from './terminal.ts';

/** Entry of the command line: reads the outside world, runs one command, ends with its status. */
async function main(args: string[]): Promise<number> {
  const cwd = process.cwd();
  const { env, foreignHost } = readProjectEnvironment(cwd, process.env);
  const terminal = new Terminal({ env, input: process.stdin, output: process.stdout, errors: process.stderr });
  const stopping = new AbortController();
  process.once('SIGINT', () => stopping.abort(new Error('Interrupted.')));
  process.once('SIGTERM', () => stopping.abort(new Error('Stopped.')));
  // Only the server opens the vault; a child of a command (a compiler, a test run) inherits no key.
  const config = readConfig({ ...env, HOMEPORT_MASTER_KEY: undefined });
  if (!args.includes('serve')) removeSecretVariables(process.env);
  const resources = await locateResources();
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
    hubs: new HubAccess({ env, foreignHost, home: config.home, fetch, note: (text) => terminal.note(text) }),
    options: { autoConfirm: false },
    findProject: () => findProject(cwd, config.functionsFolder),
    openEngine: ({ root }, needs) =>
      openLocalEngine({ ...needs, root, cacheFolder, resources, clock: systemClock, ids: randomIds }),
    signal: stopping.signal,
  };
  return runProgram(createProgram(context), context, args);
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
