import { saveFunction } from '../../support/server-workspace.ts';
import { waitFor } from '../../support/wait-for.ts';
import { syncState, waitForSync } from '../../support/wait-for-sync.ts';
import { BENCH_INTEGRATION, type BenchServer, startBenchServer } from '../bench-server.ts';
import { medianLatency } from '../measure.ts';
import { memoryOf } from '../process-memory.ts';
import { busyMs, medianOf, startAgain, timed } from './grown-hub.ts';
import type { GrowthCase } from './growth-case.ts';

const SYNC = 'told';
const IMPORTS_AT_ONCE = 10;
/** A webhook of the provider from `startBenchServer` contains the metadata `formId` (it uses Fillout's routing). */
const formOf = (connectionId: string): string => `form-${connectionId}`;

/** Connections of one integration, each with a sync that is paused. */
export const connectionsGrowth: GrowthCase = {
  of: 'connections with a paused sync',
  sizesOf: ({ growthConnections: most }) => [10, Math.ceil(most / 10), most * 3],
  open: async ({ idleMs, requests, rounds }) => {
    const bench = await startBenchServer();
    const { connection, server } = bench;
    await saveFunction(server.workspace, `${BENCH_INTEGRATION}/syncs/${SYNC}.ts`, toldSync());
    const add = (id: string) => bench.connect(id, { metadata: { formId: formOf(id) } });
    await add('measured');
    await waitFor(() => syncState({ ...connection, connectionId: 'measured' }, SYNC), { what: 'the sync' });
    const { data } = await connection.nango.getIntegration({ uniqueKey: BENCH_INTEGRATION }, { include: ['webhook'] });
    let imported = 0;
    const importUpTo = async (size: number): Promise<void> => {
      while (imported < size) await add(`c-${imported++}`);
    };
    const read = bench.target(`/connections/one?provider_config_key=${BENCH_INTEGRATION}`);
    const several = (measure: () => Promise<number>) => medianOf(rounds * 3, measure);
    return {
      grow: async (size) => {
        await Promise.all(Array.from({ length: IMPORTS_AT_ONCE }, () => importUpTo(size)));
      },
      measures: [
        { what: 'start', unit: 'ms', measure: () => startAgain(server, rounds) },
        { what: 'memory, idle after a start', unit: 'MB', measure: () => memoryOf(server, idleMs) },
        { what: 'processor time in a second, idle', unit: 'ms', measure: () => busyMs(server, idleMs) },
        { what: 'GET /connections/:id, p50', unit: 'ms', measure: () => medianLatency(read, requests) },
        {
          what: 'list of 100 with a search',
          unit: 'ms',
          measure: () => medianLatency(bench.target('/connections?search=c-7&limit=100'), rounds * 3),
        },
        { what: 'an import', unit: 'ms', measure: () => several(() => timed(() => add(`one-more-${imported++}`))) },
        { what: 'a run of a sync', unit: 'ms', measure: () => several(() => timeSyncRun(bench)) },
        { what: 'a webhook', unit: 'ms', measure: () => several(() => timeWebhook(bench, data.webhook_url ?? '')) },
      ],
      stop: () => bench.stop(),
    };
  },
};

/** Waits for the response to the provider and then for the end of the handler's run, which would disturb the next figure. */
async function timeWebhook(bench: BenchServer, url: string): Promise<number> {
  const body = JSON.stringify({ type: 'changed', formId: formOf('measured') });
  const run = await countedRun(bench);
  const elapsedMs = await timed(async () => {
    const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    await response.text();
    if (response.status !== 200) throw new Error(`the webhook was answered ${response.status}`);
  });
  await run.isOver();
  return elapsedMs;
}

async function timeSyncRun(bench: BenchServer): Promise<number> {
  const run = await countedRun(bench);
  return timed(async () => {
    await bench.connection.nango.triggerSync(BENCH_INTEGRATION, [SYNC], 'measured');
    await run.isOver();
  });
}

async function countedRun({ connection }: BenchServer): Promise<{ isOver(): Promise<unknown> }> {
  const measured = { ...connection, connectionId: 'measured' };
  const before = await syncState(measured, SYNC);
  return {
    isOver: () =>
      waitForSync(
        measured,
        SYNC,
        (state) => state.latestExecutionStatus === 'SUCCESS' && state.finishedAt !== before?.finishedAt,
      ),
  };
}

function toldSync(): string {
  return `import { createSync } from 'homeport';
import * as z from 'zod';

export default createSync({
  description: 'Takes webhooks',
  version: '1.0.0',
  frequency: 'every day',
  autoStart: false,
  webhookSubscriptions: ['changed'],
  models: { Item: z.object({ id: z.string() }) },
  exec: async (nango) => {
    await nango.batchSave([{ id: 'one' }], 'Item');
  },
  onWebhook: async (nango) => {
    await nango.batchSave([{ id: 'one' }], 'Item');
  },
});
`;
}
