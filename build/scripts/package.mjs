import { spawn } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import path from 'node:path';
import { setUpOrExit } from './setup/run-setup.mjs';
import { DIST, NODE_MODULES, ROOT } from './setup/setup-paths.mjs';

/** Installers for this machine's platform, into release/. Further arguments go to electron-builder. */
const runtime = await setUpOrExit({ rebuild: true });
copyFileSync(path.join(ROOT, 'package.json'), path.join(DIST, 'package.json'));
const builder = path.join(NODE_MODULES, 'electron-builder/cli.js');
const args = ['--config', 'build/config/electron-builder.yml', ...process.argv.slice(2)];
const child = spawn(runtime, [builder, ...args], { stdio: 'inherit', cwd: ROOT });
child.once('exit', (code) => process.exit(code ?? 1));
