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

export async function openLocalEngine(options: {
  root: string;
  resources: Resources;
  clock: Clock;
  ids: Ids;
}): Promise<LocalEngine> {
  const { clock, ids, resources, root } = options;
  const sandbox = new Sandbox({
    guestCode: await resources.readGuestCode(),
    workers: 1,
    workerEntry: resources.workerEntry,
    execPath: process.execPath,
    limits: { memoryMb: 256 },
    logger: silentLogger,
    clock,
  });
  const types = new TypeChecker({
    entry: resources.typeCheckEntry,
    execPath: process.execPath,
    workspace: root,
    sdkFolder: resources.sdkFolder,
  });
  const compiler = new FunctionCompiler({
    workspace: root,
    parseFrequency,
    describe: (bundle) => sandbox.describe(bundle),
  });
  // Last: whatever fails before it leaves no process behind, which would keep the command from ending.
  await sandbox.start();
  return {
    compiler,
    types,
    runner: new LocalRunner({ sandbox, ids }),
    [Symbol.asyncDispose]: async () => {
      await Promise.all([types.stop(), sandbox.stop()]);
    },
  };
}
