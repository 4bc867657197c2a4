import type { BenchCase } from '../bench-case.ts';
import { BENCH_INTEGRATION, BENCH_OAUTH, startBenchServer } from '../bench-server.ts';
import { alternate, medianLatency, throughput } from '../measure.ts';

/** `GET /connections/:id` with opened credentials, compared with a bare Express JSON response. */
export const getConnectionCase: BenchCase = {
  name: 'connection',
  run: async ({ rounds, seconds, requests }) => {
    const bench = await startBenchServer();
    try {
      const ours = bench.target(`/connections/one?provider_config_key=${BENCH_INTEGRATION}`);
      const hello = { url: `${bench.upstream.url}/hello` };
      const oauth = bench.target(`/connections/one?provider_config_key=${BENCH_OAUTH}`);
      const load = await alternate(
        rounds,
        () => throughput(ours, seconds),
        () => throughput(hello, seconds),
      );
      const oauthLoad = await alternate(
        rounds,
        () => throughput(oauth, seconds),
        () => throughput(hello, seconds),
      );
      const latency = await alternate(
        rounds,
        () => medianLatency(ours, requests),
        () => medianLatency(hello, requests),
      );
      return [
        {
          what: 'GET /connections/:id, 10 at a time',
          unit: '/s',
          ...load,
          goal: '≥ 0.60×',
          isMet: load.ours >= load.baseline * 0.6,
        },
        {
          what: 'GET /connections/:id of OAuth 2, 10 at a time',
          unit: '/s',
          ...oauthLoad,
          goal: '≥ 0.60×',
          isMet: oauthLoad.ours >= oauthLoad.baseline * 0.6,
        },
        { what: 'GET /connections/:id, p50 alone', unit: 'ms', ...latency, goal: '' },
      ];
    } finally {
      await bench.stop();
    }
  },
};
