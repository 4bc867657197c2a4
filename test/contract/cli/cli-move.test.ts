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

  it('plans, moves everything with records, and changes nothing the second time', { tags: ['main-path'] }, async () => {
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
