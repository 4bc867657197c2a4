// @module-tag slow
import { mkdir, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FunctionHub, startFunctionHub } from '../../support/function-hub.ts';
import { runCli } from '../../support/run-cli.ts';
import { actionSource, removeFunction, saveFunction } from '../../support/server-workspace.ts';
import { waitFor } from '../../support/wait-for.ts';
import { hasSucceeded, syncState, waitForSync } from '../../support/wait-for-sync.ts';

const PATH = 'acme/syncs/contacts.ts';
const OTHERS = ['one', 'two', 'three', 'four'];

/** Each run saves one more record and remembers the count. */
const SOURCE = `import { createSync } from 'homeport';
import * as z from 'zod';

export default createSync({
  description: 'Written by a test',
  frequency: 'every hour',
  autoStart: true,
  checkpoint: z.object({ n: z.number() }),
  models: { Contact: z.object({ id: z.string() }) },
  exec: async (nango) => {
    const n = ((await nango.getCheckpoint())?.n ?? 0) + 1;
    await nango.batchSave([{ id: 'r' + n }], 'Contact');
    await nango.saveCheckpoint({ n });
  },
});
`;

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

let hub: FunctionHub;
let file: string;
let before: unknown;
let mark = 0;

beforeAll(async () => {
  hub = await startFunctionHub({ 'syncs/contacts.ts': SOURCE, 'actions/marker.ts': actionSource('return 0;') });
  file = join(hub.server.workspace, PATH);
  await begin();
});
afterAll(() => hub?.stop());

/** A new connection whose sync ran four times and has a variant; what it has then is `before`. */
async function begin(): Promise<void> {
  await hub.renewConnection();
  await waitForSync(hub.connection, 'contacts', hasSucceeded);
  for (let n = 2; n <= 4; n += 1) {
    await hub.connection.nango.triggerSync('acme', ['contacts'], 'c1');
    await waitForSync(hub.connection, 'contacts', ({ checkpoint }) => checkpoint?.['n'] === n);
    await waitForSync(hub.connection, 'contacts', hasSucceeded);
  }
  await hub.call('POST', '/sync/contacts/variant/v2', {
    body: { provider_config_key: 'acme', connection_id: 'c1' },
  });
  await waitFor(async () => (await variants()).some(({ variant, finishedAt }) => variant === 'v2' && finishedAt), {
    what: 'the first run of the variant',
  });
  await hub.call('PUT', '/sync/update-connection-frequency', {
    body: { provider_config_key: 'acme', connection_id: 'c1', sync_name: 'contacts', frequency: 'every 3 hours' },
  });
  await hub.call('POST', '/sync/pause', {
    body: { syncs: ['contacts'], provider_config_key: 'acme', connection_id: 'c1' },
  });
  before = await everything();
}

async function variants(): Promise<Array<Record<string, unknown>>> {
  const { body } = await hub.call(
    'GET',
    '/sync/status?syncs=contacts::v2,contacts&provider_config_key=acme&connection_id=c1',
  );
  return body.syncs;
}

/** The data that a person or an application would miss: settings, checkpoint and records with their positions in the stream. */
async function everything(): Promise<unknown> {
  const { records } = (await hub.records('model=Contact')).body;
  return { syncs: await variants(), records };
}

/** Changes are applied in order: once this one answers, every earlier one was applied. */
async function earlierChangesAreApplied(): Promise<void> {
  mark += 1;
  await saveFunction(hub.server.workspace, 'acme/actions/marker.ts', actionSource(`return ${mark};`));
  await waitFor(async () => (await hub.action('marker')).body === mark, { what: 'the saved marker' });
}

async function isListed(name = 'contacts'): Promise<boolean> {
  const { body } = await hub.call('GET', '/scripts/config');
  return ['syncs', 'actions'].some((kind) => body[0]?.[kind].some((one: { name: string }) => one.name === name));
}

const untilListed = (isThere: boolean): Promise<boolean> =>
  waitFor(async () => (await isListed()) === isThere, { what: isThere ? 'the return of the sync' : 'its absence' });

