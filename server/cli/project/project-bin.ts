import { PROGRAM_FILE } from '../../running-file.ts';

/**
 * The name of the npm package (build/scripts/package/npm-package.mjs). The bare name `homeport` is another project's
 * (design.md 7.41).
 */
export const PACKAGE_NAME = '@homeport-hub/homeport';
/** Folder of a project with its command. It is committed: nothing in it is of one computer. */
export const BIN_FOLDER = '.homeport';
/** Starts the command from the root of a project, also before `npm install`. */
export const PROJECT_COMMAND = `node ${BIN_FOLDER}/homeport.mjs`;

/** Files of the local package: with it `npx homeport` in a project is this program. */
export function binFiles(): Record<string, string> {
  const manifest = {
    name: PACKAGE_NAME,
    version: '0.0.0',
    private: true,
    description: 'Starts the Homeport of this computer',
    type: 'module',
    bin: { homeport: 'homeport.mjs' },
  };
  return {
    [`${BIN_FOLDER}/package.json`]: `${JSON.stringify(manifest, null, 2)}\n`,
    [`${BIN_FOLDER}/homeport.mjs`]: LAUNCHER,
  };
}

/** The data folder is found by the same rules as in config.ts. */
const LAUNCHER = `#!/usr/bin/env node
// Starts the Homeport of this computer. Written by "homeport init"; commit it with the project.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const { env, platform } = process;
const isWindows = platform === 'win32';

function dataFolder() {
  if (env.HOMEPORT_HOME) return env.HOMEPORT_HOME;
  const user = env.HOME || env.USERPROFILE || homedir();
  if (platform === 'darwin') return join(user, 'Library', 'Application Support', 'Homeport');
  if (isWindows) return join(env.APPDATA || join(user, 'AppData', 'Roaming'), 'Homeport');
  return join(env.XDG_DATA_HOME || join(user, '.local', 'share'), 'homeport');
}

function notedProgram() {
  try {
    return JSON.parse(readFileSync(join(dataFolder(), '${PROGRAM_FILE}'), 'utf8')).launcher;
  } catch {
    // Homeport was not started on this computer yet, or with another data folder.
    return undefined;
  }
}

/** The folders that npm adds to the path lead back to this file. */
function onPath() {
  const folders = (env.PATH || '').split(delimiter).filter((one) => one && !/node_modules[\\\\/]\\.bin$/.test(one));
  return folders.map((one) => join(one, isWindows ? 'homeport.cmd' : 'homeport'));
}

const asked = env.HOMEPORT_PROGRAM;
const noted = notedProgram();
const program = (asked ? [asked] : [noted, ...onPath()]).find((one) => one && existsSync(one));
if (program === undefined) {
  const gone = asked || noted ? ' It was at ' + (asked || noted) + ', where nothing is now.' : '';
  console.error(
    'error: Homeport was not found on this computer.' +
      gone +
      ' Start it once ("npm start" in its checkout, or the app), or set HOMEPORT_PROGRAM to the path of its command.',
  );
  process.exitCode = 1;
} else {
  env.HOMEPORT_IN_PROJECT = '1';
  const args = process.argv.slice(2);
  if (/\\.m?js$/.test(program)) {
    process.argv = [process.argv[0], program, ...args];
    await import(pathToFileURL(program).href);
  } else {
    const child = spawn(program, args, { stdio: 'inherit', shell: isWindows });
    for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
    // The terminal sends Ctrl-C to the program, too; this process ends with it.
    process.on('SIGINT', () => {});
    child.on('error', (error) => {
      console.error('error: ' + program + ' could not be started: ' + error.message);
      process.exitCode = 1;
    });
    child.on('exit', (status, signal) => {
      process.exitCode = status ?? (signal === 'SIGINT' ? 130 : 1);
    });
  }
}
`;
