// @module-tag slow
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type DestinationCalls, destinationCalls } from '../../support/destination-calls.ts';
import { type FunctionHub, startFunctionHub } from '../../support/function-hub.ts';
import { type CliRun, runCli } from '../../support/run-cli.ts';
import { syncSource } from '../../support/server-workspace.ts';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { waitFor } from '../../support/wait-for.ts';

let hub: FunctionHub;
let calls: DestinationCalls;
let folder: string;

beforeAll(async () => {
  hub = await startFunctionHub({
    'syncs/items.ts': syncSource(
      `const { data } = await nango.get({ endpoint: '/items' }); await nango.batchSave(data, 'Item');`,
    ),
  });
  calls = destinationCalls(hub);
  await calls.runSync('items', [{ id: '1' }, { id: '2' }]);
});
afterAll(() => hub?.stop());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'homeport-records-'));
  return async () => {
    await calls.clear();
    await rm(folder, { recursive: true, force: true });
  };
});

const cli = (
  args: string[],
  { home = hub.server.home, input }: { home?: string; input?: string } = {},
): Promise<CliRun> => runCli(args, { cwd: folder, home, ...(input === undefined ? {} : { input }) });
const destinations = (...args: string[]) => cli(['destinations', ...args]);
const upToDate = (name: string) =>
  waitFor(async () => (await destinations('show', name, '--json')).json().state === 'up_to_date', {
    what: `${name} to be up to date`,
  });

describe('homeport destinations', () => {
  it('creates one, lists and shows it, pauses, resumes, replays and deletes it', { tags: ['main-path'] }, async () => {
    const created = await destinations('create', 'Files', '--folder', join(folder, 'out'), '--model', 'Item');
    expect([created.status, created.output]).toEqual([0, expect.stringContaining('Files gets records from now on')]);
    await upToDate('Files');
    const listed = await destinations('list');
    expect(listed.output).toMatch(/Files +ndjson .*up to date/);
    const shown = await destinations('show', 'Files');
    expect(shown.output).toMatch(/acme +Item +1 +2 +-/);
    expect((await destinations('test', 'Files')).output).toContain('The folder can be written.');

    expect((await destinations('pause', 'Files')).output).toContain('Files paused');
    await calls.runSync('items', [{ id: '1' }, { id: '2' }, { id: '3' }]);
    expect((await destinations('list')).output).toMatch(/paused +1, \d+ s behind/);
    expect((await destinations('resume', 'Files')).output).toContain('Files resumed');
    await upToDate('Files');
    expect((await destinations('replay', 'Files')).output).toContain('gets everything again');
    await waitFor(async () => (await destinations('show', 'Files', '--json')).json().delivered === 6, {
      what: 'the replay',
    });
    expect((await destinations('retry', 'Files')).status).toBe(0);

    const asked = await destinations('delete', 'Files');
    expect([asked.status, asked.errors]).toEqual([64, expect.stringContaining('--auto-confirm')]);
    const removed = await destinations('delete', 'Files', '--auto-confirm');
    expect(removed.output).toContain('Files deleted');
    expect((await destinations('list', '--json')).json()).toEqual([]);
    // What it delivered stays.
    expect(await readdir(join(folder, 'out', 'acme', 'Item'))).toHaveLength(1);
  });

  it.each([
    [['create', 'X'], 64, 'one of --postgres, --folder and --url'],
    [['create', 'X', '--folder', '/x', '--url', 'http://x'], 64, 'one of --postgres, --folder and --url'],
    [['create', 'X', '--folder', 'relative'], 1, 'Write the whole path of the folder'],
    [['create', 'X', '--url', 'ftp://x'], 1, 'url'],
    [['create', 'X', '--postgres', 'host=localhost dbname=data'], 1, 'postgres://user:password@host:5432/database'],
    [['create', 'X', '--postgres', 'postgres://me:p%ss@localhost/data'], 1, 'must be written as %25'],
    [
      ['create', 'X', '--postgres', 'postgres://me@localhost/data', '--schema', 'my schema'],
      1,
      'letters, digits and _',
    ],
    [['create', 'X', '--postgres', 'postgres://me@localhost/data', '--tls', 'maybe'], 1, 'off, encrypt, verify'],
    [['create', 'X', '--postgres', 'postgres://me@localhost/data', '--ca', 'nothing.pem'], 64, 'nothing.pem'],
    [['create', 'X', '--postgres', '@nothing.txt'], 64, 'nothing.txt'],
    [['create', 'X', '--folder', '/x', '--token', 'secret'], 64, '--token'],
    [['create', 'X', '--url', 'http://localhost:1', '--schema', 'x'], 64, '--schema'],
    [['show', 'Nothing'], 1, 'There is no destination "Nothing"'],
    [['replay', 'Nothing', '--from', 'yesterday'], 64, 'Write it as 2026-01-31T00:00:00Z'],
  ])('answers %j with what to do', async (args, status, message) => {
    const run = await destinations(...args);
    expect([run.status, run.errors]).toEqual([status, expect.stringContaining(message)]);
  });

  it('reads secrets from a file or the input, and never shows them', async () => {
    await writeFile(join(folder, 'connection.txt'), 'postgres://me:canary-1@127.0.0.1:1/data\n');
    const file = await destinations('create', 'Tables', '--postgres', '@connection.txt', '--json');
    expect(file.json()).toMatchObject({ target: 'me@127.0.0.1:1/data', tls: 'off' });
    const input = await cli(
      ['destinations', 'create', 'Address', '--url', 'http://127.0.0.1:1/canary-2', '--token', '@-', '--json'],
      { input: 'canary-3\n' },
    );
    expect(input.status, input.errors).toBe(0);
    const all = [file, input, await destinations('list', '--json'), await destinations('show', 'Tables', '--json')];
    for (const { errors, output } of all) expect(output + errors).not.toContain('canary');
  });

  it('tells of each failure once more with its reason, in the list and by the test', async () => {
    let server: Server | undefined;
    try {
      server = createServer((_request, response) => response.writeHead(413).end());
      await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
      const at = server.address();
      const url = `http://127.0.0.1:${typeof at === 'object' && at ? at.port : 0}`;
      const tested = await destinations('create', 'Small', '--url', url, '--test');
      expect([tested.status, tested.errors]).toEqual([1, expect.stringContaining('The address answered 413')]);
      expect((await destinations('list', '--json')).json()).toEqual([]);
      await destinations('create', 'Small', '--url', url);
      await waitFor(async () => (await destinations('list')).output.includes('answered 413'), { what: 'the failure' });
    } finally {
      server?.closeAllConnections();
      await new Promise((resolve) => server?.close(resolve));
    }
  });
});