describe('a function whose file is changed to nothing for a while', () => {
  it.each([
    { what: '60 ms', ms: 60 },
    { what: '500 ms', ms: 500 },
  ])('keeps everything when it is truncated for $what', async ({ ms }) => {
    await truncate(file);
    await sleep(ms);
    await writeFile(file, SOURCE);
    await earlierChangesAreApplied();

    expect(await everything()).toEqual(before);
  });

  it.each([
    { what: 'is empty', text: '' },
    { what: 'is a comment', text: `// export default createSync({})\n/* ${SOURCE} */` },
    { what: 'exports something else', text: 'export const other = 1;\n' },
  ])('keeps its last good version live while it $what', async ({ text }) => {
    await saveFunction(hub.server.workspace, PATH, text);
    await earlierChangesAreApplied();
    await sleep(3000);

    expect(await isListed()).toBe(true);
    expect(await everything()).toEqual(before);
    await saveFunction(hub.server.workspace, PATH, SOURCE);
    await earlierChangesAreApplied();
    expect(await everything()).toEqual(before);
  });
});

describe('a function whose file is missing for a while', () => {
  it('keeps everything when the file is back after 300 ms', async () => {
    await removeFunction(hub.server.workspace, PATH);
    await sleep(300);
    await saveFunction(hub.server.workspace, PATH, SOURCE);
    await earlierChangesAreApplied();

    expect(await everything()).toEqual(before);
  });

  it('leaves the lists and is not run after 2 s, and continues unchanged after 5 s', {
    tags: ['main-path'],
  }, async () => {
    await removeFunction(hub.server.workspace, PATH);
    await earlierChangesAreApplied();
    expect(await isListed()).toBe(true);
    await untilListed(false);

    expect(await variants()).toEqual([]);
    expect((await everything()) as { records: unknown }).toHaveProperty(
      'records',
      (before as { records: unknown }).records,
    );
    expect(
      await hub.call('POST', '/sync/trigger', {
        body: { syncs: ['contacts'], provider_config_key: 'acme', connection_id: 'c1' },
      }),
    ).toMatchObject({ status: 400 });
    await sleep(3000);
    await saveFunction(hub.server.workspace, PATH, SOURCE);
    await untilListed(true);
    expect(await everything()).toEqual(before);
  });

  it('keeps everything over a restart without the file', async () => {
    await removeFunction(hub.server.workspace, PATH);
    await untilListed(false);
    await hub.server.restart();
    expect(await isListed()).toBe(false);

    await saveFunction(hub.server.workspace, PATH, SOURCE);
    await untilListed(true);

    expect(await everything()).toEqual(before);
  });

  it('keeps a new connection in step once the file is back', async () => {
    await removeFunction(hub.server.workspace, PATH);
    await untilListed(false);
    await hub.addConnection('c2');
    const other = { ...hub.connection, connectionId: 'c2' };
    expect(await syncState(other, 'contacts')).toBeUndefined();

    await saveFunction(hub.server.workspace, PATH, SOURCE);

    await waitForSync(other, 'contacts', hasSucceeded);
    expect(await everything()).toEqual(before);
  });

  it('does not come back in the place of another that took its model meanwhile', async () => {
    await removeFunction(hub.server.workspace, PATH);
    await untilListed(false);
    await hub.deploy({ 'syncs/rival.ts': SOURCE.replace('autoStart: true', 'autoStart: false') });
    await saveFunction(hub.server.workspace, PATH, SOURCE);
    await earlierChangesAreApplied();
    expect(await isListed()).toBe(false);

    await removeFunction(hub.server.workspace, 'acme/syncs/rival.ts');

    await untilListed(true);
    expect(await everything()).toEqual(before);
    await waitFor(async () => !(await isListed('rival')), { what: 'the end of the rival' });
  });
});

