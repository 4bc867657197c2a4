import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, createWriteStream, mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { ROOT } from '../setup/setup-paths.mjs';
import { SetupProblem } from '../setup/setup-problem.mjs';
import { writeProgram } from './program-files.mjs';

const EXTRAS = path.join(ROOT, 'build/resources/headless');

/** By system: files that start the server at the user's login. */
const SERVICES = {
  linux: { file: 'homeport.service', to: 'share/systemd/user' },
  darwin: { file: 'app.homeport.server.plist', to: 'share/launchd' },
};

/** Makes `homeport-<version>-<target>.tar.gz`, which runs without Electron. Resolves to its path. `isFast` leaves out the compression. */
export async function makeHeadlessBundle({ target, out, withoutKeychain, isFast }) {
  const { version } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
  const name = `homeport-${version}-${target.name}`;
  const work = path.join(out, 'headless');
  const folder = path.join(work, name);
  writeProgram({ target, folder, withoutKeychain });
  copyFileSync(path.join(EXTRAS, 'README.md'), path.join(folder, 'README.md'));
  const service = SERVICES[target.platform];
  if (service) {
    mkdirSync(path.join(folder, service.to), { recursive: true });
    copyFileSync(path.join(EXTRAS, service.file), path.join(folder, service.to, service.file));
  }
  const archive = path.join(out, `${name}.tar.gz`);
  await pack({ archive, work, name, isFast });
  rmSync(work, { recursive: true, force: true });
  return archive;
}

/** Uses options that GNU tar and bsdtar (macOS, Windows) have in common. Node's gzip is twice as fast as theirs. */
async function pack({ archive, work, name, isFast }) {
  const tar = spawn('tar', ['-cf', '-', '-C', work, name], { stdio: ['ignore', 'pipe', 'pipe'] });
  let errors = '';
  tar.stderr.on('data', (chunk) => (errors += chunk));
  const ended = once(tar, 'close').then(([code]) => {
    if (code !== 0) throw new SetupProblem(`${path.basename(archive)} could not be packed.`, errors);
  });
  const packed = pipeline(tar.stdout, createGzip({ level: isFast ? 0 : 9 }), createWriteStream(archive));
  await Promise.all([ended, packed]);
}
