import { mkdir, realpath } from 'node:fs/promises';
import { CompileCache } from '../../../functions/compiler/compile-cache.ts';
import { readCompilerVersion } from '../../../functions/compiler/compiler-version.ts';
import { FunctionCompiler } from '../../../functions/compiler/function-compiler.ts';
import { TypeChecker } from '../../../functions/compiler/type-check/type-checker.ts';
import { parseFrequency } from '../../contract/frequency.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import { silentLogger } from '../../lib/logger.ts';
import type { Resources } from '../../resources.ts';
import { Sandbox } from '../../sandbox/sandbox.ts';
import { LocalRunner } from '../local-run/local-runner.ts';

/** The compiler, the type check and the sandbox of the hub, at work in this process on one project. */
export interface LocalEngine extends AsyncDisposable {
  compiler: FunctionCompiler;
  /** Its process starts with the first check. */
  types: TypeChecker;
  runner: LocalRunner;
}

/** What a command asks of the engine beyond the usual. */
export interface EngineNeeds {
  /** Most processes that run functions; one is there at the start. Default 1. */
  workers?: number;
}

export async function openLocalEngine(
  options: EngineNeeds & {
    root: string;
    /** Where compiled functions are remembered from one command to the next. */
    cacheFolder: string;
    resources: Resources;
    clock: Clock;
    ids: Ids;
  },
): Promise<LocalEngine> {
  const { cacheFolder, clock, ids, resources, root, workers = 1 } = options;
  // Before anything is started that would have to be stopped again: the folder may be gone.
  const workspace = await realpath(root);
  const guestCode = await resources.readGuestCode();
  const cache = await openCache(cacheFolder, workspace, resources);
  const sandbox = new Sandbox({
    guestCode,
    workers,
    workerEntry: resources.workerEntry,
    execPath: process.execPath,
    limits: { memoryMb: 256 },
    logger: silentLogger,
    clock,
  });
  await sandbox.start().catch(async (error: unknown) => {
    // It tries again and again, which would keep the command alive.
    await sandbox.stop();
    throw error;
  });
  const types = new TypeChecker({
    entry: resources.typeCheckEntry,
    execPath: process.execPath,
    workspace,
    sdkFolder: resources.sdkFolder,
  });
  return {
    compiler: new FunctionCompiler({
      workspace,
      parseFrequency,
      describe: (bundle) => sandbox.describe(bundle),
      ...(cache ? { cache } : {}),
    }),
    types,
    runner: new LocalRunner({ sandbox, ids }),
    [Symbol.asyncDispose]: async () => {
      await Promise.all([types.stop(), sandbox.stop(), cache?.settled()]);
    },
  };
}

/** None where nothing can be written: a command is slower then and does the same. */
async function openCache(folder: string, workspace: string, resources: Resources): Promise<CompileCache | undefined> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const version = await readCompilerVersion(resources.compilerFolders);
    return await CompileCache.open({ folder, workspace, version });
  } catch (error) {
    if (error instanceof Error && 'code' in error && ['EACCES', 'EPERM', 'EROFS'].includes(String(error.code)))
      return undefined;
    throw error;
  }
}
