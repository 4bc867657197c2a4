import { startBaseline } from '../baseline-process.ts';
import type { BenchCase } from '../bench-case.ts';
import { BENCH_OAUTH, startBenchServer } from '../bench-server.ts';
import { alternate, medianLatency, throughput } from '../measure.ts';

/** `GET /proxy/…` compared with an Express route that relays the same response of the same provider. */
export const proxyCase: BenchCase = {
  name: 'proxy',
  run: async ({ rounds, seconds, requests }) => {
    const bench = await startBenchServer();
    const relay = await startBaseline('relay-server', [bench.upstream.url]);
    try {
      const ours = bench.target('/proxy/hello');
      const bare = { url: `${relay.url}/relay/hello` };
      const load = await alternate(
        rounds,
        () => throughput(ours, seconds),
        () => throughput(bare, seconds),
      );
      const oauth = bench.target('/proxy/hello', undefined, BENCH_OAUTH);
      const oauthLoad = await alternate(
        rounds,
        () => throughput(oauth, seconds),
        () => throughput(bare, seconds),
      );
      const latency = await alternate(
        rounds,
        () => medianLatency(ours, requests),
        () => medianLatency(bare, requests),
      );
      const addedMs = latency.ours - latency.baseline;
      return [
        {
          what: 'proxy GET, 10 at a time',
          unit: '/s',
          ...load,
          goal: '≥ 0.50×',
          isMet: load.ours >= load.baseline * 0.5,
        },
        {
          what: 'proxy GET of OAuth 2, 10 at a time',
          unit: '/s',
          ...oauthLoad,
          goal: '≥ 0.50×',
          isMet: oauthLoad.ours >= oauthLoad.baseline * 0.5,
        },
        { what: 'proxy GET, p50 alone', unit: 'ms', ...latency, goal: '≤ 1 ms added', isMet: addedMs <= 1 },
      ];
    } finally {
      await relay.stop();
      await bench.stop();
    }
  },
};
