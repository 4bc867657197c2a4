#!/usr/bin/env node
import path from 'node:path';
import { chooseWindow } from './desktop-window.mjs';
import { launchApp } from './launch-app.mjs';
import { electronProgram, prepareWindow } from './setup/electron-binary.mjs';
import { reportAndExit, setUpOrExit } from './setup/run-setup.mjs';
import { DIST } from './setup/setup-paths.mjs';
import { SetupProblem } from './setup/setup-problem.mjs';

/** `npm start` and, in a checkout, `npx homeport-desktop`. */
const choice = chooseOrExit();

let preparation;
const runtime = await setUpOrExit({
  quiet: true,
  // At the same time as the other parts of set-up.
  onInstalled: (installed, progress) => {
    if (choice.isWanted) preparation = prepareWindow({ runtime: installed, progress });
  },
});
const problem = await preparation;
await launchApp({
  choice: problem ? { isWanted: false, reason: problem } : choice,
  runtime,
  program: electronProgram(),
  appArgs: [path.join(DIST, 'electron/main.mjs')],
  args: process.argv.slice(2).filter((one) => one !== '--browser'),
  env: { HOMEPORT_RUNTIME: runtime },
  command: (more) => (more ? `npm start -- ${more}` : 'npm start'),
});

function chooseOrExit() {
  try {
    return chooseWindow();
  } catch (error) {
    if (!(error instanceof SetupProblem)) throw error;
    return reportAndExit(error);
  }
}
