import { spawn } from 'node:child_process';
import { setUpOrExit } from './setup/run-setup.mjs';

/** Runs a script on the bundled Node, after set-up: `node build/scripts/run.mjs [--build] <script> [arguments]`. */
const args = process.argv.slice(2);
const build = args[0] === '--build';
const runtime = await setUpOrExit({ quiet: true, build });
const child = spawn(runtime, build ? args.slice(1) : args, { stdio: 'inherit' });
child.once('exit', (code) => process.exit(code ?? 1));
