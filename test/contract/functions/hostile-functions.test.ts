// @module-tag slow
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { residentMegabytes } from '../../bench/process-memory.ts';
import { type FunctionHubProcess, type HubResponse, startFunctionHubProcess } from '../../support/function-hub.ts';
import { nightlyEach } from '../../support/nightly-each.ts';
import { actionSource, saveFunction } from '../../support/server-workspace.ts';
import { waitFor } from '../../support/wait-for.ts';
import { watchHealth } from '../../support/watch-health.ts';

const MEBIBYTE = 1024 * 1024;
/** The sum of the memory limits of all runs: eight runs. */
const GRANTED_MB = 2048;
/** isolated-vm ends an isolate late, at up to twice its limit; the hub itself and a few large responses are added. */
const MAX_MB = 2 * GRANTED_MB + 1500;
/** Memory of all processes above the value before the test, within this time after the last run. */
const MAX_KEPT_MB = 150;
const REST_MS = 30_000;
const ORDINARY_CALLS = 5;

/** The attack of each function, and the number of concurrent calls. */
const HOSTILE = {
  timers: { calls: 2, body: 'for (;;) clearTimeout(setTimeout(() => {}, 1e9));' },
  'waiting-timers': { calls: 2, body: 'for (;;) try { setTimeout(() => {}, 1e9) } catch {}' },
  'held-answers': {
    calls: 2,
    body: `const ask = () => nango.get({ endpoint: '/big' }).catch(() => {});
      for (let n = 0; n < 100; n++) ask();
      await new Promise((resolve) => setTimeout(resolve, 100));
      for (;;) {}`,
  },
  'big-errors': {
    calls: 2,
    body: `for (;;) await Promise.all(Array.from({ length: 100 }, () => nango.get({ endpoint: '/big-error' }).catch(() => {})));`,
  },
  fork: { calls: 1, body: `await Promise.allSettled(Array.from({ length: 100 }, () => nango.triggerAction('fork')));` },
  bomb: { calls: 60, body: `const kept = []; for (;;) kept.push(new Array(100000).fill(kept.length));` },
  'log-flood': { calls: 4, body: `for (;;) await nango.log('x'.repeat(1000));` },
  'log-flood-at-once': {
    calls: 4,
    body: `const write = async () => { await nango.log('x'.repeat(1000)); }; for (;;) { for (let n = 0; n < 5000; n++) write(); await 0; }`,
  },
  'big-clones': { calls: 4, body: `const text = 'x'.repeat(60e6); for (;;) try { structuredClone(text) } catch {}` },
  'big-hashes': {
    calls: 4,
    body: `const data = Buffer.alloc(60e6); for (;;) try { createHash('sha256').update(data).digest() } catch {}`,
  },
  'shared-graphs': {
    calls: 8,
    body: `let graph: any = 1;
      for (let n = 0; n < 60; n++) graph = { l: graph, r: graph };
      (globalThis as any).ArrayBuffer = { [Symbol.hasInstance]: () => true };
      JSON.stringify = (() => '{}') as any;
      JSON.parse = (() => graph) as any;
      await Promise.allSettled([nango.setMetadata({ a: 1 }), nango.saveCheckpoint(graph), nango.log(graph), nango.post({ endpoint: '/x', data: graph, headers: graph })]);
      throw new nango.ActionError(graph);`,
  },
  'lost-results': {
    calls: 8,
    body: `Object.defineProperty(Object.prototype, 'then', { value: () => {} });
      Array.prototype[Symbol.iterator] = function* () { for (;;) yield {} as any; };
      return { a: 1 };`,
  },
  'huge-errors': { calls: 3, body: `throw new Error('x'.repeat(50 * 1024 * 1024));` },
  'huge-payloads': { calls: 3, body: `throw new nango.ActionError({ text: 'x'.repeat(50 * 1024 * 1024) });` },
};
const FILES = Object.fromEntries(
  Object.entries(HOSTILE).map(([name, { body }]) => [
    `actions/${name}.ts`,
    `import { createHash } from 'node:crypto';\n${actionSource(body)}`,
  ]),
);
/** Each is nearly as large as a response may be; two of them exceed what may be stored. */
const LARGE_RESPONSES = 3;
const LARGE = {
  'actions/large.ts': actionSource(`
    const lengthOf = () => nango.get({ endpoint: '/big' }).then(({ data }) => data.length, (error) => error.code);
    return Promise.all(Array.from({ length: ${LARGE_RESPONSES} }, lengthOf));`),
};

