import { systemClock } from '../../server/lib/clock.ts';
import type { LogMessage, OperationStart } from '../../server/services/logs/operation.ts';
import { setUpLogs } from '../integration/logs/logs-setup.ts';

/**
 * Answers of the log over many operations with three messages each; the goal is 200 ms (ui.md 16.1).
 *
 *   node test/bench/logs-query.bench.ts [operations]      (333334 for a million messages)
 */
const OPERATIONS = Number(process.argv[2] ?? 100_000);
const PERIOD_MS = 14 * 86_400_000;
const GOAL_MS = 200;
const ROUNDS = 5;

const startMs = systemClock.now() - PERIOD_MS;
let offsetMs = 0;
const clock = { ...systemClock, now: () => startMs + offsetMs };

const STARTS: Array<Pick<OperationStart, 'type' | 'action'>> = [
  { type: 'proxy', action: 'call' },
  { type: 'sync', action: 'run' },
  { type: 'action', action: 'run' },
  { type: 'webhook', action: 'incoming' },
];

function messagesOf(index: number): LogMessage[] {
  const url = `https://api.example.com/items/${index}?page=${index % 50}`;
  return [
    { level: 'debug', message: `Preparing request number ${index}` },
    {
      level: 'info',
      type: 'http',
      message: `GET ${url}`,
      durationMs: 12.5,
      request: { method: 'GET', url, headers: { accept: 'application/json', authorization: 'Bearer x' } },
      response: { code: 200, headers: { 'content-type': 'application/json', 'x-request-id': `r-${index}` } },
    },
    { level: 'warn', message: index % 1_000 === 0 ? 'rare needle in the haystack' : 'The provider answered slowly' },
  ];
}

const { logs, close } = await setUpLogs({ clock });

async function fill(): Promise<void> {
  let callerMs = 0;
  const began = performance.now();
  for (let index = 0; index < OPERATIONS; index += 1) {
    offsetMs = (index / OPERATIONS) * PERIOD_MS;
    const before = performance.now();
    const operation = logs.start({
      environmentId: 1,
      ...(STARTS[index % STARTS.length] as (typeof STARTS)[0]),
      message: `Operation ${index}`,
      integrationKey: `integration-${index % 40}`,
      providerName: 'example',
      connectionId: `connection-${index % 2_000}`,
      functionName: `function-${index % 100}`,
      secrets: ['a-secret-access-token'],
      meta: { attempt: 1, source: 'bench' },
    });
    for (const message of messagesOf(index)) operation.log(message);
    offsetMs += index % 5_000;
    operation.finish(index % 20 === 0 ? 'failed' : 'success');
    callerMs += performance.now() - before;
    if (index % 500 === 499) await logs.flush();
  }
  await logs.flush();
  const tookMs = performance.now() - began;
  console.log(`fill: ${Math.round(OPERATIONS / (tookMs / 1_000))} operations/s with 3 messages each`);
  console.log(`caller: ${((callerMs / OPERATIONS) * 1_000).toFixed(1)} µs per operation with 3 messages`);
}

async function measure(name: string, work: () => Promise<unknown>): Promise<void> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const began = performance.now();
    await work();
    times.push(performance.now() - began);
  }
  const worst = Math.max(...times);
  const median = times.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? 0;
  const verdict = worst <= GOAL_MS ? 'ok' : `OVER ${GOAL_MS} ms`;
  console.log(
    `${name.padEnd(38)} median ${median.toFixed(1).padStart(7)} ms   worst ${worst.toFixed(1).padStart(7)} ms   ${verdict}`,
  );
}

await fill();
const all = { environmentId: 1, limit: 200 };
const list = (name: string, query: object): Promise<void> =>
  measure(name, () => logs.listOperations({ ...all, ...query }));
await list('no filter', {});
await list('last 24 hours', { from: clock.now() - 86_400_000 });
await list('last page', { offset: OPERATIONS - 200 });
await list('state failed', { states: ['failed'] });
await list('types sync, action:run', { types: ['sync', 'action:run'] });
await list('one integration', { integrations: ['integration-7'] });
await list('one connection', { connections: ['connection-77'] });
await list('state, type, function', { states: ['failed'], types: ['proxy'], functions: ['function-20'] });
await list('query: exclusions and duration', { search: '-integration:integration-7 -state:success duration>2s' });
await list('query: everything but a word', { search: '-slowly type:sync' });
await list('by duration', { sort: 'duration' });
await list('by duration, middle', { sort: 'duration', offset: OPERATIONS / 2 });
await list('search a rare word', { search: 'needle' });
await list('search a word everywhere', { search: 'operation' });
await list('search a word of every message', { search: 'provider' });
await list('search a prefix of one connection', { search: 'connection-77' });
await list('search two words and a state', { search: 'slowly integration-7', states: ['failed'] });
const period = { from: startMs, to: clock.now() };
await measure('histogram', () => logs.getHistogram({ environmentId: 1, ...period }));
await measure('histogram of failed', () => logs.getHistogram({ environmentId: 1, ...period, states: ['failed'] }));
await measure('histogram of a query', () =>
  logs.getHistogram({ environmentId: 1, ...period, search: '-type:proxy duration>1s' }),
);
await measure('histogram of a word', () => logs.getHistogram({ environmentId: 1, ...period, search: 'provider' }));
await measure('insights', () => logs.getInsights(1, 'sync:run'));
await measure('filter values: connection', () => logs.listFilterValues({ environmentId: 1, category: 'connection' }));
await measure('filter values: search', () =>
  logs.listFilterValues({ environmentId: 1, category: 'function', search: '7' }),
);
await close();
