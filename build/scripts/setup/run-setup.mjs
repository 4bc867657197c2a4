import { buildOutputs, isBuilt } from './build-outputs.mjs';
import { installPackages, isInstalled } from './install-packages.mjs';
import { withLock } from './lock.mjs';
import { areModulesReady, prepareNativeModules } from './native-modules.mjs';
import { createProgress } from './progress.mjs';
import { findRuntime } from './setup-paths.mjs';
import { SetupProblem } from './setup-problem.mjs';

const MIN_NODE_MAJOR = 20;

/**
 * Does everything between a fresh clone and a running server, in this order: packages, native modules, bundles. Skips
 * what is done. Resolves to the path of the bundled Node.
 */
export async function runSetup({ quiet = false, rebuild = false, build = true } = {}) {
  const progress = createProgress({ quiet });
  if (Number(process.versions.node.split('.')[0]) < MIN_NODE_MAJOR) {
    throw new SetupProblem(
      `This Node is ${process.version}; Homeport needs Node ${MIN_NODE_MAJOR} or newer to set itself up.`,
    );
  }
  const ready = rebuild ? undefined : readyRuntime({ build });
  if (ready) {
    progress.info('Everything is set up.');
    return ready;
  }
  const onWait = (pid) => progress.note(`Another set-up is running (process ${pid}); waiting for it.`);
  return withLock(async () => {
    if (!isInstalled()) await progress.step('installing packages (once, about half a minute)', installPackages);
    const runtime = findRuntime();
    await prepareNativeModules({ runtime, progress });
    if (build) await buildOutputs({ runtime, progress, rebuild });
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

/** Runs set-up for a command. A problem is printed in one sentence and ends the process. */
export async function setUpOrExit(options) {
  try {
    return await runSetup(options);
  } catch (error) {
    if (!(error instanceof SetupProblem)) throw error;
    if (error.details) process.stderr.write(`${error.details}\n`);
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}
