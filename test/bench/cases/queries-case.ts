import type { BenchCase } from '../bench-case.ts';
import { BENCH_INTEGRATION, type BenchServer, startBenchServer } from '../bench-server.ts';
import { median } from '../measure.ts';
import { deployIngest, timeRun } from './ingest-case.ts';

const LATER = 5;

/** SQL over records: the first query starts its process and loads the model, later ones find it there. */
export const queriesCase: BenchCase = {
  name: 'queries',
  run: async ({ records }) => {
    const bench = await startBenchServer();
    try {
      await deployIngest(bench, records);
      await timeRun(bench.connection, records);
      const first = await timeQuery(bench);
      const later: number[] = [];
      for (let count = 0; count < LATER; count += 1) later.push(await timeQuery(bench));
      const laterMs = median(later);
      return [
        { what: `first query over ${records} records`, unit: 'ms', ours: first, goal: '' },
        { what: 'a later one, with a group-by', unit: 'ms', ours: laterMs, goal: '≤ 300 ms', isMet: laterMs <= 300 },
      ];
    } finally {
      await bench.stop();
    }
  },
};

async function timeQuery(bench: BenchServer): Promise<number> {
  const { headers = {}, url } = bench.target('/records/query');
  const sql = `SELECT length(id) AS length, count(*) AS n FROM ${BENCH_INTEGRATION}.Item GROUP BY 1`;
  const startedAt = performance.now();
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ sql }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`the query answered ${response.status}: ${text.slice(0, 500)}`);
  return performance.now() - startedAt;
}
