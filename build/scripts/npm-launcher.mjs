#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { launchServer } from './launch-server.mjs';
import { findRuntime } from './setup/setup-paths.mjs';

/**
 * The `homeport` command of the npm package, where it replaces homeport.mjs. Runs on any Node and starts the Node that
 * npm installed with the package.
 */
const system = `${process.platform}-${process.arch}`;
const runtime = findRuntime();
const hasModules = existsSync(new URL(`../../node_modules/isolated-vm/prebuilds/${system}`, import.meta.url));

if (runtime && hasModules) launchServer({ runtime, entry: 'cli-main.mjs', args: process.argv.slice(2) });
else {
  const problem = hasModules
    ? 'the Node that npm fetches with it is missing; install it again, with optional packages'
    : `it has no native modules for ${system}; take the headless bundle of that system`;
  process.stderr.write(`This package of Homeport cannot run here: ${problem}.\n`);
  process.exitCode = 1;
}
