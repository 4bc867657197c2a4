// @module-tag slow
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  importPracticeConnection,
  officialClient,
  type PracticeConnection,
} from '../../support/import-practice-connection.ts';
import { ReferenceStandIn } from '../../support/reference-stand-in.ts';
import { type CliRun, runCli } from '../../support/run-cli.ts';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { waitFor } from '../../support/wait-for.ts';
import { waitForSync } from '../../support/wait-for-sync.ts';

let source: InProcessServer;
let connection: PracticeConnection;
beforeAll(async () => {
  source = await startInProcess({ hasExamples: true });
  connection = await importPracticeConnection(source);
  await connection.nango.setMetadata('practice', 'me', { plan: 'pro' });
  // The examples are compiled after the start.
  const trigger = () => connection.nango.triggerSync('practice', ['fetch-issues'], 'me');
  await waitFor(
    () =>
      trigger().then(
        () => true,
        () => false,
      ),
    { what: 'the function of the sync' },
  );
  await waitForSync(connection, 'fetch-issues', ({ finishedAt }) => finishedAt !== undefined);
});
afterAll(() => source?.stop());

type Row = { kind: string; name: string; state: string; detail?: string };

const move = (to: { url: string; secretKey: string }, options: string[] = []): Promise<CliRun> =>
  runCli(['move', to.url, '--json', ...options], {
    cwd: source.home,
    home: source.home,
    env: { HOMEPORT_MOVE_KEY: to.secretKey },
  });
const rowsOf = (run: CliRun, kind?: string): Row[] =>
  (run.json().rows as Row[]).filter((row) => kind === undefined || row.kind === kind);

