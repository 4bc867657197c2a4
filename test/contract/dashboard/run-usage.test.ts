import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importPracticeConnection } from '../../support/import-practice-connection.ts';
import { actionSource, saveFunction } from '../../support/server-workspace.ts';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { waitFor } from '../../support/wait-for.ts';
import { DashboardClient } from './dashboard-client.ts';

/** Computes for as long as the input says, then writes a line that the default level leaves out. */
const WORK = actionSource(`const until = Date.now() + input.ms;
    while (Date.now() < until);
    await nango.log('debug line', { level: 'debug' });
    return null;`);
const params = { integrationKey: 'practice', connectionId: 'me' };

let hub: InProcessServer;
let client: DashboardClient;
beforeAll(async () => {
  hub = await startInProcess();
  await importPracticeConnection(hub);
  await saveFunction(hub.workspace, 'practice/actions/work.ts', WORK);
  client = await DashboardClient.signIn({ url: hub.url, signIn: hub });
  await waitFor(async () => {
    const { data } = await client.call('GET /api/v1/functions');
    return data.some(({ name, version }) => name === 'work' && version !== null) || undefined;
  });
});
afterAll(() => hub?.stop());

/** The operation of a run, once it has ended, and the lines that the function wrote. */
async function run(ms: number, nth: number) {
  const answer = await fetch(`${hub.url}/action/trigger`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${hub.secretKey}`,
      'content-type': 'application/json',
      'connection-id': 'me',
      'provider-config-key': 'practice',
    },
    body: JSON.stringify({ action_name: 'work', input: { ms } }),
  });
  expect(answer.status).toBe(200);
  const operation = await waitFor(async () => {
    const { data } = await client.call('GET /api/v1/logs/operations', {
      query: { syncs: 'work', types: 'action', sort: '-time' },
    });
    return data.length === nth && data[0]?.endedAt ? data[0] : undefined;
  });
  const { data } = await client.call('GET /api/v1/logs/messages', {
    query: { operationId: operation.id, sources: 'user' },
  });
  return { operation, lines: data.map(({ message }) => message) };
}

describe('a run in the log', () => {
  it('says what it took of the processor, and of memory where it took a while', async () => {
    const long = await run(150, 1);
    const short = await run(0, 2);

    expect(long.operation.cpuMs).toBeGreaterThan(50);
    expect(long.operation.memoryBytes).toBeGreaterThan(1_000_000);
    expect(short.operation.cpuMs).toBeGreaterThan(0);
    const { data } = await client.call('GET /api/v1/functions');
    expect(data.find(({ name }) => name === 'work')?.week).toMatchObject({ runs: 2, succeeded: 2 });
  });

  it('keeps the lines that the level of its connection lets through', async () => {
    const PATCH = 'PATCH /api/v1/connections/:integrationKey/:connectionId';
    const before = await run(0, 3);
    await client.call(PATCH, { params, body: { logLevel: 'debug' } });
    const with_ = await run(0, 4);

    expect(before.lines).toEqual([]);
    expect(with_.lines).toEqual(['debug line']);
    expect(
      await client.call('GET /api/v1/logs/operations/:operationId', { params: { operationId: with_.operation.id } }),
    ).toMatchObject({ recordedLevel: 'debug' });
  });
});
