import { mkdir, realpath } from 'node:fs/promises';
import { CompileCache } from '../../../functions/compiler/compile-cache.ts';
import { readCompilerVersion } from '../../../functions/compiler/compiler-version.ts';
import { FunctionCompiler } from '../../../functions/compiler/function-compiler.ts';
import { TypeChecker } from '../../../functions/compiler/type-check/type-checker.ts';
import { parseFrequency } from '../../contract/frequency.ts';
import { LocalRunner } from '../../functions/dry-run/local-runner.ts';
import type { Clock } from '../../platform/lib/clock.ts';
import { hasErrorCode } from '../../platform/lib/error-code.ts';
import type { Ids } from '../../platform/lib/ids.ts';
import { silentLogger } from '../../platform/lib/logger.ts';
import { readGuestSnapshot } from '../../platform/sandbox/guest-snapshot.ts';
import { Sandbox } from '../../platform/sandbox/sandbox.ts';
import type { Resources } from '../../resources.ts';

/** Compiler, type checkers and sandbox of the hub, in this process and for one project. */
export interface LocalEngine extends AsyncDisposable {
  compiler: FunctionCompiler;
  /** Each starts its process at its first check. */
  types: ReadonlyArray<Pick<TypeChecker, 'check' | 'stop'>>;
  /** Results of earlier commands; undefined when the cache folder is not writable. */
  cache: CompileCache | undefined;
  clock: Clock;
  runner: LocalRunner;
}

/** What a command needs of the engine in addition to the defaults. */
export interface EngineNeeds {
  /** Largest number of processes that run functions; one is started at once. Default 1. */
  workers?: number;
  /** Largest number of processes that check types. Default 1. */
  typeCheckers?: number;
}

export async function openLocalEngine(
  options: EngineNeeds & {
    root: string;
    /** Folder in which compiled functions are kept for later commands. */
    cacheFolder: string;
    resources: Resources;
    clock: Clock;
    ids: Ids;
    /** Whether the project's `index.ts` decides; false for the live folder of the hub. */
    readsIndex: boolean;
    /** One that runs and stays; default: one of its own. */
    sandbox?: Sandbox | undefined;
  },
): Promise<LocalEngine> {
  const { cacheFolder, clock, ids, readsIndex, resources, root, workers = 1, typeCheckers = 1 } = options;
  const workspace = await realpath(root);
  const cache = await openCache(cacheFolder, workspace, resources);
  const sandbox = options.sandbox ?? (await createLocalSandbox({ resources, clock, workers }));
  const engine: LocalEngine = {
    compiler: new FunctionCompiler({
      workspace,
      parseFrequency,
      readsIndex,
      describe: (bundle) => sandbox.describe(bundle),
      ...(cache ? { cache } : {}),
    }),
    types: Array.from({ length: typeCheckers }, () => {
      const { sdkFolder, typeCheckEntry: entry } = resources;
      return new TypeChecker({ entry, execPath: process.execPath, workspace, sdkFolder, isWaitedFor: true });
    }),
    cache,
    clock,
    runner: new LocalRunner({ sandbox, ids }),
    [Symbol.asyncDispose]: async () => {
      const stopSandbox = options.sandbox ? undefined : sandbox.stop();
      await Promise.all([...engine.types.map((one) => one.stop()), stopSandbox, cache?.settled()]);
    },
  };
  if (options.sandbox) return engine;
  // Last, because a failure of the other parts, for example a deleted folder, would leave a process that keeps the
  // command alive.
  await sandbox.start().catch(async (error: unknown) => {
    await sandbox.stop();
    throw error;
  });
  return engine;
}

/** The sandbox of commands; its first process starts with `start`. */
export async function createLocalSandbox(parts: {
  resources: Resources;
  clock: Clock;
  workers: number;
}): Promise<Sandbox> {
  const { resources, clock, workers } = parts;
  const guestCode = await resources.readGuestCode();
  return new Sandbox({
    guestCode,
    guestSnapshot: await readGuestSnapshot(resources.guestSnapshot, guestCode),
    workers,
    workerEntry: resources.workerEntry,
    execPath: process.execPath,
    limits: { memoryMb: 256 },
    logger: silentLogger,
    clock,
  });
}

/** Undefined when the folder is not writable; the command is then slower but does the same. */
async function openCache(folder: string, workspace: string, resources: Resources): Promise<CompileCache | undefined> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const version = await readCompilerVersion(resources.compilerFolders);
    return await CompileCache.open({ folder, workspace, version });
  } catch (error) {
    if (hasErrorCode(error, 'EACCES', 'EPERM', 'EROFS')) return undefined;
    throw error;
  }
}
