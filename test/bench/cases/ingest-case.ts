import type { PracticeConnection } from '../../support/import-practice-connection.ts';
import { saveFunction, syncSource } from '../../support/server-workspace.ts';
import { createTempHome } from '../../support/temp-home.ts';
import { waitFor } from '../../support/wait-for.ts';
import { hasSucceeded, syncState, waitForSync } from '../../support/wait-for-sync.ts';
import { runBaseline } from '../baseline-process.ts';
import type { BenchCase } from '../bench-case.ts';
import { BENCH_BATCH, BENCH_TEXT, TEXT_CHARACTERS } from '../bench-record.ts';
import { shareAtLeast } from '../bench-row.ts';
import { BENCH_INTEGRATION, type BenchServer, startBenchServer } from '../bench-server.ts';
import { alternate, median } from '../measure.ts';

const RUN_LIMIT_MS = 600_000;
const SYNC = 'ingest';

/** Records of 1 kB saved by a real sync function, sealed at rest, compared with bare upserts of the same JSON. */
export const ingestCase: BenchCase = {
  name: 'ingest',
  run: async ({ rounds, records }) => {
    const bench = await startBenchServer();
    const scratch = await createTempHome();
    try {
      await deployIngest(bench, records);
      const unchanged: number[] = [];
      let round = 0;
      const ours = async (): Promise<number> => {
        const connection = await bench.connect(`ingest-${round++}`);
        const rate = records / (await timeRun(connection, records));
        unchanged.push(records / (await timeRun(connection, 0)));
        return rate;
      };
      const first = await alternate(Math.min(rounds, 3), ours, () =>
        runBaseline('raw-upserts', [scratch.path, String(records)]),
      );
      const again = median(unchanged);
      return [
        shareAtLeast(`sync of ${records} new records`, first, 1.2),
        shareAtLeast('the same records again, unchanged (the first run)', { ours: again, baseline: first.ours }, 2),
      ];
    } finally {
      await bench.stop();
      await scratch.remove();
    }
  },
};

/** Saves the ingest function, which generates its records, and waits until the first connection has it. */
export async function deployIngest(bench: BenchServer, records: number): Promise<void> {
  const body = `
    const words = ${JSON.stringify(BENCH_TEXT)};
    for (let offset = 0; offset < ${records}; offset += ${BENCH_BATCH}) {
      const batch = [];
      for (let index = offset; index < Math.min(${records}, offset + ${BENCH_BATCH}); index++) {
        const from = (index * 7) % (words.length - ${TEXT_CHARACTERS});
        const text = words.slice(from, from + ${TEXT_CHARACTERS});
        batch.push({ id: 'record-' + index, title: 'Record ' + index, text, at: 1700000000000 + index });
      }
      await nango.batchSave(batch, 'Item');
    }`;
  await deploySync(bench, `Saves ${records} records`, body);
}

/** Saves the ingest function with that body, and waits until this version of it is live. */
export async function deploySync(bench: BenchServer, description: string, body: string): Promise<void> {
  const source = syncSource(body).replace('Written by a test', description);
  await saveFunction(bench.server.workspace, `${BENCH_INTEGRATION}/syncs/${SYNC}.ts`, source);
  const isLive = async (): Promise<boolean> =>
    JSON.stringify(await bench.connection.nango.getScriptsConfig()).includes(description) &&
    (await syncState(bench.connection, SYNC)) !== undefined;
  await waitFor(isLive, { what: 'the ingest sync' });
}

/** Seconds from the trigger to the end of the run; `added` is the expected number of added records. */
export async function timeRun(connection: PracticeConnection, added: number): Promise<number> {
  const before = await waitFor(() => syncState(connection, SYNC), { what: 'the ingest sync of the connection' });
  const startedAt = performance.now();
  await connection.nango.triggerSync(connection.integration, [SYNC], connection.connectionId);
  const isOver = (state: Parameters<typeof hasSucceeded>[0]): boolean =>
    hasSucceeded(state) && state.finishedAt !== before.finishedAt;
  const after = await waitForSync(connection, SYNC, isOver, RUN_LIMIT_MS);
  const seconds = (performance.now() - startedAt) / 1000;
  const result = after.latestResult?.['Item']?.added ?? 0;
  if (result !== added) throw new Error(`the run added ${result} records instead of ${added}`);
  return seconds;
}
