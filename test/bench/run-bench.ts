import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { type BenchCase, type BenchRow, FULL_SCALE, QUICK_SCALE } from './bench-case.ts';
import { benchTable } from './bench-table.ts';
import { actionCase } from './cases/action-case.ts';
import { getConnectionCase } from './cases/get-connection-case.ts';
import { idleMemoryCase } from './cases/idle-memory-case.ts';
import { ingestCase } from './cases/ingest-case.ts';
import { proxyCase } from './cases/proxy-case.ts';
import { recordsPageCase } from './cases/records-page-case.ts';
import { saveFunctionCase } from './cases/save-function-case.ts';
import { startUpCase } from './cases/start-up-case.ts';

const CASES: BenchCase[] = [
  startUpCase,
  idleMemoryCase,
  getConnectionCase,
  proxyCase,
  actionCase,
  ingestCase,
  recordsPageCase,
  saveFunctionCase,
];

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [] },
    json: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    records: { type: 'string' },
  },
});

const unknown = options.only.filter((name) => !CASES.some((one) => one.name === name));
if (unknown.length > 0) {
  throw new Error(`no such case: ${unknown.join(', ')}; there are ${CASES.map((one) => one.name).join(', ')}`);
}

const scale = {
  ...(options.quick ? QUICK_SCALE : FULL_SCALE),
  ...(options.records ? { records: Number(options.records) } : {}),
};
const machine = `${cpus()[0]?.model ?? 'unknown processor'}, ${cpus().length} cores, Node ${process.version}, ${process.platform}`;
const rows: BenchRow[] = [];
for (const one of CASES) {
  if (options.only.length > 0 && !options.only.includes(one.name)) continue;
  process.stderr.write(`${one.name} …\n`);
  rows.push(...(await one.run(scale)));
}

process.stdout.write(
  options.json ? `${JSON.stringify({ machine, scale, rows }, null, 2)}\n` : `${machine}\n\n${benchTable(rows)}\n`,
);
process.exitCode = rows.some((row) => row.isMet === false) ? 1 : 0;
