import { spawn } from 'node:child_process';
import path from 'node:path';
import { chooseWindow } from './desktop-window.mjs';
import { serverEnvironment } from './launch-server.mjs';
import { electronProgram, prepareWindow } from './setup/electron-binary.mjs';
import { setUpOrExit } from './setup/run-setup.mjs';
import { DIST, ROOT } from './setup/setup-paths.mjs';

/** Runs the server from its sources, restarted on every save, and Vite. With `--desktop` Electron starts the server. */
const isDesktop = process.argv.includes('--desktop');
let missing;
const runtime = await setUpOrExit({
  quiet: true,
  onInstalled: (installed, progress) => {
    const { isWanted, reason } = chooseWindow();
    if (isDesktop) missing = isWanted ? prepareWindow({ runtime: installed, progress }) : reason;
  },
});
const serverEntry = path.join(ROOT, 'server/main.ts');
const vite = [path.join(ROOT, 'node_modules/vite/bin/vite.js'), '--config', 'build/config/vite.config.ts'];
process.stderr.write(
  isDesktop
    ? 'The window opens by itself.\n'
    : 'Open the login link that the hub prints below. With the port that Vite prints (5173) in its place, the pages show each change at once.\n',
);
const children = [spawn(runtime, vite, { stdio: 'inherit', cwd: ROOT })];

if (isDesktop) {
  const problem = await missing;
  if (problem) {
    process.stderr.write(`No window: ${problem}.\n`);
    process.exitCode = 1;
  } else {
    const env = { ...process.env, HOMEPORT_RUNTIME: runtime, HOMEPORT_SERVER_ENTRY: serverEntry };
    children.push(spawn(electronProgram(), [path.join(DIST, 'electron/main.mjs')], { stdio: 'inherit', env }));
  }
} else {
  children.push(spawn(runtime, ['--watch', serverEntry], { stdio: 'inherit', env: serverEnvironment() }));
}

function stopAll() {
  for (const child of children) child.kill();
}

for (const child of children) child.once('exit', stopAll);
if (process.exitCode) stopAll();
process.on('SIGTERM', stopAll);
process.on('SIGINT', stopAll);
