import { buildOutputs, isBuilt } from './build-outputs.mjs';
import { installPackages, isInstalled } from './install-packages.mjs';
import { withLock } from './lock.mjs';
import { areModulesReady, prepareNativeModules } from './native-modules.mjs';
import { createProgress } from './progress.mjs';
import { findRuntime } from './setup-paths.mjs';
import { SetupProblem } from './setup-problem.mjs';

const MIN_NODE_MAJOR = 20;

/**
 * Does everything between a fresh clone and a running server: packages, then native modules and bundles at the same time.
 * Skips what is done. `onInstalled` is told the path of the bundled Node and the progress as soon as the packages are
 * there; resolves to the path.
 */
export async function runSetup({ quiet = false, rebuild = false, build = true, onInstalled = () => {} } = {}) {
  const progress = createProgress({ quiet });
  if (Number(process.versions.node.split('.')[0]) < MIN_NODE_MAJOR) {
    throw new SetupProblem(
      `This Node is ${process.version}; Homeport needs Node ${MIN_NODE_MAJOR} or newer to set itself up.`,
    );
  }
  const ready = rebuild ? undefined : readyRuntime({ build });
  if (ready) {
    progress.info('Everything is set up.');
    onInstalled(ready, progress);
    return ready;
  }
  const onWait = (pid) => progress.note(`Another set-up is running (process ${pid}); waiting for it.`);
  return withLock(async () => {
    if (!isInstalled()) await progress.step('installing packages (once, about half a minute)', installPackages);
    const runtime = findRuntime();
    onInstalled(runtime, progress);
    const nativeModules = prepareNativeModules({ runtime, progress });
    const outputs = build ? buildOutputs({ runtime, progress, rebuild, nativeModules }) : undefined;
    // Both end before the lock is free. A problem of a native module comes first: nothing runs without it.
    const [native, built] = await Promise.allSettled([nativeModules, outputs]);
    for (const { status, reason } of [native, built]) if (status === 'rejected') throw reason;
    progress.info('Everything is set up.');
    return runtime;
  }, onWait);
}

/** The bundled Node if nothing has to be done. Only reads, without waiting for a lock. */
function readyRuntime({ build }) {
  if (!isInstalled()) return undefined;
  const runtime = findRuntime();
  return areModulesReady(runtime) && (!build || isBuilt()) ? runtime : undefined;
}

/** Runs set-up for a command. A problem ends the process. */
export async function setUpOrExit(options) {
  try {
    return await runSetup(options);
  } catch (error) {
    if (!(error instanceof SetupProblem)) throw error;
    reportAndExit(error);
  }
}

/** Prints a problem of set-up in one sentence, below the output of the tool that failed. */
export function reportAndExit({ message, details }) {
  if (details) process.stderr.write(`${details}\n`);
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
