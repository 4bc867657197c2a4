import { DashboardSession } from '../../../server/cli/hub/dashboard-session.ts';
import { RARE_WORD, seedOperations } from '../../support/seed-operations.ts';
import type { BenchCase, BenchRow } from '../bench-case.ts';
import { BENCH_INTEGRATION, startBenchServer } from '../bench-server.ts';
import { median } from '../measure.ts';
import { deployIngest, timeRun } from './ingest-case.ts';

const MESSAGES_EACH = 10;
const MAX_LIST_MS = 50;
const MAX_SEARCH_MS = 200;
const PAGE = '200';
const LOG = '/api/v1/logs/operations';
const RECORDS = `/api/v1/connections/${BENCH_INTEGRATION}/one/records`;

interface Question {
  what: string;
  path: string;
  query: Record<string, string>;
  /** In ms; without a limit the figure is shown for scale. */
  most?: number;
  /** Cached answers are separate: the first response has a row of its own. */
  isRemembered?: boolean;
}

/** Requests to the dashboard's API over a million messages and a million records: pages, searches, the end of the list. */
export const manyRowsCase: BenchCase = {
  name: 'many-rows',
  run: async ({ manyRows: count, rounds }) => {
    const bench = await startBenchServer();
    try {
      await deployIngest(bench, count);
      await timeRun(bench.connection, count);
      await bench.server.end();
      await seedOperations(bench.server.home, count / MESSAGES_EACH, MESSAGES_EACH);
      await bench.server.restart();
      const session = await DashboardSession.open(bench.server.home, fetch);
      if (!session) throw new Error('the hub gave no login link');
      const rows: BenchRow[] = [];
      for (const question of [...logQuestions(count), ...recordQuestions(count)])
        rows.push(...(await timeResponses(session, question, rounds)));
      return rows;
    } finally {
      await bench.stop();
    }
  },
};

function logQuestions(count: number): Question[] {
  const operations = count / MESSAGES_EACH;
  const list = (what: string, query: Record<string, string>, most: number): Question => ({
    what: `${count} messages: ${what}`,
    path: LOG,
    query,
    most,
  });
  return [
    list('page of 200 operations', {}, MAX_LIST_MS),
    list('last page of the operations', { offset: String(operations - Number(PAGE)) }, MAX_LIST_MS),
    list('failed operations of an integration', { search: 'state:failed integration:integration-0' }, MAX_LIST_MS),
    list('search for a word of one operation in 1,000', { search: RARE_WORD.word }, MAX_SEARCH_MS),
    list('search for a word of every message', { search: 'slowly' }, MAX_SEARCH_MS),
    list('search for two words of every message and a state', { search: 'slowly stored state:failed' }, MAX_SEARCH_MS),
    {
      what: `${count} messages: those of one operation`,
      path: '/api/v1/logs/messages',
      query: { operationId: 'seed-0' },
      most: MAX_LIST_MS,
    },
  ];
}

function recordQuestions(count: number): Question[] {
  const list = (what: string, query: Record<string, string>, most?: number): Question => ({
    what: `${count} records: ${what}`,
    path: RECORDS,
    query: { model: 'Item', ...query },
    isRemembered: true,
    ...(most === undefined ? {} : { most }),
  });
  return [
    list('page of 200', {}, MAX_LIST_MS),
    list('last page', { offset: String(count - Number(PAGE)) }, MAX_LIST_MS),
    list('search for a text of one', { search: `record ${count - 1}` }),
    {
      what: `${count} records: versions of one`,
      path: `${RECORDS}/record-7/versions`,
      query: { model: 'Item' },
      most: MAX_LIST_MS,
    },
  ];
}

async function timeResponses(
  session: DashboardSession,
  { what, path, query, most, isRemembered }: Question,
  rounds: number,
): Promise<BenchRow[]> {
  const times: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const startedAt = performance.now();
    const paging = path === LOG || path === RECORDS ? { limit: PAGE } : {};
    await session.call('GET', path, { query: { env: 'dev', ...paging, ...query } });
    times.push(performance.now() - startedAt);
  }
  const [first = 0, ...others] = times;
  const ours = median(others);
  const goal = most === undefined ? { goal: '' } : { goal: `≤ ${most} ms`, isMet: ours <= most };
  return [
    ...(isRemembered ? [{ what: `${what}, asked first`, unit: 'ms' as const, ours: first, goal: '' }] : []),
    { what, unit: 'ms', ours, ...goal },
  ];
}
