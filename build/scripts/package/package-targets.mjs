import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import path from 'node:path';
import { NODE_MODULES, ROOT, runtimePackage } from '../setup/setup-paths.mjs';
import { SetupProblem } from '../setup/setup-problem.mjs';

/** Supported targets. `oxc` names the npm package with the parser's machine code. */
const TARGETS = {
  'linux-x64': { platform: 'linux', arch: 'x64', oxc: 'linux-x64-gnu' },
  'linux-arm64': { platform: 'linux', arch: 'arm64', oxc: 'linux-arm64-gnu' },
  'mac-x64': { platform: 'darwin', arch: 'x64', oxc: 'darwin-x64' },
  'mac-arm64': { platform: 'darwin', arch: 'arm64', oxc: 'darwin-arm64' },
  'win-x64': { platform: 'win32', arch: 'x64', oxc: 'win32-x64-msvc' },
  'win-arm64': { platform: 'win32', arch: 'arm64', oxc: 'win32-arm64-msvc' },
};

/** The target of this computer; undefined when packages cannot be made on it. */
export function hostTarget(platform = process.platform, arch = process.arch) {
  return Object.keys(TARGETS).find((name) => TARGETS[name].platform === platform && TARGETS[name].arch === arch);
}

export function getTarget(name) {
  const target = TARGETS[name];
  if (!target) {
    throw new SetupProblem(`There is no target ${name}. Targets are ${Object.keys(TARGETS).join(', ')}.`);
  }
  return { name, ...target };
}

export const allTargets = () => Object.values(TARGETS);

/** The npm package with esbuild's machine code. */
export const esbuildPackage = ({ platform, arch }) => `@esbuild/${platform}-${arch}`;

/** The npm package with DuckDB's machine code, and its files: the module, and the library that it loads (for both processors of macOS). */
export const queryEnginePackage = ({ platform, arch }) => `@duckdb/node-bindings-${platform}-${arch}`;
const QUERY_ENGINE_LIBRARY = { linux: 'libduckdb.so', darwin: 'libduckdb.dylib', win32: 'duckdb.dll' };
export const queryEngineFiles = ({ platform }) => ['duckdb.node', QUERY_ENGINE_LIBRARY[platform]];

/** macOS shows this name when the server asks for keychain access. */
const MAC_RUNTIME_NAME = 'Homeport Server';

/** The Node of a target: the npm package with it, and its file name in our packages. */
export function runtimeOf({ platform, arch }) {
  const name = runtimePackage(platform, arch);
  const { optionalDependencies } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
  const file = platform === 'win32' ? 'node.exe' : 'node';
  return {
    name,
    version: optionalDependencies[name],
    folder: path.join(NODE_MODULES, name),
    binary: path.join(NODE_MODULES, name, 'bin', file),
    packagedAs: platform === 'darwin' ? MAC_RUNTIME_NAME : file,
  };
}

/** First bytes of machine code, which tell the format and the processor. */
const ELF = 0x7f454c46;
const MACH_O = 0xcffaedfe;
const PROCESSORS = {
  elf: { 62: 'x64', 183: 'arm64' },
  macho: { 7: 'x64', 12: 'arm64' },
  pe: { 34404: 'x64', 43620: 'arm64' },
};

/** The machine of a file with machine code, as `<platform>-<arch>`; undefined for other files and unknown machines. */
export function machineOf(file) {
  const head = Buffer.alloc(4096);
  const descriptor = openSync(file, 'r');
  try {
    readSync(descriptor, head, 0, head.length, 0);
  } finally {
    closeSync(descriptor);
  }
  if (head.readUInt32BE(0) === ELF) return nameMachine('linux', PROCESSORS.elf[head.readUInt16LE(18)]);
  if (head.readUInt32BE(0) === MACH_O) return nameMachine('darwin', PROCESSORS.macho[head[4]]);
  if (head.toString('latin1', 0, 2) !== 'MZ') return undefined;
  const header = head.readUInt32LE(60);
  return header + 6 <= head.length ? nameMachine('win32', PROCESSORS.pe[head.readUInt16LE(header + 4)]) : undefined;
}

const nameMachine = (platform, arch) => arch && `${platform}-${arch}`;

/** Throws unless the file exists and is machine code of the target. The error calls the file `what`. */
export function requireMachineCode(file, target, what) {
  const where = path.relative(ROOT, file);
  const advice = `Make packages of ${target.name} on such a machine, after npm run setup.`;
  let machine;
  try {
    machine = machineOf(file);
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    throw new SetupProblem(`${what} is missing for ${target.name} (${where}). ${advice}`);
  }
  if (machine === `${target.platform}-${target.arch}`) return;
  throw new SetupProblem(
    `${what} is not for ${target.name} but for ${machine ?? 'something else'} (${where}). ${advice}`,
  );
}
