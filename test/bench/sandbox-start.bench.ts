import { readFile } from 'node:fs/promises';
import { actionCode, bundleOf, createSandbox, outputOf } from '../integration/sandbox/sandbox-fixture.ts';

/** Prints the median duration of a no-op action in milliseconds, from the call to its outcome, one at a time. */
const RUNS = 60;

const warm = await measure({ warmIsolates: 1, pauseMs: 40 });
const busy = await measure({ warmIsolates: 1, pauseMs: 0 });
const cold = await measure({ warmIsolates: 0, pauseMs: 0, isNewBundle: true });
const described = await measureDescribe();
console.log(`warm run, isolate ready, bundle known:    ${warm.medianMs} ms`);
console.log(`back to back, isolates made meanwhile:    ${busy.medianMs} ms`);
console.log(`cold run, isolate and bundle new:         ${cold.medianMs} ms`);
console.log(`describe of a bundle, two at a time:      ${described} ms each`);
console.log(`start of the sandbox:                     ${warm.startMs} ms`);
console.log(`worker memory at rest, an isolate ready:  ${warm.residentMb} MB`);

async function measure(options: { warmIsolates: number; pauseMs: number; isNewBundle?: boolean }) {
  const sandbox = await createSandbox({ limits: { warmIsolates: options.warmIsolates } });
  const begunAt = performance.now();
  await sandbox.start();
  const startMs = round(performance.now() - begunAt);
  const residentMb = await residentMbOf(sandbox.stats().workers[0]?.pid);
  const times: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    const body = options.isNewBundle ? `return ${run}` : 'return 1';
    const startedAt = performance.now();
    await outputOf(sandbox, body);
    times.push(performance.now() - startedAt);
    await new Promise((resolve) => setTimeout(resolve, options.pauseMs));
  }
  await sandbox.stop();
  return { medianMs: median(times.slice(5)), startMs, residentMb };
}

async function measureDescribe(): Promise<number> {
  const sandbox = await createSandbox();
  await sandbox.start();
  const startedAt = performance.now();
  const describeHalf = async (half: number): Promise<void> => {
    for (let n = 0; n < RUNS; n++) await sandbox.describe(bundleOf(actionCode('', `description: '${half} ${n}',`)));
  };
  await Promise.all([describeHalf(0), describeHalf(1)]);
  const eachMs = (performance.now() - startedAt) / (2 * RUNS);
  await sandbox.stop();
  return round(eachMs);
}

/** Linux only; other systems omit the figure. */
async function residentMbOf(pid: number | undefined): Promise<number | string> {
  if (process.platform !== 'linux') return 'not measured';
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024);
}

function median(values: number[]): number {
  return round(values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
