import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { importConnection, officialClient } from '../support/import-practice-connection.ts';
import { saveFunction } from '../support/server-workspace.ts';
import { type StartedServer, startServer } from '../support/start-server.ts';
import { waitFor } from '../support/wait-for.ts';
import { endDuringQuery, fillDisk, mountSmallDisk, sendQuery, stopProcesses } from './hard-times.ts';
import { type ProcessFacts, readProcessFacts } from './process-facts.ts';
import { removeWal } from './remove-wal.ts';
import { SOAK_FUNCTIONS, SOAK_INTEGRATION, SoakLoad } from './soak-load.ts';
import { startSoakUpstream } from './soak-upstream.ts';
import { SteppedClock } from './stepped-clock.ts';

/**
 * Growth of memory from the second fifth of the run to the last one that does not count as a leak, in MB. A machine that had
 * no time for the first calls makes it larger; then as much must be held after the load, too.
 */
const GROWTH_MEGABYTES = 80;
/** Additional descriptors that an idle hub may hold after the load: kept-alive connections, pools. */
const DESCRIPTORS_KEPT = 30;
const SAMPLE_EVERY_MS = 5000;
/** Resources that are still held after this time without load count as leaked. */
const SETTLE_MS = 60_000;

const { values: options } = parseArgs({
  options: { minutes: { type: 'string', default: '15' }, 'clock-steps': { type: 'boolean', default: false } },
});
const durationMs = Number(options.minutes) * 60_000;
if (!(durationMs > 0)) throw new Error('--minutes takes a number above 0.');

const problems: string[] = [];
const upstream = await startSoakUpstream();
const clock = options['clock-steps'] ? await SteppedClock.create() : undefined;
const disk = await mountSmallDisk();
if (!disk) process.stdout.write('Without a disk of its own: no full disk (this user may not mount one).\n');
const server = await startServer({
  hasExamples: true,
  env: { HOMEPORT_TRUST_WORKSPACE: '1', ...clock?.env },
  ...(disk ? { home: disk.home } : {}),
});
const loadEnd = new AbortController();
try {
  const webhookUrl = await prepare(server);
  // It starts the engine, which ends five minutes after the last query.
  await sendQuery(server, 'SELECT count(*) FROM homeport.connections');
  const before = await readProcessFacts(server.pid);
  const load = new SoakLoad(server, webhookUrl);
  const stepping = clock?.run(durationMs, loadEnd.signal);
  const samples = await sampleDuring(server.pid, load.run(durationMs), () => load.stop());
  loadEnd.abort();
  await stepping;
  const after = await settle(server.pid, before);

  report(load, { before, samples, after });
  if (server.errorOutput().includes('unexpected')) problems.push('the log of the program names unexpected failures');
  if (clock) process.stdout.write(`The clock was set ${clock.steps} times.\n`);
  problems.push(...(await stopProcesses(server)));
  if (disk) problems.push(...(await fillDisk(server)));
  problems.push(...(await endDuringQuery(server)));
  await server.restart();
  problems.push(...(await removeWal(server)));
} finally {
  loadEnd.abort();
  await server.stop();
  await clock?.remove();
  await disk?.remove();
  await upstream.stop();
}
for (const problem of problems) process.stdout.write(`FAILED: ${problem}\n`);
process.stdout.write(problems.length === 0 ? 'The soak passed.\n' : `${problems.length} problems.\n`);
process.exitCode = problems.length === 0 ? 0 : 1;

/** An integration with functions and a connection; resolves to the address of its webhooks. */
async function prepare({ workspace }: StartedServer): Promise<string> {
  await mkdir(workspace, { recursive: true });
  await writeFile(
    join(workspace, 'providers.yaml'),
    `soak-upstream:
  display_name: Soak upstream
  auth_mode: API_KEY
  docs: ${upstream.url}/
  proxy:
    base_url: ${upstream.url}
    headers: { authorization: "Bearer \${apiKey}" }
  credentials:
    apiKey: { type: string, title: API key, description: Any text, secret: true }
`,
  );
  const nango = officialClient(server);
  await waitFor(
    async () => {
      const { data } = await nango.listProviders({});
      return data.some(({ name }) => name === 'soak-upstream');
    },
    { what: 'the provider of the soak' },
  );
  await nango.createIntegration({ provider: 'soak-upstream', unique_key: SOAK_INTEGRATION });
  for (const [path, source] of Object.entries(SOAK_FUNCTIONS))
    await saveFunction(workspace, `${SOAK_INTEGRATION}/${path}`, source);
  await importConnection(server, { provider_config_key: SOAK_INTEGRATION, connection_id: 'one' });
  const wanted = Object.keys(SOAK_FUNCTIONS).length;
  await waitFor(
    async () => {
      const [config] = (await nango.getScriptsConfig()) as Array<{ actions: unknown[]; syncs: unknown[] }>;
      return (config?.actions.length ?? 0) + (config?.syncs.length ?? 0) === wanted;
    },
    { what: 'the functions of the soak' },
  );
  const { data } = await nango.getIntegration({ uniqueKey: SOAK_INTEGRATION }, { include: ['webhook'] });
  const { webhook_url: webhookUrl } = data as { webhook_url?: string | null };
  if (!webhookUrl) throw new Error('The integration has no webhook address.');
  return webhookUrl;
}

