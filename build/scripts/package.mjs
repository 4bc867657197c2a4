import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { makeDesktopPackages } from './package/desktop-packages.mjs';
import { makeHeadlessBundle } from './package/headless-bundle.mjs';
import { makeNpmPackage, writeNatives } from './package/npm-package.mjs';
import { getTarget, hostTarget } from './package/package-targets.mjs';
import { setUpOrExit } from './setup/run-setup.mjs';
import { ROOT } from './setup/setup-paths.mjs';
import { SetupProblem } from './setup/setup-problem.mjs';

/**
 * Makes packages for this computer's system in release/: by default the desktop app, or with
 *   --headless           the bundle without Electron
 *   --npm                the package for npm, with the native modules of this system and of those in --natives-from
 *   --natives            the native modules of this system, for such a package
 * Options of all: --target <name>, --out <folder>, --without-keychain (for systems that cannot build keytar), --no-build
 * (use the existing build), --fast (no compression).
 * Arguments after `--` go to electron-builder.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    headless: { type: 'boolean' },
    npm: { type: 'boolean' },
    natives: { type: 'boolean' },
    'natives-from': { type: 'string' },
    target: { type: 'string', default: hostTarget() },
    out: { type: 'string', default: 'release' },
    'without-keychain': { type: 'boolean' },
    'no-build': { type: 'boolean' },
    fast: { type: 'boolean' },
  },
});

/** Files that people download. */
const ARTIFACT = /\.(tar\.gz|tgz|deb|rpm|AppImage|dmg|zip|exe)$/;

async function run() {
  const runtime = await setUpOrExit(values['no-build'] ? { quiet: true } : { rebuild: true });
  const target = getTarget(values.target);
  const out = path.resolve(ROOT, values.out);
  mkdirSync(out, { recursive: true });
  const natives = path.resolve(ROOT, values['natives-from'] ?? path.join(out, 'natives'));
  const options = { target, out, withoutKeychain: values['without-keychain'], isFast: values.fast };
  if (values.headless) await makeHeadlessBundle(options);
  if (values.npm) await makeNpmPackage({ ...options, natives });
  if (values.natives) writeNatives({ ...options, folder: natives });
  if (!values.headless && !values.npm && !values.natives) {
    await makeDesktopPackages({ ...options, runtime, builderArgs: positionals });
  }
  const files = readdirSync(out)
    .filter((name) => ARTIFACT.test(name))
    .sort();
  const sums = files.map((name) => `${sha256(path.join(out, name))}  ${name}\n`);
  if (files.length > 0) writeFileSync(path.join(out, 'SHA256SUMS'), sums.join(''));
  for (const name of files) process.stdout.write(`${path.join(out, name)}\n`);
}

const sha256 = (file) => createHash('sha256').update(readFileSync(file)).digest('hex');

run().catch((error) => {
  if (!(error instanceof SetupProblem)) throw error;
  if (error.details) process.stderr.write(`${error.details}\n`);
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