describe('a functions folder of which most is missing', () => {
  beforeAll(async () => {
    await hub.deploy(Object.fromEntries(OTHERS.map((name) => [`actions/${name}.ts`, actionSource('return 1;')])));
  });

  it('switches nothing off: not by a stash, and everything is as it was when the files are back', async () => {
    const gone = ['contacts', 'marker', ...OTHERS.slice(0, 3)];
    const folder = join(hub.server.workspace, 'acme');
    const stash = join(hub.server.home, 'stash');
    await mkdir(stash);
    const moves = gone.map((name) => {
      const path = name === 'contacts' ? 'syncs/contacts.ts' : `actions/${name}.ts`;
      return [join(folder, path), join(stash, `${name}.ts`)] as const;
    });
    for (const [from, to] of moves) await rename(from, to);
    await waitFor(() => hub.server.errorOutput().includes('The files of 5 functions are missing'), {
      what: 'the warning',
    });

    expect(await isListed()).toBe(true);
    expect((await hub.action('one')).body).toBe(1);
    expect(await everything()).toEqual(before);
    for (const [from, to] of moves) await rename(to, from);
    await waitFor(() => hub.server.errorOutput().includes('are back'), { what: 'the end of the warning' });
    await earlierChangesAreApplied();
    expect(await everything()).toEqual(before);
  });

  it('switches nothing off: not while the folder is away', async () => {
    const away = `${hub.server.workspace}.away`;
    await rename(hub.server.workspace, away);
    await waitFor(() => hub.server.errorOutput().includes('gone or empty'), { what: 'the warning' });
    expect((await hub.action('one')).body).toBe(1);

    await rename(away, hub.server.workspace);
    await earlierChangesAreApplied();

    expect(await everything()).toEqual(before);
  });

  it('switches nothing off: not when the hub starts without the folder, and puts no examples there', async () => {
    const away = `${hub.server.workspace}.away`;
    await hub.server.end();
    await rename(hub.server.workspace, away);
    await hub.server.restart();
    await waitFor(() => hub.server.errorOutput().includes('gone or empty'), { what: 'the warning' });
    expect(await isListed()).toBe(true);
    expect((await hub.action('one')).body).toBe(1);
    await expect(stat(hub.server.workspace)).rejects.toThrow('ENOENT');

    await rename(away, hub.server.workspace);
    await earlierChangesAreApplied();

    expect(await everything()).toEqual(before);
    await rm(away, { recursive: true, force: true });
  });
});

describe('homeport functions prune', () => {
  afterAll(async () => {
    await saveFunction(hub.server.workspace, PATH, SOURCE);
    await earlierChangesAreApplied();
    await begin();
  });
  const prune = (...args: string[]) =>
    runCli(['functions', 'prune', ...args], { cwd: hub.server.home, home: hub.server.home });

  it('has nothing to do once every file is there', async () => {
    await prune('--auto-confirm');
    const run = await prune('--json');

    expect(run).toMatchObject({ status: 0 });
    expect(run.json()).toEqual({ removed: 0, functions: [] });
  });

  it('shows what would be removed, and removes it only on request', async () => {
    const { syncs } = (await hub.call('GET', '/sync/status?syncs=*&provider_config_key=acme')).body;
    const count = syncs.filter(({ name }: { name: string }) => name === 'contacts').length;
    await removeFunction(hub.server.workspace, PATH);
    await untilListed(false);

    const asked = await prune();
    expect(asked.status).not.toBe(0);
    expect(asked.output).toMatch(new RegExp(`contacts +sync +${PATH} +off since \\S+ +${count} +\\d+`));
    expect((await everything()) as { records: unknown }).toHaveProperty(
      'records',
      (before as { records: unknown }).records,
    );
    const run = await prune('--json', '--auto-confirm');

    expect(run.json()).toMatchObject({
      removed: 1,
      functions: [{ name: 'contacts', file: PATH, syncs: count }],
    });
    const { records } = (await hub.records('model=Contact')).body;
    expect(
      records.every(
        (one: { _nango_metadata: { last_action: string } }) => one._nango_metadata.last_action === 'DELETED',
      ),
    ).toBe(true);
    await saveFunction(hub.server.workspace, PATH, SOURCE.replace('autoStart: true', 'autoStart: false'));
    await untilListed(true);
    expect(await syncState(hub.connection, 'contacts')).toMatchObject({ checkpoint: null, frequency: 'every hour' });
  });
});
