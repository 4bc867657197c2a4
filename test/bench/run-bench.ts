import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { type BenchCase, type BenchRow, FULL_SCALE, QUICK_SCALE } from './bench-case.ts';
import { benchTable } from './bench-table.ts';
import { actionCase } from './cases/action-case.ts';
import { compileWorkspaceCase } from './cases/compile-workspace-case.ts';
import { destinationCase } from './cases/destination-case.ts';
import { getConnectionCase } from './cases/get-connection-case.ts';
import { idleMemoryCase } from './cases/idle-memory-case.ts';
import { ingestCase } from './cases/ingest-case.ts';
import { largeListsCase } from './cases/large-lists-case.ts';
import { manyConnectionsCase } from './cases/many-connections-case.ts';
import { manyRowsCase } from './cases/many-rows-case.ts';
import { packagedWindowCase } from './cases/packaged-window-case.ts';
import { proxyCase } from './cases/proxy-case.ts';
import { queriesCase } from './cases/queries-case.ts';
import { recordsPageCase } from './cases/records-page-case.ts';
import { saveFunctionCase } from './cases/save-function-case.ts';
import { schedulerTickCase } from './cases/scheduler-tick-case.ts';
import { startUpCase } from './cases/start-up-case.ts';
import { webhookBurstCase } from './cases/webhook-burst-case.ts';
import { connectionsGrowth } from './growth/connections-growth.ts';
import { functionsGrowth } from './growth/functions-growth.ts';
import { type GrowthTable, runGrowth } from './growth/growth-case.ts';
import { growthTables } from './growth/growth-table.ts';
import { messagesGrowth, recordsGrowth } from './growth/rows-growth.ts';

const CASES: BenchCase[] = [
  startUpCase,
  packagedWindowCase,
  idleMemoryCase,
  getConnectionCase,
  proxyCase,
  actionCase,
  ingestCase,
  recordsPageCase,
  destinationCase,
  queriesCase,
  saveFunctionCase,
  compileWorkspaceCase,
  schedulerTickCase,
  manyConnectionsCase,
  webhookBurstCase,
  manyRowsCase,
  largeListsCase,
];

/** Names of `--only` with `--growth`. */
const GROWTH = {
  functions: functionsGrowth,
  connections: connectionsGrowth,
  records: recordsGrowth,
  messages: messagesGrowth,
};

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [] },
    growth: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    records: { type: 'string' },
    'tail-seconds': { type: 'string' },
  },
});

const names = options.growth ? Object.keys(GROWTH) : CASES.map((one) => one.name);
const unknown = options.only.filter((name) => !names.includes(name));
if (unknown.length > 0) throw new Error(`no such case: ${unknown.join(', ')}; there are ${names.join(', ')}`);

const scale = {
  ...(options.quick ? QUICK_SCALE : FULL_SCALE),
  ...(options.records ? { records: Number(options.records) } : {}),
  ...(options['tail-seconds'] ? { tailSeconds: Number(options['tail-seconds']) } : {}),
};
const machine = `${cpus()[0]?.model ?? 'unknown processor'}, ${cpus().length} cores, Node ${process.version}, ${process.platform}`;
const rows: BenchRow[] = [];
const tables: GrowthTable[] = [];
/** Processor time of others makes absolute figures worse. */
const loadBefore = loadavg()[0] ?? 0;
const seconds: Record<string, number> = {};
let hasFailed = false;

if (options.growth)
  for (const [name, one] of Object.entries(GROWTH))
    await measure(name, async () => void tables.push(await runGrowth(one, scale)));
else for (const one of CASES) await measure(one.name, async () => void rows.push(...(await one.run(scale))));

const text = options.growth ? growthTables(tables) : benchTable(rows);
const result = { machine, loadBefore, seconds, scale, ...(options.growth ? { tables } : { rows }) };
process.stdout.write(options.json ? `${JSON.stringify(result, null, 2)}\n` : `${machine}\n\n${text}\n`);
process.exitCode = hasFailed || rows.some((row) => row.isMet === false) ? 1 : 0;

async function measure(name: string, run: () => Promise<void>): Promise<void> {
  if (options.only.length > 0 && !options.only.includes(name)) return;
  process.stderr.write(`${name} …\n`);
  const startedAt = performance.now();
  try {
    await run();
  } catch (error) {
    // The other cases are still useful; the exit status reports that this one is missing.
    hasFailed = true;
    process.stderr.write(`${name} failed: ${describeFailure(error)}\n`);
  }
  seconds[name] = Math.round((performance.now() - startedAt) / 1000);
  process.stderr.write(`${name}: ${seconds[name]} s\n`);
}

/** The stack and, for an error of the official client, the hub's response. */
function describeFailure(error: unknown): string {
  const refused = error as { response?: { status: number; data: unknown } };
  if (refused.response) return `${refused.response.status} ${JSON.stringify(refused.response.data)}`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
