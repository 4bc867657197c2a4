import { constants, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DIST, NODE_MODULES, ROOT } from '../setup/setup-paths.mjs';
import { SetupProblem } from '../setup/setup-problem.mjs';
import { writeDependencyLists } from './dependency-lists.mjs';
import {
  esbuildPackage,
  queryEngineFiles,
  queryEnginePackage,
  requireMachineCode,
  runtimeOf,
} from './package-targets.mjs';

/**
 * Built files that the server and the command line read. Source maps are left out, because they would double the size.
 */
const BUILT = [
  'server',
  'guest',
  'snapshot',
  'testing',
  'renderer',
  'connect',
  'logos',
  'catalog.json',
  'sdk-types.json',
  'docs',
];

/** What `homeport-desktop` on Linux runs before there is a window. */
const DESKTOP_SCRIPTS = [
  'start-package.mjs',
  'launch-app.mjs',
  'desktop-window.mjs',
  'open-window.mjs',
  'window-problem.mjs',
  'launch-server.mjs',
  'setup/lock.mjs',
  'setup/setup-paths.mjs',
  'setup/setup-problem.mjs',
];

const isShipped = (file) => !/\.map$|\.test\.tsx?$/.test(file);

/**
 * Packages outside the bundles, with the files that they need; their sources, tools and machine code for other systems
 * are left out. `dependencies` are the packages that they load at run time.
 */
export const MODULES = [
  { name: 'sqlite3', keeps: /^lib\/.*\.js$/, dependencies: ['bindings'] },
  { name: 'bindings', keeps: /^bindings\.js$/, dependencies: ['file-uri-to-path'] },
  { name: 'file-uri-to-path', keeps: /^index\.js$/, dependencies: [] },
  { name: 'isolated-vm', keeps: /^isolated-vm\.js$/, dependencies: ['node-gyp-build'] },
  { name: 'node-gyp-build', keeps: /^(index|node-gyp-build)\.js$/, dependencies: [] },
  { name: 'keytar', keeps: /^lib\/.*\.js$/, dependencies: [] },
  { name: 'esbuild', keeps: /^lib\/main\.js$/, dependencies: [] },
  { name: 'oxc-parser', keeps: /^src-js\/.*\.c?js$/, dependencies: [] },
  // The type checker reads TypeScript's declarations of the language. tsc, the language server and translations are
  // left out.
  { name: 'typescript', keeps: /^lib\/(typescript\.js|lib\..*\.d\.ts|lib\.d\.ts)$/, dependencies: [] },
  { name: '@duckdb/node-api', keeps: /^lib\/.*\.js$/, dependencies: ['@duckdb/node-bindings'] },
  { name: '@duckdb/node-bindings', keeps: /^duckdb\.js$/, dependencies: [] },
  { name: 'zod', keeps: /^(?!src\/).*\.(js|cjs|d\.ts|d\.cts)$/, dependencies: [] },
];

const LICENSE_FILE = /^(licen[cs]e|copying|notice|thirdpartynotice)[^/]*$/i;

/** Native modules, with the path of the binary in an installed package. */
const NATIVE = [
  { name: 'sqlite3', binary: () => 'build/Release/node_sqlite3.node', what: 'The database (sqlite3)' },
  { name: 'isolated-vm', binary: isolateBinary, what: 'The sandbox (isolated-vm)' },
  { name: 'keytar', binary: () => 'build/Release/keytar.node', what: 'The keychain module (keytar)' },
];

/** ABI versions of Node by major version (nodejs.org, "abi_version_registry"). */
const ABI = { 24: 137, 26: 147 };

/** The binary compiled here, or the one in the package for the target's Node. */
function isolateBinary({ platform, arch }, abi) {
  const compiled = 'build/Release/isolated_vm.node';
  if (existsSync(path.join(NODE_MODULES, 'isolated-vm', compiled))) return compiled;
  return `prebuilds/${platform}-${arch}/isolated-vm.abi${abi}${platform === 'linux' ? '.glibc' : ''}.node`;
}

/** The native modules of a target: name, file in node_modules, ABI. Throws SetupProblem when one is missing. */
export function findNatives(target, { withoutKeychain = false } = {}) {
  const abi = ABI[runtimeOf(target).version.split('.')[0]];
  return NATIVE.filter(({ name }) => !(withoutKeychain && name === 'keytar')).map(({ name, binary, what }) => {
    const file = path.join(NODE_MODULES, name, binary(target, abi));
    requireMachineCode(file, target, what);
    return { name, file, abi };
  });
}

/**
 * Writes into `folder` everything that the server and the command line need on a machine of the target: the build
 * outputs, the packages next to them, Node, licences and bill of materials. Throws SetupProblem when a part is missing.
 * `withoutKeychain` leaves keytar out; the master key is then in a key file.
 */
