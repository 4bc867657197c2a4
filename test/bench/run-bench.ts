import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { type BenchCase, type BenchRow, FULL_SCALE, QUICK_SCALE } from './bench-case.ts';
import { benchTable } from './bench-table.ts';
import { actionCase } from './cases/action-case.ts';
import { compileWorkspaceCase } from './cases/compile-workspace-case.ts';
import { destinationCase } from './cases/destination-case.ts';
import { getConnectionCase } from './cases/get-connection-case.ts';
import { idleMemoryCase } from './cases/idle-memory-case.ts';
import { ingestCase } from './cases/ingest-case.ts';
import { largeCatalogCase } from './cases/large-catalog-case.ts';
import { largeListsCase } from './cases/large-lists-case.ts';
import { manyConnectionsCase } from './cases/many-connections-case.ts';
import { manyRowsCase } from './cases/many-rows-case.ts';
import { packagedWindowCase } from './cases/packaged-window-case.ts';
import { proxyCase } from './cases/proxy-case.ts';
import { queriesCase } from './cases/queries-case.ts';
import { recordsPageCase } from './cases/records-page-case.ts';
import { saveFunctionCase } from './cases/save-function-case.ts';
import { startUpCase } from './cases/start-up-case.ts';
import { webhookBurstCase } from './cases/webhook-burst-case.ts';
import { workspaceGrowthCase } from './cases/workspace-growth-case.ts';

const CASES: BenchCase[] = [
  startUpCase,
  packagedWindowCase,
  largeCatalogCase,
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
  workspaceGrowthCase,
  manyConnectionsCase,
  webhookBurstCase,
  manyRowsCase,
  largeListsCase,
];

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [] },
    json: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    records: { type: 'string' },
    'tail-seconds': { type: 'string' },
  },
});

const unknown = options.only.filter((name) => !CASES.some((one) => one.name === name));
if (unknown.length > 0) {
  throw new Error(`no such case: ${unknown.join(', ')}; there are ${CASES.map((one) => one.name).join(', ')}`);
}

const scale = {
  ...(options.quick ? QUICK_SCALE : FULL_SCALE),
  ...(options.records ? { records: Number(options.records) } : {}),
  ...(options['tail-seconds'] ? { tailSeconds: Number(options['tail-seconds']) } : {}),
};
const machine = `${cpus()[0]?.model ?? 'unknown processor'}, ${cpus().length} cores, Node ${process.version}, ${process.platform}`;
const rows: BenchRow[] = [];
let hasFailed = false;
for (const one of CASES) {
  if (options.only.length > 0 && !options.only.includes(one.name)) continue;
  process.stderr.write(`${one.name} …\n`);
  try {
    rows.push(...(await one.run(scale)));
  } catch (error) {
    // The other cases are still useful; the exit status reports that this one is missing.
    hasFailed = true;
    process.stderr.write(`${one.name} failed: ${describeFailure(error)}\n`);
  }
}

process.stdout.write(
  options.json ? `${JSON.stringify({ machine, scale, rows }, null, 2)}\n` : `${machine}\n\n${benchTable(rows)}\n`,
);
process.exitCode = hasFailed || rows.some((row) => row.isMet === false) ? 1 : 0;

/** The stack and, for an error of the official client, the hub's response. */
function describeFailure(error: unknown): string {
  const refused = error as { response?: { status: number; data: unknown } };
  if (refused.response) return `${refused.response.status} ${JSON.stringify(refused.response.data)}`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
