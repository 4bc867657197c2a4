import { join } from 'node:path';
import autocannon from 'autocannon';
import { Database } from '../../../server/platform/database/database.ts';
import type { BenchCase } from '../bench-case.ts';
import { BENCH_INTEGRATION, startBenchServer } from '../bench-server.ts';

const RATE = 500;
const SECONDS_PER_ROUND = 4;

/** Webhooks of a provider at a steady rate: each is answered, and each is stored. */
export const webhookBurstCase: BenchCase = {
  name: 'webhook-burst',
  run: async ({ rounds }) => {
    const bench = await startBenchServer();
    try {
      const { data } = await bench.connection.nango.getIntegration(
        { uniqueKey: BENCH_INTEGRATION },
        { include: ['webhook'] },
      );
      const { requests, duration, non2xx, errors } = await autocannon({
        url: data.webhook_url ?? '',
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ type: 'changed', formId: 'nobody' }),
        connections: 50,
        overallRate: RATE,
        duration: rounds * SECONDS_PER_ROUND,
      });
      await bench.server.end();
      const kept = await countKept(join(bench.server.home, 'homeport.db'));
      await bench.server.restart();
      const failed = non2xx + errors;
      const lost = Math.max(0, requests.total - failed - kept);
      return [
        {
          what: 'webhooks taken a second, 50 at a time (sent)',
          unit: '/s',
          ours: requests.total / duration,
          baseline: RATE,
          goal: `≥ ${RATE}/s, none refused or lost (${failed} and ${lost})`,
          isMet: requests.total / duration >= RATE * 0.98 && failed === 0 && lost === 0,
        },
      ];
    } finally {
      await bench.stop();
    }
  },
};

async function countKept(file: string): Promise<number> {
  const database = await Database.open({ file });
  try {
    const row = await database.reader.get<{ count: number }>('SELECT COUNT(*) AS count FROM incoming_webhooks');
    return row?.count ?? 0;
  } finally {
    await database.close();
  }
}