/** One reading every few seconds during the load. A server that has ended ends the load. */
async function sampleDuring(pid: number, running: Promise<void>, stop: () => void): Promise<ProcessFacts[]> {
  const samples: ProcessFacts[] = [];
  let isRunning = true;
  const done = running.finally(() => {
    isRunning = false;
  });
  const sampling = (async () => {
    while (isRunning) {
      try {
        samples.push(await readProcessFacts(pid));
      } catch (error) {
        problems.push(`the server is gone: ${error instanceof Error ? error.message : error}`);
        stop();
        return;
      }
      await sleep(SAMPLE_EVERY_MS);
    }
  })();
  await Promise.all([done, sampling]);
  return samples;
}

/** Waits until the hub holds no more resources than before, at most for the time to settle. */
async function settle(pid: number, before: ProcessFacts): Promise<ProcessFacts> {
  const end = Date.now() + SETTLE_MS;
  for (;;) {
    const facts = await readProcessFacts(pid);
    const isSettled = facts.descriptors <= before.descriptors + DESCRIPTORS_KEPT;
    if (isSettled || Date.now() > end) return facts;
    await sleep(1000);
  }
}

function report(
  load: SoakLoad,
  { before, samples, after }: { before: ProcessFacts; samples: ProcessFacts[]; after: ProcessFacts },
): void {
  const early = medianOf(samples, 0.2, 0.4);
  const late = medianOf(samples, 0.8, 1);
  process.stdout.write(`\n| Caller | Calls | Answers | Unexpected | Longest |\n|---|---|---|---|---|\n`);
  for (const { name, calls, responses, unexpectedCount, maxMs } of load.counts) {
    const statuses = [...responses].map(([status, times]) => `${status}: ${times}`).join(', ');
    process.stdout.write(`| ${name} | ${calls} | ${statuses} | ${unexpectedCount} | ${Math.round(maxMs)} ms |\n`);
  }
  const peak = Math.max(...samples.map(({ familyMegabytes }) => familyMegabytes));
  const rows: Array<[what: string, facts: ProcessFacts]> = [
    ['before the load', before],
    ['second fifth (median)', early],
    ['last fifth (median)', late],
    ['after the load', after],
  ];
  process.stdout.write(
    '\n| When | All processes, MB | Server, MB | Processes | Descriptors |\n|---|---|---|---|---|\n',
  );
  for (const [what, facts] of rows) {
    const { familyMegabytes, serverMegabytes, processes, descriptors } = facts;
    process.stdout.write(
      `| ${what} | ${familyMegabytes.toFixed(0)} | ${serverMegabytes.toFixed(0)} | ${processes} | ${descriptors} |\n`,
    );
  }
  process.stdout.write(`\nHighest memory of all processes: ${peak.toFixed(0)} MB.\n`);

  for (const { name, calls, unexpected, unexpectedCount } of load.counts) {
    if (calls === 0) problems.push(`${name}: no call was made`);
    if (unexpectedCount > 0) problems.push(`${name}: ${unexpectedCount} unexpected answers, such as ${unexpected[0]}`);
  }
  const growth = late.familyMegabytes - early.familyMegabytes;
  const held = after.familyMegabytes - before.familyMegabytes;
  if (Math.min(growth, held) > GROWTH_MEGABYTES) problems.push(`memory grew by ${growth.toFixed(0)} MB during the run`);
  if (after.descriptors > before.descriptors + DESCRIPTORS_KEPT)
    problems.push(`${after.descriptors - before.descriptors} descriptors are still open after the load`);
  if (after.processes > before.processes + 1)
    problems.push(`${after.processes} processes are left, there were ${before.processes}`);
}

/** Medians of the readings between two shares of the run. */
function medianOf(samples: ProcessFacts[], from: number, to: number): ProcessFacts {
  const part = samples.slice(Math.floor(samples.length * from), Math.ceil(samples.length * to));
  const median = (read: (facts: ProcessFacts) => number): number =>
    part.map(read).sort((a, b) => a - b)[part.length >> 1] ?? 0;
  return {
    familyMegabytes: median((facts) => facts.familyMegabytes),
    serverMegabytes: median((facts) => facts.serverMegabytes),
    processes: median((facts) => facts.processes),
    descriptors: median((facts) => facts.descriptors),
  };
}
