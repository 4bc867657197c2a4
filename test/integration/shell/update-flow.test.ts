import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestOptions, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { configureRequestUrl, type DownloadOptions, HttpExecutor } from 'builder-util-runtime';
import electronUpdater, { type AppUpdater } from 'electron-updater';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type InstalledUpdate, installedNotes, plainNotes, UpdateFlow } from '../../../electron/main/update-flow.ts';
import type { UpdateState } from '../../../server/contract/shell-bridge.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';
import { waitFor } from '../../support/wait-for.ts';

/** electron-updater's downloads, over Node's own HTTP instead of Chromium's. */
class NodeExecutor extends HttpExecutor<ReturnType<typeof request>> {
  createRequest(options: RequestOptions, callback: (response: IncomingMessage) => void): ReturnType<typeof request> {
    return request({ ...options, agent: false }, callback);
  }

  download(url: URL, destination: string, options: DownloadOptions): Promise<string> {
    return options.cancellationToken.createPromise((resolve, reject, onCancel) => {
      const requestOptions: RequestOptions = {};
      configureRequestUrl(url, requestOptions);
      const callback = (error: Error | null): void => (error ? reject(error) : resolve(destination));
      this.doDownload(requestOptions, { destination, options, onCancel, callback, responseHandler: null }, 0);
    });
  }
}

const program = Buffer.from('the new program');
let feed: Server;
let feedUrl: string;
/** Files of the feed by path. */
const files = new Map<string, Buffer | string>();
let temp: TempHome;