let hub: FunctionHubProcess;
let idleMb: number;

beforeAll(async () => {
  const response = Buffer.alloc(90 * MEBIBYTE, 'x');
  hub = await startFunctionHubProcess(
    { ...FILES, ...LARGE },
    {
      env: { HOMEPORT_FUNCTION_MEMORY_MB: String(GRANTED_MB) },
      prepare: (provider) =>
        provider
          .on('GET /big', { headers: { 'content-type': 'text/plain' }, body: response })
          .on('GET /big-error', { status: 400, headers: { 'content-type': 'text/plain' }, body: response }),
    },
  );
  await saveFunction(hub.server.workspace, 'ordinary/actions/quick.ts', actionSource(`return 'done';`));
  await hub.call('POST', '/integrations', { body: { provider: 'acme', unique_key: 'ordinary' } });
  await hub.addConnection('ordinary-1', { provider_config_key: 'ordinary' });
  await waitFor(async () => (await callOrdinary()).status === 200);
  idleMb = await residentMb();
});
afterAll(() => hub?.stop());

function callOrdinary(): Promise<HubResponse> {
  const headers = { 'provider-config-key': 'ordinary', 'connection-id': 'ordinary-1' };
  return hub.call('POST', '/action/trigger', { body: { action_name: 'quick' }, headers });
}

const residentMb = async (): Promise<number> => (await residentMegabytes(hub.server.pid)) ?? 0;

/** Waits until the hub has released its memory. */
async function rest(): Promise<void> {
  const isAtRest = async (): Promise<boolean> => {
    expect(await residentMb()).toBeLessThan(idleMb + MAX_KEPT_MB);
    return true;
  };
  await waitFor(isAtRest, { limitMs: REST_MS, what: `the rest at ${Math.round(idleMb)} MB and a little` });
}

/** Calls ordinary actions one after the other; returns the most memory that all processes of the hub used meanwhile. */
async function callOrdinaryMeanwhile(): Promise<number> {
  let most = 0;
  for (let n = 0; n < ORDINARY_CALLS; n++) {
    expect(await callOrdinary()).toMatchObject({ status: 200, body: 'done' });
    most = Math.max(most, await residentMb());
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return most;
}

describe('hostile functions', () => {
  // First, because memory that the other cases leave behind would count as its own.
  it('get three answers of 90 MB at once, one after the other, and the hub gives the memory back', {
    tags: ['nightly'],
  }, async () => {
    const { status, body } = await hub.action('large');

    expect({ status, body }).toEqual({
      status: 200,
      body: Array.from({ length: LARGE_RESPONSES }, () => 90 * MEBIBYTE),
    });
    await rest();
  });

  const attacks = Object.entries(HOSTILE).map(([name, { calls }]) => [name, { name, calls }] as const);
  nightlyEach(attacks, 5)('leave the hub and other runs as they were: %s', async ({ name, calls }) => {
    const connectionId = `of-${name}`;
    await hub.addConnection(connectionId);
    const health = watchHealth(hub.server);
    const hostile = Array.from({ length: calls }, () => hub.action(name, {}, { 'connection-id': connectionId }));

    const megabytes = await callOrdinaryMeanwhile();
    // Ends all remaining runs on it.
    await hub.call('DELETE', `/connections/${connectionId}?provider_config_key=acme`);
    const responses = await Promise.all(hostile);
    const { failures } = await health.finish();

    expect(failures).toEqual([]);
    expect(megabytes).toBeLessThan(MAX_MB);
    for (const { status } of responses) expect(status).toBeGreaterThanOrEqual(400);
  });

  it('leave no memory behind', async () => {
    await rest();
  });
});
