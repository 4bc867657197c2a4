import { saveFunction } from '../../support/server-workspace.ts';
import { waitFor } from '../../support/wait-for.ts';
import { syncState, waitForSync } from '../../support/wait-for-sync.ts';
import type { BenchCase, BenchRow, BenchScale } from '../bench-case.ts';
import { BENCH_INTEGRATION, type BenchServer, startBenchServer } from '../bench-server.ts';
import { alternate, median } from '../measure.ts';

const MAX_RATIO = 2;
const IMPORTS_AT_ONCE = 8;
const MEASURED_PER_ROUND = 10;
const SYNC = 'told';
/** A webhook of the provider from `startBenchServer` contains the metadata `formId` (it uses Fillout's routing). */
const formOf = (connectionId: string): string => `form-${connectionId}`;

interface Growth {
  connections: number;
  functions: number;
}

interface Workspace {
  bench: BenchServer;
  webhookUrl: string;
  imported: number;
}

/**
 * An incoming webhook, a run of a sync and an import, in an integration with many objects, compared with a small one: the
 * amount of data they read must not grow with it.
 */
export const workspaceGrowthCase: BenchCase = {
  name: 'workspace-growth',
  run: async (scale) => {
    const { growthConnections: connections, growthFunctions: functions } = scale;
    const small = await startWorkspace({ connections: 0, functions: 0 });
    try {
      const rows: BenchRow[] = [];
      for (const growth of [
        { connections, functions: 0 },
        { connections: 0, functions },
        { connections, functions },
      ])
        rows.push(...(await compare(scale, growth, small)));
      return rows;
    } finally {
      await small.bench.stop();
    }
  },
};

async function compare({ rounds }: BenchScale, growth: Growth, small: Workspace): Promise<BenchRow[]> {
  const grown = await startWorkspace(growth);
  const measured = { webhook: timeWebhook, 'sync run': timeSyncRun, import: timeImport };
  try {
    const rows: BenchRow[] = [];
    for (const [name, measure] of Object.entries(measured)) {
      const several = async (workspace: Workspace): Promise<number> => {
        const times: number[] = [];
        for (let index = 0; index < MEASURED_PER_ROUND; index++) times.push(await measure(workspace));
        return median(times);
      };
      await several(grown);
      await several(small);
      const result = await alternate(
        rounds,
        () => several(grown),
        () => several(small),
      );
      rows.push({
        what: `${name}, +${growth.connections} connections, +${growth.functions} functions (small workspace)`,
        unit: 'ms',
        ...result,
        goal: `≤ ${MAX_RATIO.toFixed(2)}×`,
        isMet: result.ours <= result.baseline * MAX_RATIO,
      });
    }
    return rows;
  } finally {
    await grown.bench.stop();
  }
}

/** One sync, one action and one connection, and the given number of further objects. */
async function startWorkspace({ connections, functions }: Growth): Promise<Workspace> {
  const bench = await startBenchServer();
  try {
    const { server, connection } = bench;
    await saveFunction(server.workspace, `${BENCH_INTEGRATION}/syncs/${SYNC}.ts`, toldSync());
    const names = Array.from({ length: functions + 1 }, (_, index) => `action-${index}`);
    for (const name of names)
      await saveFunction(server.workspace, `${BENCH_INTEGRATION}/actions/${name}.ts`, typicalAction(name));
    const isLive = async (): Promise<boolean> => {
      const configs = (await connection.nango.getScriptsConfig()) as Array<{ actions: unknown[]; syncs: unknown[] }>;
      const [own] = configs;
      return own?.actions.length === names.length && own.syncs.length === 1;
    };
    await waitFor(isLive, { limitMs: 300_000, what: `${names.length} functions` });

    const ids = Array.from({ length: connections }, (_, index) => `c-${index}`).values();
    const importAll = async (): Promise<void> => {
      for (const id of ids) await connect(bench, id);
    };
    await Promise.all(Array.from({ length: IMPORTS_AT_ONCE }, importAll));
    await connect(bench, 'measured');
    await waitFor(() => syncState({ ...connection, connectionId: 'measured' }, SYNC), { what: 'the sync' });
    const { data } = await connection.nango.getIntegration({ uniqueKey: BENCH_INTEGRATION }, { include: ['webhook'] });
    return { bench, webhookUrl: data.webhook_url ?? '', imported: 0 };
  } catch (error) {
    await bench.stop();
    throw error;
  }
}

async function connect(bench: BenchServer, connectionId: string): Promise<void> {
  await bench.connect(connectionId, { metadata: { formId: formOf(connectionId) } });
}

/** Waits for the response to the provider and then for the end of the handler's run, which would disturb the next figure. */
async function timeWebhook({ bench, webhookUrl }: Workspace): Promise<number> {
  const body = JSON.stringify({ type: 'changed', formId: formOf('measured') });
  const run = await countedRun(bench);
  const startedAt = performance.now();
  const response = await fetch(webhookUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  await response.text();
  const elapsedMs = performance.now() - startedAt;
  if (response.status !== 200) throw new Error(`the webhook was answered ${response.status}`);
  await run.isOver();
  return elapsedMs;
}

async function timeSyncRun({ bench }: Workspace): Promise<number> {
  const run = await countedRun(bench);
  const startedAt = performance.now();
  await bench.connection.nango.triggerSync(BENCH_INTEGRATION, [SYNC], 'measured');
  await run.isOver();
  return performance.now() - startedAt;
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

async function timeImport(workspace: Workspace): Promise<number> {
  const id = `imported-${workspace.imported++}`;
  const startedAt = performance.now();
  await connect(workspace.bench, id);
  return performance.now() - startedAt;
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

/** With schemas of a usual size. */
function typicalAction(name: string): string {
  const fields = Array.from({ length: 18 }, (_, index) => `field_${index}: z.string().describe('Field ${index}'),`);
  return `import { createAction } from 'homeport';
import * as z from 'zod';

export default createAction({
  description: 'Answers ${name}',
  version: '1.0.0',
  input: z.object({ ${fields.join(' ')} }),
  output: z.object({ ${fields.join(' ')} }),
  exec: async (_nango, input) => input,
});
`;
}
