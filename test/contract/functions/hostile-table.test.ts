// @module-tag slow
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOSTILE_DEFINITIONS, HOSTILE_START, HOSTILE_VALUES } from '../../integration/sandbox/hostile-tables.ts';
import { type FunctionHubProcess, startFunctionHubProcess } from '../../support/function-hub.ts';
import { nightlyEach } from '../../support/nightly-each.ts';
import { actionSource, saveFunction, syncSource } from '../../support/server-workspace.ts';
import { waitFor } from '../../support/wait-for.ts';
import { watchHealth } from '../../support/watch-health.ts';

/** An ordinary action and `/health` beside the runs of a row; a busy machine needs a part of it. */
const LONGEST_CALL_MS = 10_000;
const LONGEST_HEALTH_MS = 5_000;
/** The runs of a row are ended after this time. */
const LONGEST_ROW_MS = 3_000;

/** The names of what `nango` can do in this kind of function. */
const NAMES = `
  const names = new Set<string>();
  for (let one: any = nango; one && one !== Object.prototype; one = Object.getPrototypeOf(one))
    for (const name of Object.getOwnPropertyNames(one)) if (name !== 'constructor') names.add(name);
  const members = [...names].filter((name) => typeof (nango as any)[name] === 'function');`;

/** Calls each member of `nango` with a hostile value at every place, and waits for none. */
const callMembers = (value: string, wanted: string): string => `${NAMES}
  const make: any = () => (${value.replaceAll('Object.assign(new Error', 'Object.assign(new (Error as any)')});
  const any: any = nango;
  for (const name of ${wanted}) {
    const lists: Array<() => any[]> = [
      () => [make()],
      () => ['text', make()],
      () => [make(), make()],
      () => [[make()], 'Item', make()],
      () => [{ endpoint: make(), data: 1 }],
      () => [{ endpoint: '/x', method: make(), headers: make(), params: make(), data: make(), retryOn: make(), paginate: make() }],
      () => [{ endpoint: '/x', headers: { a: make() }, params: { a: make() }, data: { a: make() }, retries: make() }],
    ];
    for (const list of lists) {
      try {
        const result: any = any[name](...list());
        if (typeof result?.next === 'function') result.next().catch(() => {});
        result?.catch?.(() => {});
      } catch {}
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  return 'over';`;

const MEMBERS = actionSource(`${NAMES}
  return members;`);

const hostileModule = (code: string): string => `// @ts-nocheck
import { createAction } from 'homeport';
import * as imported from 'zod';
const zod = imported;
${HOSTILE_START}
try { ${code} } catch {}
export default createAction({ description: 'hostile', input: imported.any(), output: imported.any(), exec: async () => {} });
`;
const victim = (copy: number): string => `
import { createSync } from 'homeport';
import * as z from 'zod';
export default createSync({
  description: 'victim', version: '1.0.0', frequency: 'every hour', autoStart: false,
  endpoints: [{ method: 'GET', path: '/victims${copy}' }], models: { Victim${copy}: z.object({ id: z.string() }) },
  exec: async () => {},
});
`;

const rows = Object.entries(HOSTILE_VALUES);
const VICTIMS = [1, 2, 3, 4];
const FILES = {
  'actions/members.ts': MEMBERS,
  ...Object.fromEntries(
    rows.flatMap(([, value], at) => [
      [`actions/value-${at}.ts`, actionSource(callMembers(value, '(input as any).members'))],
      [
        `syncs/value-in-sync-${at}.ts`,
        syncSource(callMembers(value, 'members').replace(`return 'over';`, '')).replaceAll('Item', `Item${at}`),
      ],
    ]),
  ),
};
/** Read together with those that they would like to change. */
const MODULES = Object.fromEntries(
  HOSTILE_DEFINITIONS.map(([, code], at) => [`actions/module-${at}.ts`, hostileModule(code)]),
);
const OTHERS = Object.fromEntries(VICTIMS.map((copy) => [`syncs/victim-${copy}.ts`, victim(copy)]));

let hub: FunctionHubProcess;
let members: string[];

