import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { startBaseline } from '../baseline-process.ts';
import type { BenchCase, BenchRow } from '../bench-case.ts';
import { addedAtMost, atMost, shareAtLeast } from '../bench-row.ts';
import { BENCH_OAUTH, type BenchServer, startBenchServer } from '../bench-server.ts';
import { alternate, inTurn, latencies, medianLatency, throughput } from '../measure.ts';

/** Enough that the pages that are begun do not count. */
const CALLS_ON_DISK = 3_000;
const MAX_BYTES = 600;

/** `GET /proxy/…` compared with an Express route that relays the same response of the same provider. */
export const proxyCase: BenchCase = {
  name: 'proxy',
  run: async ({ rounds, seconds, requests }) => {
    const bench = await startBenchServer();
    const relay = await startBaseline('relay-server', [bench.upstream.url]);
    try {
      const ours = bench.target('/proxy/hello');
      const bare = { url: `${relay.url}/relay/hello` };
      const oauth = bench.target('/proxy/hello', undefined, BENCH_OAUTH);
      // Both kinds of credentials in the same rounds: they use the same code, so that a difference is one of the machine.
      const [ofKey = 0, ofOauth = 0, baseline = 0] = await inTurn(
        rounds,
        [ours, oauth, bare].map((target) => () => throughput(target, seconds)),
      );
      const many = await alternate(
        rounds,
        () => throughput(ours, seconds, 50),
        () => throughput(bare, seconds, 50),
      );
      const rows = [
        shareAtLeast('proxy GET, 10 at a time', { ours: ofKey, baseline }, 0.7),
        shareAtLeast('proxy GET of OAuth 2, 10 at a time', { ours: ofOauth, baseline }, 0.7),
        shareAtLeast('proxy GET, 50 at a time', many, 0.65),
      ];
      const latency = await alternate(
        rounds,
        () => medianLatency(ours, requests),
        () => medianLatency(bare, requests),
      );
      return [...rows, addedAtMost('proxy GET, p50 alone', latency, 1), await diskRow(bench)];
    } finally {
      await relay.stop();
      await bench.stop();
    }
  },
};

/** What a plain successful call adds to the database file: the row of the log with every index. */
async function diskRow(bench: BenchServer): Promise<BenchRow> {
  const sizeAfterStop = async (): Promise<number> => {
    // A clean stop writes the WAL into the file.
    await bench.server.end();
    return (await stat(join(bench.server.home, 'homeport.db'))).size;
  };
  const before = await sizeAfterStop();
  await bench.server.restart();
  let sent = 0;
  const { length } = await latencies(bench.target('/proxy/hello'), () => sent++ < CALLS_ON_DISK);
  const bytes = ((await sizeAfterStop()) - before) / length;
  await bench.server.restart();
  return atMost('bytes of database for a proxied call, all indexes', { ours: bytes }, MAX_BYTES, '');
}
