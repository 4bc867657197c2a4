import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { CommandError, lastLines, runCommand } from '../setup/run-command.mjs';
import { ROOT } from '../setup/setup-paths.mjs';
import { SetupProblem } from '../setup/setup-problem.mjs';
import { writeDependencyLists } from './dependency-lists.mjs';
import { allTargets, esbuildPackage } from './package-targets.mjs';
import {
  copyFile,
  copyModule,
  copyScripts,
  findNatives,
  MODULES,
  writeManifest,
  writeSharedFiles,
} from './program-files.mjs';

/**
 * The package's name in the registry, where another project has the bare name (design.md 7.41); the same as in
 * server/cli/project/project-bin.ts.
 */
const PACKAGE_NAME = '@homeport-hub/homeport';

/** Packages that npm installs, with their machine code for the system of the user; DuckDB as an optional one. */
const FROM_REGISTRY = ['oxc-parser', 'typescript', 'zod'];

/** Starting the server and finding its Node. */
const SCRIPTS = ['launch-server.mjs', 'setup/setup-paths.mjs'];

/** keytar loads one file. This replacement loads the file of the current system. */
const KEYTAR_FILE = 'module.exports = require(`../../native/${process.platform}-${process.arch}/keytar.node`);\n';

/**
 * Copies the native modules of a target into `folder`/<name of the target>, in a layout for several targets in one
 * package. Does not run anything, so one machine can combine what others have built.
 */
export function writeNatives({ target, folder, withoutKeychain }) {
  const to = path.join(folder, target.name);
  rmSync(to, { recursive: true, force: true });
  const system = `${target.platform}-${target.arch}`;
  const names = {
    sqlite3: ({ abi }) => `sqlite3/lib/binding/node-v${abi}-${system}/node_sqlite3.node`,
    'isolated-vm': ({ abi }) =>
      `isolated-vm/prebuilds/${system}/isolated-vm.abi${abi}${target.platform === 'linux' ? '.glibc' : ''}.node`,
    keytar: () => `keytar/native/${system}/keytar.node`,
  };
  for (const native of findNatives(target, { withoutKeychain }))
    copyFile(native.file, path.join(to, names[native.name](native)));
}

/**
 * Makes `homeport-hub-homeport-<version>.tgz`, a package for npm: the program, and the native modules of every target in `natives`.
 * npm installs its Node and the compiler's tools from the registry. Resolves to its path.
 */
export async function makeNpmPackage({ target, out, natives, withoutKeychain }) {
  const folder = path.join(out, 'npm');
  rmSync(folder, { recursive: true, force: true });
  writeSharedFiles(folder);
  writeNatives({ target, folder: natives, withoutKeychain });
  const bundled = MODULES.filter(({ name }) => !FROM_REGISTRY.includes(name) && !name.startsWith('@duckdb/'));
  for (const module of bundled) copyModule(module, folder);
  for (const name of readdirSync(natives)) copyFile(path.join(natives, name), path.join(folder, 'node_modules'));
  mkdirSync(path.join(folder, 'node_modules/keytar/build/Release'), { recursive: true });
  writeFileSync(path.join(folder, 'node_modules/keytar/build/Release/keytar.node.js'), KEYTAR_FILE);
  copyScripts(SCRIPTS, folder);
  copyFile(path.join(ROOT, 'build/scripts/npm-launcher.mjs'), path.join(folder, 'build/scripts/homeport.mjs'));
  copyFileSync(path.join(ROOT, 'build/resources/npm/README.md'), path.join(folder, 'README.md'));
  writeDependencyLists({ target, folder, shipped: MODULES });
  writePackageManifest(
    folder,
    bundled.map(({ name }) => name),
  );
  return packWithNpm(folder, out);
}

function writePackageManifest(folder, bundled) {
  const root = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
  const { packages } = JSON.parse(readFileSync(path.join(ROOT, 'package-lock.json'), 'utf8'));
  const versions = (names) => Object.fromEntries(names.map((name) => [name, packages[`node_modules/${name}`].version]));
  const { version, description, license, optionalDependencies } = root;
  writeManifest(folder, {
    name: PACKAGE_NAME,
    version,
    description,
    license,
    type: 'module',
    // npm warns on a Node that one of the packages from the registry does not want.
    engines: packages['node_modules/oxc-parser'].engines,
    bin: { homeport: 'build/scripts/homeport.mjs' },
    publishConfig: { access: 'public' },
    dependencies: versions([...bundled, ...FROM_REGISTRY]),
    // esbuild is bundled, because npm warns about its install script, which only replaces these packages.
    optionalDependencies: { ...optionalDependencies, ...versions(allTargets().map(esbuildPackage)) },
    bundleDependencies: bundled,
  });
}

async function packWithNpm(folder, out) {
  const isWindows = process.platform === 'win32';
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', out];
  try {
    await runCommand(isWindows ? 'npm.cmd' : 'npm', args, { cwd: folder, shell: isWindows });
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    throw new SetupProblem('npm could not pack its package.', lastLines(error.output, 10));
  }
  const { name, version } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
  const archive = path.join(out, `${name.slice(1).replace('/', '-')}-${version}.tgz`);
  if (!existsSync(archive)) throw new SetupProblem(`npm packed something else than ${path.basename(archive)}.`);
  rmSync(folder, { recursive: true, force: true });
  return archive;
}