beforeAll(async () => {
  hub = await startFunctionHubProcess({}, { prepare: (provider) => provider.on('GET /x', { body: {} }) });
  for (const [path, source] of Object.entries({ ...MODULES, ...OTHERS, ...FILES }))
    await saveFunction(hub.server.workspace, `acme/${path}`, source);
  const wanted = Object.keys({ ...OTHERS, ...FILES }).map((path) => path.replace(/^.*\/|\.ts$/g, ''));
  await waitFor(
    async () => {
      const live = new Set((await definitions()).map(({ name }) => name));
      expect(wanted.filter((name) => !live.has(name))).toEqual([]);
      return true;
    },
    { what: 'the functions' },
  );
  await saveFunction(hub.server.workspace, 'ordinary/actions/quick.ts', actionSource(`return 'done';`));
  await hub.call('POST', '/integrations', { body: { provider: 'acme', unique_key: 'ordinary' } });
  await hub.addConnection('ordinary-1', { provider_config_key: 'ordinary' });
  await waitFor(async () => (await callOrdinary()).status === 200, { what: 'the ordinary action' });
  members = (await hub.action('members')).body;
});
afterAll(() => hub?.stop());

function callOrdinary() {
  const headers = { 'provider-config-key': 'ordinary', 'connection-id': 'ordinary-1' };
  return hub.call('POST', '/action/trigger', { body: { action_name: 'quick' }, headers });
}

interface Definition {
  name: string;
  description: string;
}

async function definitions(): Promise<Definition[]> {
  const { body } = await hub.call('GET', '/scripts/config?format=nango');
  return body.flatMap(({ syncs, actions }: { syncs: Definition[]; actions: Definition[] }) => [...syncs, ...actions]);
}

async function victims(): Promise<Definition[]> {
  return (await definitions()).filter(({ name }) => name.startsWith('victim'));
}

async function expectVictimsUnchanged(): Promise<void> {
  const syncs = await victims();
  expect(syncs).toHaveLength(VICTIMS.length);
  for (const sync of syncs)
    expect(sync).toMatchObject({ description: 'victim', runs: 'every hour', auto_start: false, track_deletes: false });
}

describe('a hub with hostile functions', () => {
  it(`reads the definitions of others as they are beside ${HOSTILE_DEFINITIONS.length} modules that change built-ins`, async () => {
    await expectVictimsUnchanged();
    expect(await callOrdinary()).toMatchObject({ status: 200, body: 'done' });
  });

  it('gives functions the members that the rows call', () => {
    const some = ['get', 'proxy', 'paginate', 'setMetadata', 'saveCheckpoint', 'log', 'triggerAction', 'triggerSync'];
    for (const name of some) expect(members).toContain(name);
  });

  nightlyEach(
    rows.map(([name]) => [name, name] as const),
    12,
  )('answers others while every member is called with a value at every place: %s', async (name, at) => {
    const connectionId = `of-${at}`;
    await hub.addConnection(connectionId);
    // A run that never comes back calls only its first member, so each has one of its own.
    const groups = name === 'endless getter' ? members.map((member) => [member]) : [members];
    const health = watchHealth(hub.server);
    const hostile = groups.map((group) =>
      hub.action(`value-${at}`, { members: group }, { 'connection-id': connectionId }),
    );

    const ended = Promise.all(hostile).then(() => true);
    const body = { syncs: [`value-in-sync-${at}`], provider_config_key: 'acme', connection_id: connectionId };
    expect((await hub.call('POST', '/sync/trigger', { body })).status).toBe(200);

    const until = performance.now() + LONGEST_ROW_MS;
    for (let isOver = false; !isOver && performance.now() < until; ) {
      isOver = await Promise.race([ended, Promise.resolve(false)]);
      const askedAt = performance.now();
      expect(await callOrdinary()).toMatchObject({ status: 200, body: 'done' });
      expect(performance.now() - askedAt).toBeLessThan(LONGEST_CALL_MS);
    }
    // Ends the runs that are left.
    await hub.call('DELETE', `/connections/${connectionId}?provider_config_key=acme`);
    for (const { status } of await Promise.all(hostile)) expect([200, 400, 404, 424, 500, 502, 504]).toContain(status);
    const { failures, slowestMs } = await health.finish();

    expect(failures).toEqual([]);
    expect(slowestMs).toBeLessThan(LONGEST_HEALTH_MS);
    await expectVictimsUnchanged();
  });
});
