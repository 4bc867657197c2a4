import { spawn } from 'node:child_process';
import path from 'node:path';
import { findElectron, whyNoWindow } from './find-electron.mjs';
import { launchServer } from './launch-server.mjs';
import { openInBrowser } from './open-in-browser.mjs';
import { setUpOrExit } from './setup/run-setup.mjs';
import { DIST } from './setup/setup-paths.mjs';

const runtime = await setUpOrExit({ quiet: true });
const electron = findElectron();
if (electron) {
  const env = { ...process.env, HOMEPORT_RUNTIME: runtime };
  const app = spawn(electron, [path.join(DIST, 'electron/main.mjs')], { stdio: 'inherit', env });
  app.once('exit', (code) => process.exit(code ?? 1));
} else {
  process.stderr.write(`${whyNoWindow()}\n`);
  launchServer({
    runtime,
    onMessage(message) {
      if (message?.type === 'ready') openInBrowser(message.loginUrl, message.dataFolder);
    },
  });
}
