import { DashboardSession } from '../../../server/cli/hub/dashboard-session.ts';
import { RARE_WORD, seedOperations } from '../../support/seed-operations.ts';
import type { BenchCase, BenchRow } from '../bench-case.ts';
import { atMost } from '../bench-row.ts';
import { type BenchServer, startBenchServer } from '../bench-server.ts';
import { median } from '../measure.ts';

const MESSAGES_EACH = 10;
const MAX_LIST_MS = 30;
const MAX_SEARCH_MS = 150;
const PAGE = '200';

/** A question to the dashboard's API about the log. */
export interface LogQuestion {
  what: string;
  query: Record<string, string>;
  /** Default: the list of operations. */
  path?: string;
  most: number;
}

/** Requests to the dashboard's API over a million messages: pages, searches, the end of the list. */
export const manyRowsCase: BenchCase = {
  name: 'many-rows',
  run: async ({ manyRows: count, rounds }) => {
    const bench = await startBenchServer();
    try {
      await seedLog(bench, count);
      const session = await openSession(bench);
      const rows: BenchRow[] = [];
      for (const { most, what, ...question } of logQuestions(count)) {
        const ours = await timeQuestion(session, question, rounds);
        rows.push(atMost(`${count} messages: ${what}`, { ours }, most));
      }
      return rows;
    } finally {
      await bench.stop();
    }
  },
};

/** Writes that many messages, ten to an operation, while the hub is stopped. */
export async function seedLog({ server }: BenchServer, messages: number): Promise<void> {
  await server.end();
  await seedOperations(server.home, messages / MESSAGES_EACH, MESSAGES_EACH);
  await server.restart();
}

export async function openSession({ server }: BenchServer): Promise<DashboardSession> {
  const session = await DashboardSession.open(server.home, fetch);
  if (!session) throw new Error('the hub gave no login link');
  return session;
}

export function logQuestions(messages: number): LogQuestion[] {
  const lastPage = Math.max(0, messages / MESSAGES_EACH - Number(PAGE));
  return [
    { what: 'page of 200 operations', query: {}, most: MAX_LIST_MS },
    { what: 'last page of the operations', query: { offset: String(lastPage) }, most: MAX_LIST_MS },
    {
      what: 'failed operations of an integration',
      query: { search: 'state:failed integration:integration-0' },
      most: MAX_LIST_MS,
    },
    { what: 'search for a word of one operation in 1,000', query: { search: RARE_WORD.word }, most: MAX_SEARCH_MS },
    { what: 'search for a word of every message', query: { search: 'slowly' }, most: MAX_SEARCH_MS },
    {
      what: 'search for two words of every message and a state',
      query: { search: 'slowly stored state:failed' },
      most: MAX_SEARCH_MS,
    },
    {
      what: 'those of one operation',
      path: '/api/v1/logs/messages',
      query: { operationId: 'seed-0' },
      most: MAX_LIST_MS,
    },
  ];
}

/** Median in ms; the first answer does not count. */
export async function timeQuestion(
  session: DashboardSession,
  { path, query }: Pick<LogQuestion, 'path' | 'query'>,
  rounds: number,
): Promise<number> {
  const times: number[] = [];
  const paging = path === undefined ? { limit: PAGE } : {};
  for (let round = 0; round <= rounds * 2; round += 1) {
    const startedAt = performance.now();
    await session.call('GET', path ?? '/api/v1/logs/operations', { query: { env: 'dev', ...paging, ...query } });
    times.push(performance.now() - startedAt);
  }
  return median(times.slice(1));
}
