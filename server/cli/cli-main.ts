import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { ConfigError, readConfig } from '../config.ts';
import { systemClock } from '../lib/clock.ts';
import { randomIds } from '../lib/ids.ts';
import { locateResources } from '../resources.ts';
import type { CliContext } from './cli-context.ts';
import { createProgram, runProgram } from './cli-program.ts';
import { HubAccess } from './hub/hub-access.ts';
import { findProject } from './project/find-project.ts';
import { openLocalEngine } from './project/local-engine.ts';
import { Terminal } from './terminal.ts';

/** Entry of the command line: reads the outside world, runs one command, ends with its status. */
async function main(args: string[]): Promise<number> {
  const cwd = process.cwd();
  const env = { ...readDotEnv(cwd), ...process.env };
  const terminal = new Terminal({ env, input: process.stdin, output: process.stdout, errors: process.stderr });
  const stopping = new AbortController();
  process.once('SIGINT', () => stopping.abort(new Error('Interrupted.')));
  process.once('SIGTERM', () => stopping.abort(new Error('Stopped.')));
  const config = readConfig(env);
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
    hubs: new HubAccess({ env, home: config.home, fetch }),
    options: { autoConfirm: false },
    findProject: () => findProject(cwd, config.functionsFolder),
    openEngine: ({ root }, needs) =>
      openLocalEngine({ ...needs, root, cacheFolder, resources, clock: systemClock, ids: randomIds }),
    signal: stopping.signal,
  };
  return runProgram(createProgram(context), context, args);
}

/** Keys of a project stand in its `.env`; the shell's own variables win. */
function readDotEnv(folder: string): Record<string, string | undefined> {
  try {
    return parseEnv(readFileSync(join(folder, '.env'), 'utf8'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {};
    throw error;
  }
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