export function writeProgram({ target, folder, withoutKeychain = false, withShell = false }) {
  const modules = MODULES.filter(({ name }) => !(withoutKeychain && name === 'keytar'));
  rmSync(folder, { recursive: true, force: true });
  writeSharedFiles(folder);
  for (const module of modules) copyModule(module, folder);
  for (const { file } of findNatives(target, { withoutKeychain })) {
    copyFile(file, path.join(folder, path.relative(ROOT, file)));
  }
  copyTools(target, folder);
  copyRuntime(target, folder);
  copyLaunchers(target, folder, withShell);
  writeDependencyLists({ target, folder, shipped: modules, withShell });
}

/** Copies the files that are the same on every system: the built program, the SDK, the templates. */
export function writeSharedFiles(folder) {
  mkdirSync(folder, { recursive: true });
  for (const name of BUILT) {
    if (!existsSync(path.join(DIST, name))) throw new SetupProblem(`dist/${name} is not built; run npm run build.`);
    copyFile(path.join(DIST, name), path.join(folder, 'dist', name));
  }
  for (const name of ['sdk', 'templates']) {
    copyFile(path.join(ROOT, 'functions', name), path.join(folder, 'functions', name));
  }
  copyFile(path.join(ROOT, 'LICENSE'), path.join(folder, 'LICENSE'));
  const { name, version, description, license } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
  writeManifest(folder, { name, version, description, license, private: true, type: 'module' });
}

/**
 * Copies a package without its scripts, tools and tests. It runs on the Node of our packages, so the Node that it wants
 * is left out as well: npm would compare it with the Node of the user.
 */
export function copyModule({ name, keeps, dependencies }, folder) {
  const from = path.join(NODE_MODULES, name);
  const to = path.join(folder, 'node_modules', name);
  for (const file of readdirSync(from, { recursive: true, withFileTypes: true })) {
    const relative = path.relative(from, path.join(file.parentPath, file.name)).replaceAll(path.sep, '/');
    if (!file.isFile() || relative.startsWith('node_modules/')) continue;
    if (keeps.test(relative) || LICENSE_FILE.test(relative))
      copyFile(path.join(from, relative), path.join(to, relative));
  }
  const {
    scripts: _scripts,
    bin: _bin,
    engines: _engines,
    files: _files,
    devDependencies: _dev,
    optionalDependencies: _optional,
    ...manifest
  } = readManifest(name);
  const needed = Object.entries(manifest.dependencies ?? {}).filter(([name]) => dependencies.includes(name));
  writeManifest(to, { ...manifest, dependencies: Object.fromEntries(needed) });
}

/** esbuild, oxc-parser and DuckDB have their machine code in separate packages. */
function copyTools(target, folder) {
  const esbuild = esbuildPackage(target);
  const esbuildFile = target.platform === 'win32' ? 'esbuild.exe' : 'bin/esbuild';
  const oxc = `@oxc-parser/binding-${target.oxc}`;
  const tools = [
    { name: esbuild, files: [esbuildFile], what: 'The compiler (esbuild)' },
    { name: oxc, files: [`parser.${target.oxc}.node`], what: 'The parser (oxc-parser)' },
    { name: queryEnginePackage(target), files: queryEngineFiles(target), what: 'The query engine (DuckDB)' },
  ];
  for (const { name, files, what } of tools) {
    requireMachineCode(path.join(NODE_MODULES, name, files[0]), target, what);
    for (const part of [...files, 'package.json']) {
      copyFile(path.join(NODE_MODULES, name, part), path.join(folder, 'node_modules', name, part));
    }
  }
}

function copyRuntime(target, folder) {
  const runtime = runtimeOf(target);
  requireMachineCode(runtime.binary, target, 'The Node that runs the server');
  copyFile(runtime.binary, path.join(folder, 'runtime/bin', runtime.packagedAs));
  copyFile(path.join(runtime.folder, 'LICENSE'), path.join(folder, 'runtime/LICENSE'));
}

function copyLaunchers({ platform }, folder, withShell) {
  const name = platform === 'win32' ? 'homeport.cmd' : 'homeport';
  copyFile(path.join(ROOT, 'build/resources/launchers', name), path.join(folder, 'bin', name));
  if (withShell && platform === 'linux') copyDesktopScripts(folder);
}

/** Into the `resources` of a package for Linux. */
export const copyDesktopScripts = (folder) => copyScripts(DESKTOP_SCRIPTS, folder);

/** Scripts that work in a package as in a checkout. */
export function copyScripts(names, folder) {
  for (const name of names) copyFile(path.join(ROOT, 'build/scripts', name), path.join(folder, 'build/scripts', name));
}

/** Copies a file or folder, never as a link, because signing and packing change files in place. */
export function copyFile(from, to) {
  mkdirSync(path.dirname(to), { recursive: true });
  cpSync(from, to, { recursive: true, mode: constants.COPYFILE_FICLONE, filter: isShipped });
}

const readManifest = (name) => JSON.parse(readFileSync(path.join(NODE_MODULES, name, 'package.json'), 'utf8'));

export function writeManifest(folder, manifest) {
  writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}
