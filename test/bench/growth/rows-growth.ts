import { BENCH_INTEGRATION, type BenchServer, startBenchServer } from '../bench-server.ts';
import { deployIngest, deploySync, timeRun } from '../cases/ingest-case.ts';
import { logQuestions, openSession, seedLog, timeQuestion } from '../cases/many-rows-case.ts';
import { lastPageCursor } from '../cases/records-page-case.ts';
import { medianLatency } from '../measure.ts';
import { medianOf, startAgain } from './grown-hub.ts';
import type { GrowthCase } from './growth-case.ts';

const SMALLEST = 1_000;
const PAGE = 100;
const MORE = 1_000;

const sizesOf = ({ manyRows }: { manyRows: number }): number[] => [SMALLEST, manyRows / 10, manyRows];

/** Records of one model of one connection. */
export const recordsGrowth: GrowthCase = {
  of: 'records of a model',
  sizesOf,
  open: async ({ requests, rounds }) => {
    const bench = await startBenchServer();
    let records = 0;
    const page = bench.target(`/records?model=Item&limit=${PAGE}`);
    const ofDashboard = (query: Record<string, string>) => async () => {
      const path = `/api/v1/connections/${BENCH_INTEGRATION}/one/records`;
      return timeQuestion(await openSession(bench), { path, query: { model: 'Item', limit: '200', ...query } }, rounds);
    };
    return {
      grow: async (size) => {
        await deployIngest(bench, size);
        await timeRun(bench.connection, size - records);
        records = size;
      },
      measures: [
        { what: 'start', unit: 'ms', measure: () => startAgain(bench.server, rounds) },
        { what: 'first page of 100', unit: 'ms', measure: () => medianLatency(page, requests) },
        {
          what: 'last page of 100',
          unit: 'ms',
          measure: async () => {
            const cursor = encodeURIComponent(await lastPageCursor(bench, records));
            return medianLatency({ ...page, url: `${page.url}&cursor=${cursor}` }, requests);
          },
        },
        { what: 'page of 200 in the dashboard', unit: 'ms', measure: ofDashboard({}) },
        {
          what: 'its last page',
          unit: 'ms',
          measure: () => ofDashboard({ offset: String(Math.max(0, records - 200)) })(),
        },
        { what: `${MORE} new records, saved and removed`, unit: 'ms', measure: () => saveMore(bench, rounds) },
      ],
      stop: () => bench.stop(),
    };
  },
};

/** Saves and removes records of the same model, so that its size stays. */
async function saveMore(bench: BenchServer, rounds: number): Promise<number> {
  const body = `
    const batch = Array.from({ length: ${MORE} }, (_, index) => ({ id: 'more-' + index, text: 'x'.repeat(900) }));
    await nango.batchSave(batch, 'Item');
    await nango.batchDelete(batch, 'Item');`;
  await deploySync(bench, `Saves and removes ${MORE} records`, body);
  return medianOf(rounds, async () => (await timeRun(bench.connection, MORE)) * 1000);
}

export const messagesGrowth: GrowthCase = {
  of: 'messages of the log, ten to an operation',
  sizesOf,
  open: async ({ requests, rounds }) => {
    const bench = await startBenchServer();
    let messages = 0;
    const call = bench.target('/proxy/hello');
    return {
      grow: async (size) => {
        // Operations that are there already are written again.
        await seedLog(bench, size);
        messages = size;
      },
      measures: [
        { what: 'start', unit: 'ms', measure: () => startAgain(bench.server, rounds) },
        { what: 'a proxied call, p50', unit: 'ms', measure: () => medianLatency(call, requests) },
        ...logQuestions(0).map(({ what }, index) => ({
          what,
          unit: 'ms' as const,
          measure: async () => {
            const question = logQuestions(messages)[index];
            if (!question) throw new Error(`there is no question ${index}`);
            return timeQuestion(await openSession(bench), question, rounds);
          },
        })),
      ],
      stop: () => bench.stop(),
    };
  },
};
