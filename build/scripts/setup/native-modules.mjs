import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fingerprint, readJson, writeJson } from './fingerprint.mjs';
import { CommandError, lastLines, runCommand } from './run-command.mjs';
import { CACHE, findHeaders, NODE_MODULES } from './setup-paths.mjs';
import { SetupProblem } from './setup-problem.mjs';

/**
 * Native modules that the server loads. `binary` is the path where the module looks for its file. isolated-vm includes
 * binaries in its package and is compiled only where none fits (macOS on Intel).
 */
const MODULES = [
  {
    name: 'sqlite3',
    purpose: 'the database',
    binary: 'build/Release/node_sqlite3.node',
    isRequired: true,
    hasDownload: true,
    // SQLite is one file: with -O3, the default of modules, compiling it takes a third longer, and queries take as long.
    compilerFlags: '-O2',
  },
  {
    name: 'isolated-vm',
    purpose: 'which functions run in',
    binary: 'build/Release/isolated_vm.node',
    isRequired: true,
    hasDownload: false,
  },
  {
    name: 'keytar',
    purpose: 'which reads the keychain',
    binary: 'build/Release/keytar.node',
    isRequired: false,
    hasDownload: true,
  },
];

const DOWNLOAD_LIMIT_MS = 20_000;
const STAMP = path.join(NODE_MODULES, '.homeport', 'native-modules.json');

/** Changes when a missing tool may have been installed, so that a failed optional module is tried again. */
async function toolsFingerprint() {
  const probes = [
    ['pkg-config', ['--modversion', 'libsecret-1']],
    ['python3', ['--version']],
    ['c++', ['--version']],
  ];
  const answers = await Promise.all(probes.map(([name, args]) => runCommand(name, args).catch(() => 'missing')));
  return fingerprint([], ...answers);
}

function versionOf(name) {
  return JSON.parse(readFileSync(path.join(NODE_MODULES, name, 'package.json'), 'utf8')).version;
}

/** Whether every module is known to load. A missing optional one may be built after its tools were installed. */
export function areModulesReady(runtime) {
  const stamp = readJson(STAMP);
  return stamp?.key === moduleKey(runtime) && MODULES.every(({ name }) => stamp.modules[name] === 'ok');
}

function moduleKey(runtime) {
  const versions = MODULES.map(({ name }) => `${name}@${versionOf(name)}`).join(' ');
  return fingerprint([], versions, runtime, process.platform, process.arch);
}

/** Makes every native module loadable by `runtime`. Resolves to the sentences to show. */
export async function prepareNativeModules({ runtime, progress }) {
  const key = moduleKey(runtime);
  const stamp = readJson(STAMP);
  const isKnown = stamp?.key === key && MODULES.every(({ name }) => name in stamp.modules);
  const tools =
    isKnown && Object.values(stamp.modules).every((state) => state === 'ok') ? undefined : await toolsFingerprint();
  if (isKnown && (tools === undefined || stamp.tools === tools)) return;

  const prepared = MODULES.map(async (module) => [module.name, await prepare(module, { runtime, progress })]);
  writeJson(STAMP, { key, tools, modules: Object.fromEntries(await Promise.all(prepared)) });
}

async function prepare(module, { runtime, progress }) {
  const cached = path.join(
    CACHE,
    'native',
    `${module.name}-${versionOf(module.name)}-${process.platform}-${process.arch}.node`,
  );
  const target = path.join(NODE_MODULES, module.name, module.binary);
  if (await loads(module, runtime)) return remember(target, cached);
  if (existsSync(cached)) {
    copy(cached, target);
    if (await loads(module, runtime)) return 'ok';
  }
  if (module.hasDownload && (await download(module, { runtime, progress }))) return remember(target, cached);
  progress.note(
    `No prebuilt ${module.name} (${module.purpose}) runs on this system, so it is compiled here once. This takes one to two minutes.`,
  );
  try {
    await progress.step(`compiling ${module.name}`, () => compile(module, runtime));
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    if (module.isRequired) throw new SetupProblem(explain(module, error), lastLines(error.output, 20));
    progress.note(explain(module, error));
    return 'missing';
  }
  return remember(target, cached);
}

function copy(from, to) {
  mkdirSync(path.dirname(to), { recursive: true });
  copyFileSync(from, to);
}

function remember(target, cached) {
  if (existsSync(target) && !existsSync(cached)) copy(target, cached);
  return 'ok';
}

async function loads({ name }, runtime) {
  const folder = path.join(NODE_MODULES, name);
  try {
    await runCommand(runtime, ['--no-node-snapshot', '-e', `require(${JSON.stringify(folder)})`]);
    return true;
  } catch (error) {
    if (error instanceof CommandError) return false;
    throw error;
  }
}

/** Downloads the maintainer's prebuilt binary. It is kept only if it loads here (it may need a newer C library). */
function download(module, { runtime, progress }) {
  const tool = path.join(NODE_MODULES, 'prebuild-install/bin.js');
  const options = { cwd: path.join(NODE_MODULES, module.name), timeoutMs: DOWNLOAD_LIMIT_MS };
  return progress.step(`looking for a prebuilt ${module.name}`, async () => {
    try {
      await runCommand(runtime, [tool, '-r', 'napi'], options);
    } catch (error) {
      if (error instanceof CommandError) return false;
      throw error;
    }
    return loads(module, runtime);
  });
}

async function compile({ name, compilerFlags = '' }, runtime) {
  const headers = findHeaders();
  const args = [path.join(NODE_MODULES, 'node-gyp/bin/node-gyp.js'), 'rebuild', '--release', '-j', 'max'];
  await runCommand(runtime, headers ? [...args, `--nodedir=${headers}`] : args, {
    cwd: path.join(NODE_MODULES, name),
    env: { ...process.env, CFLAGS: `${compilerFlags} ${process.env.CFLAGS ?? ''}` },
  });
  await runCommand(runtime, ['--no-node-snapshot', '-e', `require(${JSON.stringify(path.join(NODE_MODULES, name))})`]);
}

function explain({ name, isRequired }, { output }) {
  const without = isRequired ? '' : ' Homeport runs without it and keeps its master key in a key file.';
  if (/libsecret/.test(output)) {
    return `The keychain module needs libsecret-1-dev (sudo apt-get install libsecret-1-dev).${without}`;
  }
  if (/find Python|Python is not set/i.test(output))
    return `${name} cannot be compiled: Python 3 is missing.${without}`;
  if (/not found: (make|g\+\+|cc|c\+\+)|ENOENT.*make|find Visual Studio|xcode-select/i.test(output)) {
    return `${name} cannot be compiled: a C++ compiler and make are missing (Debian: build-essential).${without}`;
  }
  return `${name} could not be compiled.${without}`;
}