describe('destinations in an export', () => {
  let fresh: InProcessServer;
  beforeEach(async () => {
    fresh = await startInProcess();
  });
  afterEach(() => fresh?.stop());

  it('come back paused and without their secrets, which it names', async () => {
    const postgres = 'postgres://me:canary-1@db.example.com/data';
    await destinations('create', 'Tables', '--postgres', postgres, '--mark', '--only', 'acme', '--model', 'Item');
    await destinations('create', 'Address', '--url', 'https://example.com/canary-2');
    await destinations('create', 'Files', '--folder', join(folder, 'out'));
    await cli(['export', 'all.json']);
    const text = await readFile(join(folder, 'all.json'), 'utf8');
    expect(text).not.toContain('canary');
    expect(JSON.parse(text).left_out).toEqual([
      'destination Tables: password',
      'destination Address: address and token',
    ]);
    const imported = await cli(['import', 'all.json', '--json', '--auto-confirm'], { home: fresh.home });
    expect(imported.json().skipped).toEqual(expect.arrayContaining([expect.stringContaining('Tables: password')]));
    const there = await cli(['destinations', 'list', '--json'], { home: fresh.home });
    expect(there.json()).toMatchObject([
      {
        ...{ name: 'Tables', state: 'paused', target: 'me@db.example.com:5432/data', deletions: 'mark', tls: 'verify' },
        ...{ integrations: ['acme'], models: ['Item'] },
      },
      { name: 'Files', state: 'paused', target: join(folder, 'out') },
    ]);
  });
});
