import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MovableClock } from '../../support/movable-clock.ts';
import { syncSource } from '../../support/server-workspace.ts';
import { waitFor } from '../../support/wait-for.ts';
import { DashboardClient } from '../dashboard/dashboard-client.ts';
import { type ScriptedHub, startScriptedHub } from './scripted-hub.ts';

const HANDLER = syncSource('return;')
  .replace('exec:', `webhookSubscriptions: ['*'],\n  exec:`)
  .replace(
    /\},\n\}\);\n$/,
    `},\n  onWebhook: async (nango) => {
    await nango.get({ endpoint: '/gate' });
  },\n});\n`,
  );
/** Handlers of one function that run at once with the default memory for functions. */
const SLOTS = 7;
const START_WITHIN_MS = 5 * 60_000;
const ONE = { targets: [{ property: 'connectionId', value: 'one' }] };

let hub: ScriptedHub;
const clock = new MovableClock();

beforeAll(async () => {
  hub = await startScriptedHub({ files: { 'asks.ts': HANDLER }, clock });
  await hub.addConnection('one');
});
afterAll(() => hub?.stop());

/** Lets time pass in which the computer does not sleep: the scheduler looks at the clock every few seconds. */
async function passAwake(ms: number): Promise<void> {
  const client = await DashboardClient.signIn({ url: hub.server.url, signIn: hub.server });
  const eachMs = 9_000;
  for (let passed = 0; passed < ms; passed += eachMs) {
    clock.skip(eachMs);
    // Wakes the scheduler; the write after it waits for the scheduler's transaction.
    await client.call('POST /api/v1/schedules/resume', { body: {} });
    await hub.api.send('POST /connections/metadata', {
      body: { provider_config_key: 'scripted', connection_id: 'one', metadata: { passed } },
    });
  }
}

describe('a handler that finds no slot', () => {
  it('is stopped after five minutes, and reported in the log, the inspector and to the application', async () => {
    let begun = 0;
    let letGo: () => void = () => {};
    const gate = new Promise<{ body: object }>((resolve) => {
      letGo = () => resolve({ body: {} });
    });
    hub.provider.on('GET /gate', () => {
      begun += 1;
      return gate;
    });
    for (let slot = 0; slot < SLOTS; slot += 1) await hub.send(ONE);
    await waitFor(() => begun === SLOTS, { what: 'all places taken' });
    await hub.send(ONE);

    await passAwake(START_WITHIN_MS + 10_000);
    const [webhook] = await hub.receiver.webhooks(1, ({ type }) => type === 'sync');
    letGo();

    expect(webhook).toMatchObject({
      syncName: 'asks',
      syncType: 'WEBHOOK',
      success: false,
      model: '',
      error: { type: 'script_error', description: expect.stringContaining('five minutes') },
    });
    const client = await DashboardClient.signIn({ url: hub.server.url, signIn: hub.server });
    const rows = await waitFor(async () => {
      const { data } = await client.call('GET /api/v1/webhooks/incoming');
      return data.every(({ runs }) => runs.every(({ endedAt }) => endedAt !== null)) ? data : undefined;
    });
    const states = rows.map(({ runs }) => runs[0]?.state);
    expect(states).toEqual(['expired', ...Array(SLOTS).fill('success')]);
    const params = { operationId: rows[0]?.runs[0]?.operationId ?? '' };
    const operation = await client.call('GET /api/v1/logs/operations/:operationId', { params });
    expect(operation).toMatchObject({ state: 'timeout', connectionName: 'one', syncConfigName: 'asks' });
    expect(begun).toBe(SLOTS);
  });
});
