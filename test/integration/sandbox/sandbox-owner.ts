import { actionCode, runCode, startSandbox } from './sandbox-fixture.ts';

/** A process with a sandbox in which one run waits; it reports the process id of the worker. */
const sandbox = await startSandbox();
const host = {
  'environment.variables': () => {
    process.send?.(sandbox.stats().workers[0]?.pid);
    return new Promise(() => {});
  },
};
await runCode(sandbox, actionCode('await nango.getEnvironmentVariables()'), { host });
