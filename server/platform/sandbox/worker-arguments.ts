import { createRequire } from 'node:module';
import { dirname, resolve } from 'node:path';

/** node-gyp-build checks for this file to tell musl from glibc. */
const ALPINE_MARK = '/etc/alpine-release';

/** Folders that the worker's sources import from outside their own folder; a bundle contains them. */
const SOURCE_FOLDERS = ['../lib', '../../../functions/runtime'];

/**
 * Flags of a worker process. Node's permission model allows it to read the files of its own code only: no writing, no
 * child processes, no threads. isolated-vm needs `--no-node-snapshot` and, being a native module, `--allow-addons`.
 */
export function workerArguments(workerEntry: string): string[] {
  const isSource = workerEntry.endsWith('.ts');
  const readable = [dirname(workerEntry), ...nativeModuleFolders(workerEntry), ALPINE_MARK];
  if (isSource) readable.push(...SOURCE_FOLDERS.map((folder) => resolve(dirname(workerEntry), folder)));
  return [
    '--no-node-snapshot',
    '--disallow-code-generation-from-strings',
    '--disable-warning=PERM0001',
    '--permission',
    '--allow-addons',
    ...readable.map((path) => `--allow-fs-read=${path}`),
  ];
}

function nativeModuleFolders(workerEntry: string): string[] {
  const fromEntry = createRequire(workerEntry);
  const isolatedVm = fromEntry.resolve('isolated-vm');
  const gypBuild = createRequire(isolatedVm).resolve('node-gyp-build');
  return [dirname(isolatedVm), dirname(gypBuild)];
}
