#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { launchServer } from './launch-server.mjs';
import { setUpOrExit } from './setup/run-setup.mjs';

/** The command line is server/cli and runs on the bundled Node. `--version` works without set-up. */
const args = process.argv.slice(2);
if (['--version', '-v', 'version'].includes(args[0]) && args.length === 1) {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  // As in server/cli/cli-main.ts: a reader that has read enough is no failure.
  process.stdout.on('error', ({ code, message }) => {
    if (code === 'EPIPE') return;
    process.stderr.write(`error: The output cannot be written: ${message}.\n`);
    process.exitCode = 1;
  });
  process.stdout.write(`${version}\n`);
} else {
  launchServer({ runtime: await setUpOrExit({ quiet: true }), entry: 'cli-main.mjs', args });
}
