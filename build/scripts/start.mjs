import { spawn } from 'node:child_process';
import path from 'node:path';
import { findElectron, whyNoWindow } from './find-electron.mjs';
import { launchServer, serverEnvironment } from './launch-server.mjs';
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
      if (message?.type !== 'ready') return;
      spawn(runtime, [path.join(DIST, 'server/cli-main.mjs'), 'open', '--browser'], {
        env: { ...serverEnvironment(), HOMEPORT_HOME: message.dataFolder },
        // The server has printed a link already.
        stdio: ['ignore', 'ignore', 'inherit'],
      });
    },
  });
}
