import type { BenchCase } from '../bench-case.ts';
import { shareAtLeast, shown } from '../bench-row.ts';
import { BENCH_INTEGRATION, BENCH_OAUTH, startBenchServer } from '../bench-server.ts';
import { alternate, medianLatency, throughput } from '../measure.ts';

const CALLERS = [1, 10, 50];

/** `GET /connections/:id` with opened credentials, compared with a bare Express JSON response. */
export const getConnectionCase: BenchCase = {
  name: 'connection',
  run: async ({ rounds, seconds, requests }) => {
    const bench = await startBenchServer();
    try {
      const hello = { url: `${bench.upstream.url}/hello` };
      const targetOf = (integration: string) => bench.target(`/connections/one?provider_config_key=${integration}`);
      const ours = targetOf(BENCH_INTEGRATION);
      const loadOf = (target: typeof ours, callers: number) =>
        alternate(
          rounds,
          () => throughput(target, seconds, callers),
          () => throughput(hello, seconds, callers),
        );
      const rows = [];
      for (const callers of CALLERS)
        rows.push(shareAtLeast(`GET /connections/:id, ${callers} at a time`, await loadOf(ours, callers), 1));
      rows.push(shareAtLeast('the same of OAuth 2, 10 at a time', await loadOf(targetOf(BENCH_OAUTH), 10), 1));
      const latency = await alternate(
        rounds,
        () => medianLatency(ours, requests),
        () => medianLatency(hello, requests),
      );
      return [...rows, shown('GET /connections/:id, p50 alone', latency)];
    } finally {
      await bench.stop();
    }
  },
};
