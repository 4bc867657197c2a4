import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Files that ship with the program, located relative to this module: the bundle in dist/server, or the sources. */
export interface Resources {
  version: string;
  /** Starts the command line: a script for any Node, or a program in packages that contain their own Node. */
  launcher: string;
  workerEntry: string;
  /** Built-in providers: one JSON file when bundled, the folder of YAML files in a source tree. */
  catalog: string;
  templates: string;
  renderer: string;
  /** The page on which people connect accounts. */
  connect: string;
  /** The pages of the documentation. */
  docs: string;
  /** Logos of providers; the folder may be missing. */
  logos: string;
  readGuestCode(): Promise<string>;
  /** Start-up snapshot of that code, made when the program was built. It may be missing or not fit this Node. */
  guestSnapshot: string;
  /** The package that functions import as `'homeport'`. */
  sdkFolder: string;
  /** Entry of the process that answers SQL. */
  queryEntry: string;
  /** Entry of the process that checks types. */
  typeCheckEntry: string;
  /** Folders whose content determines how a function file is compiled. */
  compilerFolders: string[];
  /** The mock classes that authors' tests use, as one module. */
  readTestSetup(): Promise<string>;
  /** Declarations of `'homeport'` for editors, by file name. */
  readSdkTypes(): Promise<Record<string, string>>;
}

export async function locateResources(): Promise<Resources> {
  const here = dirname(fileURLToPath(import.meta.url));
  const isBundled = dirname(here).endsWith('dist');
  const root = isBundled ? join(here, '../..') : join(here, '..');
  const sdkFolder = join(root, 'functions/sdk');
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
  return {
    version,
    launcher: findLauncher(root),
    workerEntry: isBundled ? join(here, 'worker-main.mjs') : join(here, 'platform/sandbox/worker-main.ts'),
    catalog: isBundled ? join(root, 'dist/catalog.json') : join(here, 'integrations/catalog/providers'),
    templates: join(root, 'functions/templates'),
    renderer: join(root, 'dist/renderer'),
    connect: join(root, 'dist/connect'),
    docs: join(root, 'dist/docs'),
    logos: join(root, 'dist/logos'),
    sdkFolder,
    queryEntry: join(here, isBundled ? 'query-engine.mjs' : 'queries/engine/engine-main.ts'),
    typeCheckEntry: join(
      here,
      isBundled ? 'type-check-main.mjs' : '../functions/compiler/type-check/type-check-main.ts',
    ),
    compilerFolders: isBundled
      ? [here, join(root, 'dist/guest'), sdkFolder]
      : ['functions/compiler', 'functions/runtime', 'functions/sdk', 'server/platform/sandbox'].map((name) =>
          join(root, name),
        ),
    readGuestCode: isBundled ? () => readFile(join(root, 'dist/guest/guest.js'), 'utf8') : buildGuestFromSources,
    guestSnapshot: join(root, 'dist/snapshot/guest.snapshot'),
    readTestSetup: isBundled
      ? () => readFile(join(root, 'dist/testing/vitest-setup.js'), 'utf8')
      : buildTestSetupFromSources,
    readSdkTypes: isBundled
      ? async () => JSON.parse(await readFile(join(root, 'dist/sdk-types.json'), 'utf8'))
      : () => declareSdkFromSources(sdkFolder),
  };
}

function findLauncher(root: string): string {
  const program = join(root, 'bin', process.platform === 'win32' ? 'homeport.cmd' : 'homeport');
  return existsSync(program) ? program : join(root, 'build/scripts/homeport.mjs');
}

/** Loaded only when the program runs from sources; the bundle does not contain esbuild. */
async function buildGuestFromSources(): Promise<string> {
  const { buildGuest } = await import('../functions/runtime/build-guest.ts');
  return buildGuest();
}

async function buildTestSetupFromSources(): Promise<string> {
  const { buildTestSetup } = await import('../functions/testing/build-test-setup.ts');
  return buildTestSetup();
}

async function declareSdkFromSources(sdkFolder: string): Promise<Record<string, string>> {
  const { declareSdk } = await import('../functions/compiler/type-check/declare-sdk.ts');
  return declareSdk(sdkFolder);
}
