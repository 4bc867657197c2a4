#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { launchServer } from './launch-server.mjs';
import { setUpOrExit } from './setup/run-setup.mjs';

const args = process.argv.slice(2);
if (args[0] === '--version') {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  process.stdout.write(`${version}\n`);
} else {
  launchServer({ runtime: await setUpOrExit({ quiet: true }), args });
}
