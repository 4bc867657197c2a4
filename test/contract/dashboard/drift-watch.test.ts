// @module-tag slow
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Clock, systemClock } from '../../../server/platform/lib/clock.ts';
import { type FunctionHub, startFunctionHub } from '../../support/function-hub.ts';
import { MovableClock } from '../../support/movable-clock.ts';
import { runCli } from '../../support/run-cli.ts';
import { actionSource, saveFunction } from '../../support/server-workspace.ts';
import { waitFor } from '../../support/wait-for.ts';
import { DashboardClient } from './dashboard-client.ts';

const LOOK_MS = 600_000;
const DAY_MS = 86_400_000;

/** The hub looks at what is due when the test says so. */
class LookingClock extends MovableClock {
  readonly #looks: Array<() => void> = [];

  override readonly after: Clock['after'] = (delayMs, run) => {
    if (delayMs !== LOOK_MS) return systemClock.after(delayMs, run);
    this.#looks.push(run);
    return { cancel: () => this.#looks.splice(this.#looks.indexOf(run), 1) };
  };

  look(): void {
    for (const run of this.#looks.splice(0)) run();
  }
}

const ISSUES = { data: [{ id: 7, title: 'a', user: { name: 'x' } }] };
const recording = (method: string, path: string, entry: object) =>
  JSON.stringify({ input: null, output: null, api: { [method]: { [path]: { status: 200, ...entry } } } });

const FILES = {
  'actions/titles.ts': actionSource(
    "const { data } = await nango.get({ endpoint: '/v1/issues' }); return data.data.map((one: any) => one.title.length);",
  ),
  'actions/names.ts': actionSource(
    "const { data } = await nango.get({ endpoint: '/v1/issues' }); return data.data.map((one: any) => one.user?.name);",
  ),
  'actions/search.ts': actionSource(
    "const { data } = await nango.post({ endpoint: '/v1/search', data: { text: 'a' } }); return data;",
  ),
  'actions/sneaky.ts': actionSource(
    "await nango.get({ endpoint: '/v1/issues' }); await nango.delete({ endpoint: '/v1/issues/7' }); return null;",
  ),
  'actions/write.ts': actionSource("await nango.post({ endpoint: '/v1/issues', data: {} }); return null;"),
  'tests/titles.test.json': recording('get', '/v1/issues', { response: ISSUES }),
  'tests/names.test.json': recording('get', '/v1/issues', { response: ISSUES }),
  'tests/search.test.json': recording('post', '/v1/search', { response: { hits: 1 }, readsOnly: true }),
  'tests/sneaky.test.json': recording('get', '/v1/issues', { response: ISSUES }),
  'tests/write.test.json': recording('post', '/v1/issues', { response: {} }),
};

const clock = new LookingClock();
let hub: FunctionHub;
let page: DashboardClient;
beforeAll(async () => {
  hub = await startFunctionHub(FILES, { clock });
  page = await DashboardClient.signIn({ url: hub.server.url, signIn: hub.server });
});
afterAll(() => hub?.stop());

const params = { integrationKey: 'acme' };
const read = () => page.call('GET /api/v1/integrations/:integrationKey/drift-watch', { params });
const set = (connectionId: string) =>
  page.call('PUT /api/v1/integrations/:integrationKey/drift-watch', { params, body: { connectionId } });
const off = () => page.call('DELETE /api/v1/integrations/:integrationKey/drift-watch', { params });
const notices = async () => (await page.call('GET /api/v1/notifications')).data.filter(({ kind }) => kind === 'drift');
const answer = (body: object) =>
  hub.provider.on('GET /v1/issues', { body }).on('POST /v1/search', { body: { hits: 2 } });

/** Sessions end meanwhile. */
async function later(ms: number): Promise<void> {
  clock.skip(ms);
  page = await DashboardClient.signIn({ url: hub.server.url, signIn: hub.server });
}

/** Lets the hub look, and waits for the comparison. */
async function compared() {
  const { lastAt } = await read();
  clock.look();
  await waitFor(async () => (await read()).lastAt !== lastAt, { what: 'the comparison' });
  return read();
}

async function switchOn() {
  await set('c1');
  onTestFinished(async () => {
    await off();
    await waitFor(async () => (await notices()).every(({ isOver }) => isOver), { what: 'the end of the notification' });
  });
  return compared();
}

describe('the drift watch', () => {
  it('is off at first, and compares on a connection that a person chose', { tags: ['main-path'] }, async () => {
    answer(ISSUES);
    expect(await read()).toMatchObject({ connectionId: null, changes: [] });
    clock.look();

    const watch = await switchOn();

    expect(watch).toMatchObject({ connectionId: 'c1', compared: 3, changes: [], problem: null });
    expect(Date.parse(watch.nextAt ?? '') - Date.parse(watch.lastAt ?? '')).toBe(7 * DAY_MS);
    expect(watch.skipped.map((one) => one.function).sort()).toEqual(['sneaky', 'write']);
    expect(await notices()).toEqual([]);
    const sent = hub.provider.requests.map(({ method, url }) => `${method} ${url}`);
    expect(sent).toContain('POST /v1/search');
    expect(sent.filter((one) => one.startsWith('DELETE') || one === 'POST /v1/issues')).toEqual([]);
    const { data } = await page.call('GET /api/v1/audit', { query: { actions: 'integration_changed' } });
    expect(data[0]).toMatchObject({ subject: 'drift watch on', integrationKey: 'acme' });
  });

  it('says once which field is gone and which functions read it, until the answers fit again', async () => {
    answer(ISSUES);
    await switchOn();
    answer({ data: [{ id: 'seven', user: { name: 'x' } }] });
    // The computer slept for three weeks: one comparison, not three.
    await later(22 * DAY_MS);
    const before = hub.provider.requestsTo('/v1/issues').length;

    const watch = await compared();

    expect(hub.provider.requestsTo('/v1/issues').length - before).toBe(3);
    expect(watch.changes).toEqual([
      {
        request: 'GET /v1/issues',
        field: 'data[].id',
        kind: 'type',
        before: 'number',
        after: 'text',
        functions: ['names', 'sneaky', 'titles'],
        isRead: false,
      },
      expect.objectContaining({ field: 'data[].title', kind: 'gone', functions: ['titles'], isRead: true }),
    ]);
    await waitFor(async () => (await notices()).length > 0, { what: 'the notification' });
    const [notice] = await notices();
    expect(notice).toMatchObject({ isOver: false, link: '/dev/integrations/acme/settings' });
    expect(notice?.title).toBe('acme answers in another form: data[].id is text, and 1 more');
    expect(notice?.text).toContain('data[].title is gone (text). Read by titles.');

    await page.call('POST /api/v1/notifications/read', { body: {} });
    await later(7 * DAY_MS);
    expect((await compared()).changes).toHaveLength(2);
    // Nothing new to say: it stays read.
    expect((await notices()).map(({ isRead }) => isRead)).toEqual([true]);

    answer(ISSUES);
    await later(7 * DAY_MS);
    expect((await compared()).changes).toEqual([]);
    await waitFor(async () => (await notices())[0]?.isOver === true, { what: 'the end' });
  });

  it('does not compare before the week is over, and not never because a clock was wrong', async () => {
    answer(ISSUES);
    await switchOn();
    const before = hub.provider.requestsTo('/v1/issues').length;
    await later(6 * DAY_MS);
    clock.look();
    await hub.call('GET', '/integrations');
    expect(hub.provider.requestsTo('/v1/issues').length).toBe(before);

    await later(-400 * DAY_MS);
    expect((await compared()).compared).toBe(3);
    await later(400 * DAY_MS);
  });

  it('says once that the connection is gone', async () => {
    answer(ISSUES);
    await hub.addConnection('c2');
    await set('c2');
    onTestFinished(async () => void (await off()));
    await compared();
    await hub.call('DELETE', '/connections/c2?provider_config_key=acme');
    await later(8 * DAY_MS);

    expect((await compared()).problem).toMatch(/The connection "c2" does not exist any more/);
    await waitFor(async () => (await notices()).some(({ isOver }) => !isOver), { what: 'the notification' });
    const [notice] = await notices();
    expect(notice).toMatchObject({ title: 'The drift watch of acme compared nothing', isRead: false });
    await page.call('POST /api/v1/notifications/read', { body: {} });
    await later(8 * DAY_MS);
    await compared();
    expect((await notices())[0]).toMatchObject({ isRead: true, count: 1 });
  });

  it('waits while the vault is locked, says so once in the log, and compares afterwards', async () => {
    answer(ISSUES);
    await switchOn();
    const { lastAt } = await read();
    await page.call('POST /api/v1/vault/lock');
    onTestFinished(async () => void (await page.call('POST /api/v1/vault/unlock')));
    await later(8 * DAY_MS);
    clock.look();
    await waitFor(async () => (await read()).problem !== null, { what: 'the problem' });
    clock.look();
    expect(await read()).toMatchObject({ lastAt, problem: expect.stringContaining('The vault is locked') });
    expect(await notices().then((all) => all.filter(({ isOver }) => !isOver))).toEqual([]);

    await page.call('POST /api/v1/vault/unlock');
    expect(await compared()).toMatchObject({ problem: null, compared: 3 });
    expect(hub.server.errorOutput().split('The drift watch waits').length - 1).toBe(1);
  });

  it('refuses a connection that does not exist, and compares now on request', async () => {
    const route = 'PUT /api/v1/integrations/:integrationKey/drift-watch';
    const refusal = await page.refusal(route, { params, body: { connectionId: 'nobody' } });
    expect(refusal).toEqual({ status: 404, code: 'not_found' });
    const run = 'POST /api/v1/integrations/:integrationKey/drift-watch/run';
    expect((await page.refusal(run, { params })).status).toBe(404);

    answer(ISSUES);
    await switchOn();
    expect(await page.call(run, { params })).toMatchObject({ compared: 3, changes: [] });
  });

  it('is switched on and off in the terminal', async () => {
    const cli = (...args: string[]) =>
      runCli(['integrations', 'edit', 'acme', ...args], { cwd: hub.server.home, home: hub.server.home });
    const on = await cli('--drift-watch', 'c1');
    expect(on.status, on.errors).toBe(0);
    expect(await read()).toMatchObject({ connectionId: 'c1' });
    expect((await cli('--drift-watch', 'nobody')).status).toBe(1);
    expect((await cli('--drift-watch', 'off')).status).toBe(0);
    expect(await read()).toMatchObject({ connectionId: null });
  });

  it('finds that the practice provider answers in another form', async () => {
    await page.call('POST /api/v1/practice', {});
    const issue = { id: 1, title: 'a' };
    const text = recording('get', '/v1/issues', { response: { issues: [issue] } });
    const path = join(hub.server.workspace, 'practice/tests/peek.test.json');
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
    await saveFunction(
      hub.server.workspace,
      'practice/actions/peek.ts',
      actionSource("return (await nango.get({ endpoint: '/v1/issues', params: { limit: 1 } })).data.issues[0].title;"),
    );
    const ofPractice = { integrationKey: 'practice' };
    const run = 'POST /api/v1/integrations/:integrationKey/drift-watch/run';
    await waitFor(
      async () => {
        const { body } = await hub.call('GET', '/scripts/config');
        return JSON.stringify(body).includes('"peek"');
      },
      { what: 'the function' },
    );
    await page.call('PUT /api/v1/integrations/:integrationKey/drift-watch', {
      params: ofPractice,
      body: { connectionId: 'practice-user' },
    });
    await page.call('PUT /api/v1/practice/failure', { body: { kind: 'broken_record' } });
    onTestFinished(async () => void (await page.call('DELETE /api/v1/practice/failure')));

    const { changes } = await page.call(run, { params: ofPractice });

    expect(changes).toContainEqual(
      expect.objectContaining({
        field: 'issues[].title',
        before: 'text',
        after: 'number',
        functions: ['peek'],
        isRead: true,
      }),
    );
  });
});
