import { spawn } from 'node:child_process';
import path from 'node:path';
import { browserSentence } from './desktop-window.mjs';
import { launchServer, serverEnvironment } from './launch-server.mjs';
import { runInWindow } from './open-window.mjs';
import { DIST } from './setup/setup-paths.mjs';

/**
 * Starts the app: its desktop window, or the server and the dashboard in the browser when `reason` says why there is none,
 * when the browser was chosen, or when the window does not come up. With `--self-check` it ends after one line of JSON
 * (electron/main/self-check.ts).
 *
 * `program` with `appArgs` is the desktop app, `args` are those of the person; `command` returns what a person types to start it,
 * with further arguments.
 * `insteadOfServer` may open the dashboard of another server, and returns the exit status then.
 */
export async function launchApp({ choice, runtime, program, appArgs = [], args, env, command, insteadOfServer }) {
  const isSelfCheck = args.some((one) => /^--self-check(=|$)/.test(one));
  if (choice.isWanted) await runWindow();
  else if (isSelfCheck) failSelfCheck(choice.reason ?? 'the browser was chosen');
  else await startServer(choice.reason);

  async function runWindow() {
    const everyArg = [...appArgs, ...args];
    let outcome = await runInWindow({ program, args: everyArg, env: { ...process.env, ...env }, command });
    if (isSelfCheck && outcome.next !== 'end') failSelfCheck(outcome.reason);
    if (outcome.next === 'browser') {
      tell(outcome.reason);
      openBrowser(outcome.dataFolder);
      outcome = await outcome.later;
    }
    if (outcome.next === 'again') return runWindow();
    if (outcome.next === 'end') process.exit(outcome.status);
    await startServer(outcome.reason);
  }

  async function startServer(reason) {
    const status = await insteadOfServer?.(reason);
    tell(reason);
    if (status !== undefined) process.exit(status);
    launchServer({
      runtime,
      onMessage(message) {
        // The login to the computer starts the app so: nobody has asked for a page.
        if (message?.type === 'ready' && !args.includes('--hidden')) openBrowser(message.dataFolder);
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
}

function tell(reason) {
  const sentence = browserSentence(reason);
  if (!sentence) return;
  process.stderr.write(`${sentence}\n`);
  if (process.platform !== 'linux' || process.stderr.isTTY) return;
  // Started from a menu, nobody sees the line. A desktop without this program shows only the browser.
  spawn('notify-send', ['--app-name=Homeport', 'Homeport', sentence], { stdio: 'ignore' }).once('error', () => {});
}

/** The same line as that of the app, which could not be started. */
function failSelfCheck(reason) {
  process.stdout.write(`${JSON.stringify({ ok: false, checks: [{ name: 'start', ok: false, detail: reason }] })}\n`);
  process.exit(1);
}