beforeAll(async () => {
  temp = await createTempHome();
  feed = createServer((incoming, response) => {
    const file = files.get(new URL(incoming.url ?? '/', feedUrl).pathname);
    response.statusCode = file === undefined ? 404 : 200;
    response.end(file);
  });
  await new Promise<void>((resolve) => feed.listen(0, '127.0.0.1', resolve));
  feedUrl = `http://127.0.0.1:${(feed.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await new Promise((resolve) => feed.close(resolve));
  await temp.remove();
});

function offer(channel: string, version: string, further = '', content = program): void {
  const sha512 = createHash('sha512').update(program).digest('base64');
  const file = `Homeport-${version}_amd64.deb`;
  files.set(`/${file}`, content);
  const lines = [
    `version: ${version}`,
    'files:',
    `  - url: ${file}`,
    `    sha512: ${sha512}`,
    `    size: ${program.length}`,
  ];
  const notes = 'releaseNotes: "<p>Faster &amp; calmer</p><ul><li>one</li></ul>"';
  files.set(`/${channel}-linux.yml`, [...lines, `path: ${file}`, `sha512: ${sha512}`, notes, further, ''].join('\n'));
}

const INSTALLED = [
  'backup',
  'keep this version beside 0.2.0 and /backups/one.db',
  'server stopped',
  'quit and install',
];

interface Fixture {
  flow: UpdateFlow;
  events: string[];
  states: UpdateState[];
  remembered: InstalledUpdate[];
  running: { count: number };
}

/** The real updater of Debian packages, with an app that is not Electron. */
function createFlow(
  options: {
    userId?: string;
    channel?: 'latest' | 'beta';
    version?: string;
    backUp?: () => Promise<string>;
    refused?: string;
    /** The installer's own failure. */
    refusal?: string;
    mayQuit?: boolean;
  } = {},
): Fixture {
  const folder = path.join(temp.path, randomUUID());
  mkdirSync(folder);
  if (options.userId !== undefined) writeFileSync(path.join(folder, '.updaterId'), options.userId);
  const events: string[] = [];
  const app = {
    version: options.version ?? '0.1.0',
    name: 'homeport',
    isPackaged: true,
    appUpdateConfigPath: path.join(folder, 'app-update.yml'),
    userDataPath: folder,
    baseCachePath: folder,
    whenReady: async () => {},
    quit: () => events.push('quit'),
    relaunch: () => {},
    onQuit: () => {},
  };
  writeFileSync(app.appUpdateConfigPath, 'updaterCacheDirName: cache\n');
  const updater = new electronUpdater.DebUpdater(
    null,
    app as unknown as ConstructorParameters<typeof electronUpdater.DebUpdater>[1],
  );
  Object.assign(updater, { httpExecutor: new NodeExecutor(), logger: null, _testOnlyOptions: { platform: 'linux' } });
  updater.setFeedURL({ provider: 'generic', url: feedUrl });
  updater.quitAndInstall = () =>
    void (options.refusal ? updater.emit('error', new Error(options.refusal)) : events.push('quit and install'));
  updater.disableDifferentialDownload = true;
  const running = { count: 0 };
  const remembered: InstalledUpdate[] = [];
  const flow = new UpdateFlow({
    updater: updater as AppUpdater,
    channel: options.channel ?? 'latest',
    countRunning: async () => running.count,
    backUp:
      options.backUp ??
      (async () => {
        events.push('backup');
        return '/backups/one.db';
      }),
    keepVersion: async (next, backup) => void events.push(`keep this version beside ${next} and ${backup}`),
    startAgain: (message) => void events.push(`start again: ${message}`),
    isRefused: (version) => version === options.refused,
    remember: (installed) => remembered.push(installed),
    mayQuit: async () => options.mayQuit ?? true,
    prepareQuit: async () => void events.push('server stopped'),
    pollEveryMs: 5,
  });
  const states: UpdateState[] = [];
  flow.onState((state) => states.push(state));
  onTestFinished(() => flow.stop());
  return { flow, events, states, remembered, running };
}

describe('updates', () => {
  it('are downloaded and checked, and wait for the person', async () => {
    offer('latest', '0.2.0');
    const { flow, states, events } = createFlow();

    await flow.check();

    expect(flow.state).toEqual({ name: 'ready', version: '0.2.0', notes: 'Faster & calmer\n• one' });
    expect(states.map(({ name }) => name)).toEqual(expect.arrayContaining(['checking', 'downloading', 'ready']));
    expect(events).toEqual([]);
  });

  it('stay ready when the person keeps text that is not saved', async () => {
    offer('latest', '0.2.0');
    const { flow, events } = createFlow({ mayQuit: false });
    await flow.check();

    await flow.install();

    expect(flow.state).toMatchObject({ name: 'ready', version: '0.2.0' });
    expect(events).toEqual([]);
  });

  it('are installed after a copy of the database, once the server has ended', async () => {
    offer('latest', '0.2.0');
    const { flow, events, remembered } = createFlow();
    await flow.check();

    await flow.install();

    expect(events).toEqual(INSTALLED);
    expect(remembered).toEqual([{ version: '0.2.0', notes: 'Faster & calmer\n• one' }]);
    expect(installedNotes(remembered[0], '0.2.0')).toBe('Faster & calmer\n• one');
    expect(installedNotes(remembered[0], '0.1.0')).toBeUndefined();
    expect(installedNotes(undefined, '0.2.0')).toBeUndefined();
  });

  it('are never installed while something runs', async () => {
    offer('latest', '0.2.0');
    const { flow, events, running } = createFlow();
    await flow.check();
    running.count = 2;

    const installing = flow.install();
    await waitFor(() => flow.state.name === 'waiting' && flow.state.runningCount === 2);
    running.count = 1;
    await waitFor(() => flow.state.name === 'waiting' && flow.state.runningCount === 1);
    expect(events).toEqual([]);
    running.count = 0;
    await installing;

    expect(events).toEqual(INSTALLED);
  });

  it('stay ready when the person does not want to wait', async () => {
    offer('latest', '0.2.0');
    const { flow, events, running } = createFlow();
    await flow.check();
    running.count = 1;
    const installing = flow.install();
    await waitFor(() => flow.state.name === 'waiting');

    flow.cancelInstall();
    await installing;

    expect(flow.state).toMatchObject({ name: 'ready', version: '0.2.0' });
    expect(events).toEqual([]);
  });

  it('are not installed without the copy of the database', async () => {
    offer('latest', '0.2.0');
    const { flow, events } = createFlow({ backUp: () => Promise.reject(new Error('the disk is full')) });
    await flow.check();

    await flow.install();

    expect(flow.state).toEqual({ name: 'failed', message: 'The update was not installed: the disk is full' });
    expect(events).toEqual([]);
  });

  it('reach a share of the computers first, always the same ones', async () => {
    offer('latest', '0.2.0', 'stagingPercentage: 10');
    // The last four bytes of the number, as a share of their range, decide.
    const early = '00000000-0000-4000-8000-00000a000000';
    const late = '00000000-0000-4000-8000-0000f0000000';

    expect((await createFlow({ userId: early }).flow.check()).name).toBe('ready');
    expect((await createFlow({ userId: late }).flow.check()).name).toBe('current');
    offer('latest', '0.2.0', 'stagingPercentage: 100');
    expect((await createFlow({ userId: late }).flow.check()).name).toBe('ready');
  });

  it('follow the channel, and never go back', async () => {
    offer('latest', '0.2.0');
    offer('beta', '0.3.0-beta.1');

    expect(await createFlow({ channel: 'beta' }).flow.check()).toMatchObject({
      name: 'ready',
      version: '0.3.0-beta.1',
    });
    expect((await createFlow({ version: '0.3.0-beta.1' }).flow.check()).name).toBe('current');
    expect((await createFlow({ version: '0.2.0' }).flow.check()).name).toBe('current');
  });

  it('are refused when they are not what the feed says', async () => {
    offer('latest', '0.2.0', '', Buffer.from('another program'));
    const { flow } = createFlow();

    await flow.check();

    expect(flow.state).toMatchObject({
      name: 'failed',
      message: expect.stringMatching(/^The download of the update failed.*checksum mismatch/s),
    });
  });

  it('start this version again when the installer fails', async () => {
    offer('latest', '0.2.0');
    const { flow, events } = createFlow({ refusal: 'the password was not given' });
    await flow.check();

    await flow.install();

    expect(events.slice(-2)).toEqual(['server stopped', 'start again: the password was not given']);
    expect(flow.state).toEqual({
      name: 'failed',
      message: 'The update was not installed: the password was not given',
    });
  });

  it('are not offered again when they did not start here', async () => {
    offer('latest', '0.2.0');
    const { flow } = createFlow({ refused: '0.2.0' });

    expect((await flow.check()).name).toBe('current');
    offer('latest', '0.2.1');
    expect(await flow.check()).toMatchObject({ name: 'ready', version: '0.2.1' });
  });

  it('report that the feed could not be read, and check again', async () => {
    files.clear();
    const { flow } = createFlow();

    await flow.check();
    expect(flow.state).toMatchObject({
      name: 'failed',
      message: expect.stringContaining('The check for updates failed'),
    });
    offer('latest', '0.2.0');
    await flow.check();

    expect(flow.state.name).toBe('ready');
  });
});

describe('notes of a version', () => {
  it('become plain text', () => {
    expect(plainNotes(null)).toBe('');
    expect(
      plainNotes([
        { version: '2', note: 'b' },
        { version: '1', note: null },
      ]),
    ).toBe('2\nb\n\n1');
    expect(plainNotes('<h2>New</h2><script>alert(1)</script><p>a &lt;b&gt;</p>')).toBe('New\na <b>');
  });
});
