import { createTempHome } from '../../support/temp-home.ts';
import { startBaseline } from '../baseline-process.ts';
import type { BenchCase } from '../bench-case.ts';
import { BENCH_INTEGRATION, type BenchServer, startBenchServer } from '../bench-server.ts';
import { alternate, medianLatency, throughput } from '../measure.ts';
import { deployIngest, timeRun } from './ingest-case.ts';

const PAGE = 100;
/** The baseline serves only its first page: more rows would take minutes and change nothing. */
const MAX_BARE = 100_000;

/** A page of 100 records, first and last of the model, compared with an Express route that opens 100 sealed rows. */
export const recordsPageCase: BenchCase = {
  name: 'records',
  run: async ({ rounds, seconds, requests, records }) => {
    const bench = await startBenchServer();
    const scratch = await createTempHome();
    await deployIngest(bench, records);
    await timeRun(bench.connection, records);
    const sealed = await startBaseline('sealed-records-server', [scratch.path, String(Math.min(records, MAX_BARE))]);
    try {
      const ours = bench.target(`/records?model=Item&limit=${PAGE}`);
      const bare = { url: `${sealed.url}/records` };
      const cursor = await lastPageCursor(bench, records);
      const last = bench.target(`/records?model=Item&limit=${PAGE}&cursor=${encodeURIComponent(cursor)}`);
      const load = await alternate(
        rounds,
        () => throughput(ours, seconds),
        () => throughput(bare, seconds),
      );
      const ends = await alternate(
        rounds,
        () => medianLatency(last, requests),
        () => medianLatency(ours, requests),
      );
      return [
        {
          what: `page of ${PAGE} records, 10 at a time`,
          unit: '/s',
          ...load,
          goal: '≥ 0.60×',
          isMet: load.ours >= load.baseline * 0.6,
        },
        {
          what: `last page of ${records} (baseline: the first page)`,
          unit: 'ms',
          ...ends,
          goal: '≤ 1.20×',
          isMet: ends.ours <= ends.baseline * 1.2,
        },
      ];
    } finally {
      await sealed.stop();
      await bench.stop();
      await scratch.remove();
    }
  },
};

/** The cursor before the last full page. */
export async function lastPageCursor({ connection }: BenchServer, records: number): Promise<string> {
  let cursor = '';
  for (let left = records - PAGE; left > 0; ) {
    const limit = Math.min(10_000, left);
    const page = await connection.nango.listRecords({
      providerConfigKey: BENCH_INTEGRATION,
      connectionId: connection.connectionId,
      model: 'Item',
      limit,
      ...(cursor ? { cursor } : {}),
    });
    cursor = page.next_cursor ?? '';
    left -= limit;
  }
  return cursor;
}