describe('homeport move to a second hub', () => {
  let target: InProcessServer;
  beforeEach(async () => {
    target = await startInProcess();
  });
  afterEach(() => target?.stop());

  it('plans, moves everything with records, and changes nothing the second time', async () => {
    const plan = await move(target, ['--dry-run', '--records']);
    expect(rowsOf(plan, 'connection')).toEqual([{ kind: 'connection', name: 'practice/me', state: 'created' }]);
    expect((await officialClient(target).listConnections()).connections).toEqual([]);
    const unanswered = await move(target);
    expect(unanswered.errors + unanswered.output).toContain('--auto-confirm');

    const moved = await move(target, ['--auto-confirm', '--records']);
    expect(moved.status, moved.output).toBe(0);
    expect(rowsOf(moved, 'integration')).toEqual([{ kind: 'integration', name: 'practice', state: 'created' }]);
    expect(rowsOf(moved, 'records').map(({ name, state }) => [name, state])).toEqual([
      ['practice/me Issue', 'created'],
      ['practice/me User', 'created'],
    ]);
    expect(new Set(rowsOf(moved, 'function').map(({ state }) => state))).toEqual(new Set(['created']));
    const there = officialClient(target);
    expect((await there.getConnection('practice', 'me')).metadata).toMatchObject({ plan: 'pro' });
    const read = async (nango: PracticeConnection['nango']) =>
      (
        await nango.listRecords<{ id: string }>({
          providerConfigKey: 'practice',
          connectionId: 'me',
          model: 'Issue',
          limit: 1000,
        })
      ).records.map(({ _nango_metadata, ...record }) => record);
    expect(await read(there)).toEqual(await read(connection.nango));

    const again = await move(target, ['--auto-confirm', '--records']);
    expect(again.status).toBe(0);
    expect(rowsOf(again).filter(({ state }) => state !== 'there')).toEqual([]);
  });

  it('keeps what has the same name there, and says so; --replace overwrites it', async () => {
    await importPracticeConnection(target);
    await officialClient(target).setMetadata('practice', 'me', { plan: 'free' });
    const kept = await move(target, ['--auto-confirm']);
    expect(kept.status).toBe(1);
    expect(rowsOf(kept, 'connection')).toEqual([
      { kind: 'connection', name: 'practice/me', state: 'differs', detail: 'metadata; --replace overwrites it' },
    ]);
    expect((await officialClient(target).getConnection('practice', 'me')).metadata).toMatchObject({ plan: 'free' });
    const replaced = await move(target, ['--auto-confirm', '--replace']);
    expect(rowsOf(replaced, 'connection')).toEqual([{ kind: 'connection', name: 'practice/me', state: 'changed' }]);
    expect((await officialClient(target).getConnection('practice', 'me')).metadata).toMatchObject({ plan: 'pro' });
  });

  it('takes saved queries and destinations along, and says of secrets that they are entered again', async () => {
    const call = async (hub: InProcessServer, method: string, path: string, body?: object) => {
      const answer = await fetch(`${hub.url}${path}`, {
        method,
        headers: { authorization: `Bearer ${hub.secretKey}`, 'content-type': 'application/json' },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      expect(answer.status, path).toBeLessThan(300);
      return (await answer.json()).data;
    };
    const hook = { name: 'Billing', url: 'https://billing.example.com/hooks', types: ['sync'], integrations: [] };
    await call(source, 'PUT', '/environment/webhook-destinations', { destinations: [hook] });
    await call(source, 'PUT', '/records/queries/Open%20ones', { sql: 'SELECT 1 AS one', params: {} });
    const to = { connection_string: 'postgres://me:canary@db.example.com/data', deletions: 'mark', models: ['Issue'] };
    for (const body of [
      { name: 'Tables', kind: 'postgres', ...to },
      { name: 'Address', kind: 'http', url: 'https://example.com/canary' },
    ])
      await call(source, 'POST', '/records/destinations', body);

    const moved = await move(target, ['--auto-confirm']);
    expect(moved.output).not.toContain('canary');
    expect(rowsOf(moved, 'query')).toEqual([{ kind: 'query', name: 'Open ones', state: 'created' }]);
    expect(rowsOf(moved, 'destination')).toMatchObject([{ name: 'Billing', state: 'created' }]);
    expect(rowsOf(moved, 'record-destination')).toEqual([
      {
        ...{ kind: 'record-destination', name: 'Tables', state: 'created' },
        detail: expect.stringContaining('enter its connection with the password again'),
      },
      {
        ...{ kind: 'record-destination', name: 'Address', state: 'failed' },
        detail: expect.stringContaining('create it again'),
      },
    ]);
    expect(moved.json().not_moved.map(({ name }: { name: string }) => name)).toEqual(
      expect.arrayContaining(['records', 'API keys', 'history of records']),
    );
    expect(await call(target, 'GET', '/records/queries')).toMatchObject([
      { name: 'Open ones', sql: 'SELECT 1 AS one' },
    ]);
    expect(await call(target, 'GET', '/environment/webhook-destinations')).toMatchObject([
      { ...hook, is_enabled: false },
    ]);
    expect(await call(target, 'GET', '/records/destinations')).toMatchObject([
      { name: 'Tables', state: 'paused', target: 'me@db.example.com:5432/data', deletions: 'mark', models: ['Issue'] },
    ]);

    await call(target, 'POST', '/records/destinations', {
      name: 'Address',
      kind: 'http',
      url: 'https://example.com/new',
      paused: true,
    });
    const again = await move(target, ['--auto-confirm']);
    expect([again.status, rowsOf(again).filter(({ state }) => state !== 'there')]).toEqual([0, []]);
    const [{ id } = { id: '' }] = await call(target, 'GET', '/records/destinations');
    await call(target, 'PATCH', `/records/destinations/${id}`, { models: [] });
    const kept = await move(target, ['--auto-confirm']);
    expect(rowsOf(kept, 'record-destination')[0]).toMatchObject({
      state: 'differs',
      detail: 'models; --replace overwrites it',
    });
    await move(target, ['--auto-confirm', '--replace']);
    expect((await call(target, 'GET', '/records/destinations'))[0]).toMatchObject({
      models: ['Issue'],
      state: 'paused',
    });

    const [hooks, queries] = [{ destinations: [] }, await call(source, 'GET', '/records/queries')];
    await call(source, 'PUT', '/environment/webhook-destinations', hooks);
    expect(queries).toHaveLength(1);
    for (const one of await call(source, 'GET', '/records/destinations'))
      await fetch(`${source.url}/records/destinations/${one.id}`, {
        method: 'DELETE',
        headers: { authorization: `Bearer ${source.secretKey}` },
      });
  });

  it('refuses a wrong key, another website, an address that does not answer, and itself', async () => {
    const wrong = await move({ ...target, secretKey: '7c9e6679-7425-40de-944b-e07fc1f90ae7', url: target.url });
    expect([wrong.status, wrong.json().error.message]).toEqual([1, expect.stringContaining('refuses the key')]);
    const nowhere = await move({ url: 'http://127.0.0.1:9', secretKey: 'x' });
    expect([nowhere.status, nowhere.json().error.message]).toEqual([3, expect.stringContaining('No server answers')]);
    expect((await move({ url: 'ftp://x', secretKey: 'x' })).status).toBe(64);
    expect((await move(source)).json().error.message).toContain('is the hub that you move from');
  });
});

describe('homeport move to a server that is no Homeport', () => {
  let standIn: ReferenceStandIn;
  beforeEach(async () => {
    standIn = await ReferenceStandIn.start();
  });
  afterEach(() => standIn?.stop());

  it('moves what its API takes, says of the rest why it could not go, and changes nothing the second time', async () => {
    const moved = await move(standIn, ['--auto-confirm', '--records']);
    expect(moved.status).toBe(1);
    expect(rowsOf(moved, 'records')[0]).toMatchObject({
      state: 'failed',
      detail: expect.stringContaining('has no import of records'),
    });
    expect([...standIn.connections.keys()]).toEqual(['practice/me']);
    expect(standIn.functions.size).toBeGreaterThan(3);
    const { writes } = standIn;
    const again = await move(standIn, ['--auto-confirm', '--records']);
    expect(rowsOf(again, 'function')[0]).toMatchObject({ state: 'there', detail: 'its code cannot be compared' });
    expect(standIn.writes).toBe(writes);
  });

  it('goes on after an interruption', async () => {
    standIn.cutAfter = 3;
    const cut = await move(standIn, ['--auto-confirm']);
    expect(cut.status).toBe(3);
    expect(cut.json().error.message).toContain('it goes on where it ended');
    standIn.cutAfter = undefined;
    const { writes } = standIn;
    const rest = await move(standIn, ['--auto-confirm']);
    expect(rowsOf(rest, 'integration')[0]).toMatchObject({ state: 'there' });
    expect(rowsOf(rest, 'function').some(({ state }) => state === 'created')).toBe(true);
    expect(standIn.writes).toBeGreaterThan(writes);
  });

  it('goes on after a refusal, and names its reason', async () => {
    standIn.refused.set('me', 'Connection id is reserved');
    const moved = await move(standIn, ['--auto-confirm']);
    expect(moved.status).toBe(1);
    expect(rowsOf(moved, 'connection')).toEqual([
      { kind: 'connection', name: 'practice/me', state: 'failed', detail: 'Connection id is reserved' },
    ]);
    expect(rowsOf(moved, 'function').some(({ state }) => state === 'created')).toBe(true);
  });

  it('leaves an integration of another provider alone, with all that would stand on it', async () => {
    standIn.integrations.set('practice', { unique_key: 'practice', provider: 'github', display_name: 'Mine' });
    const moved = await move(standIn, ['--auto-confirm']);
    expect(rowsOf(moved, 'integration')[0]).toMatchObject({
      state: 'differs',
      detail: 'there it is of the provider github',
    });
    expect(rowsOf(moved, 'connection')[0]).toMatchObject({
      state: 'failed',
      detail: 'the integration there is of another provider',
    });
    expect(standIn.writes).toBe(0);
  });
});
