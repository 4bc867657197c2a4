#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { launchServer } from './launch-server.mjs';
import { setUpOrExit } from './setup/run-setup.mjs';

const USAGE = 'Usage: homeport serve | open | --version\n';
/** Exit status for a command line that cannot be understood (sysexits). */
const EXIT_USAGE = 64;

const [command] = process.argv.slice(2);
if (command === '--version') {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  process.stdout.write(`${version}\n`);
} else if (command === 'serve' || command === 'open') {
  launchServer({ runtime: await setUpOrExit({ quiet: true }), args: process.argv.slice(2) });
} else {
  process.stderr.write(USAGE);
  process.exitCode = EXIT_USAGE;
}
