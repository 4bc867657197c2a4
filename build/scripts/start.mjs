#!/usr/bin/env node
import { spawn } from 'node:child_process';
import path from 'node:path';
import { browserSentence, chooseWindow, prepareWindow } from './desktop-window.mjs';
import { launchServer, serverEnvironment } from './launch-server.mjs';
import { runInWindow } from './open-window.mjs';
import { electronProgram } from './setup/electron-binary.mjs';
import { reportAndExit, setUpOrExit } from './setup/run-setup.mjs';
import { DIST } from './setup/setup-paths.mjs';
import { SetupProblem } from './setup/setup-problem.mjs';

/**
 * Starts the app: its desktop window, or without one the server and the dashboard in the browser. With `--self-check` it ends
 * after one line of JSON (electron/main/self-check.ts).
 */
const args = process.argv.slice(2).filter((one) => one !== '--browser');
const isSelfCheck = args.includes('--self-check');
const choice = chooseOrExit();

let preparation;
const runtime = await setUpOrExit({
  quiet: true,
  // At the same time as the other parts of set-up.
  onInstalled: (installed, progress) => {
    preparation = choice.isWanted ? prepareWindow({ runtime: installed, progress }) : Promise.resolve(choice.reason);
  },
});
const problem = await preparation;
if (choice.isWanted && !problem) await runWindow();
else if (isSelfCheck) failSelfCheck(problem ?? 'the browser was chosen');
else startServer(problem);

async function runWindow() {
  const env = { ...process.env, HOMEPORT_RUNTIME: runtime };
  const entry = path.join(DIST, 'electron/main.mjs');
  let outcome = await runInWindow({ program: electronProgram(), entry, args, env });
  if (isSelfCheck && outcome.next !== 'end') failSelfCheck(outcome.reason);
  if (outcome.next === 'browser') {
    process.stderr.write(`${browserSentence(outcome.reason)}\n`);
    openBrowser(outcome.dataFolder);
    outcome = await outcome.later;
  }
  if (outcome.next === 'again') return runWindow();
  if (outcome.next === 'end') process.exit(outcome.status);
  startServer(outcome.reason);
}

function startServer(reason) {
  const sentence = browserSentence(reason);
  if (sentence) process.stderr.write(`${sentence}\n`);
  launchServer({
    runtime,
    onMessage(message) {
      if (message?.type === 'ready') openBrowser(message.dataFolder);
    },
  });
}

function openBrowser(dataFolder) {
  spawn(runtime, [path.join(DIST, 'server/cli-main.mjs'), 'open', '--browser'], {
    env: { ...serverEnvironment(), HOMEPORT_HOME: dataFolder },
    // The server has printed a link already.
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

/** The same line as that of the app, which could not be started. */
function failSelfCheck(reason) {
  process.stdout.write(`${JSON.stringify({ ok: false, checks: [{ name: 'start', ok: false, detail: reason }] })}\n`);
  process.exit(1);
}

function chooseOrExit() {
  try {
    return chooseWindow();
  } catch (error) {
    if (!(error instanceof SetupProblem)) throw error;
    return reportAndExit(error);
  }
}
