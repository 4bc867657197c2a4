import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import {
  READY_LIMIT_MS,
  ServerSupervisor,
  type SupervisorOptions,
} from '../../../electron/server-process/server-supervisor.ts';
import { spawnServer } from '../../../electron/server-process/spawn-server.ts';
import type { ServerState } from '../../../server/contract/shell-messages.ts';
import { KEYCHAIN_LIMIT_MS } from '../../../server/platform/vault/keychain.ts';

const STAND_IN = fileURLToPath(new URL('stand-in-server.mjs', import.meta.url));

type Behaviour = 'told-to-restart' | 'told-to-stop' | 'good' | 'deaf' | 'silent' | 'locked' | 'port-taken' | 'dies';

/** A supervisor over real processes; `behaviours` names the behaviour of each start, the last one for all further starts. */
function supervise(behaviours: Behaviour[], options: Partial<SupervisorOptions> = {}) {
  const processes: ChildProcess[] = [];
  const supervisor = new ServerSupervisor({
    spawnServer() {
      const behaviour = behaviours[Math.min(processes.length, behaviours.length - 1)] ?? 'good';
      const child = spawn(process.execPath, [STAND_IN, behaviour], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
      processes.push(child);
      return child;
    },
    delayBefore: () => 1,
    ...options,
  });
  const seen: ServerState[] = [];
  supervisor.onState((state) => seen.push(state));
  const reach = (name: ServerState['name']): Promise<ServerState> =>
    new Promise((resolve) => {
      const off = supervisor.onState((state) => {
        if (state.name !== name) return;
        off();
        resolve(state);
      });
    });
  running = supervisor;
  return { supervisor, processes, seen, reach };
}

let running: ServerSupervisor | undefined;
afterEach(() => running?.stop());

const isAlive = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode === null && signalCode === null;

describe('the supervisor of the server process', () => {
  it('is ready once the server says so, and ignores unknown messages', async () => {
    const { supervisor, seen, reach } = supervise(['good']);
    const ready = reach('ready');

    supervisor.start();

    expect(await ready).toEqual({ name: 'ready', address: 'http://127.0.0.1:3003' });
    expect(supervisor.ready?.functionsFolder).toBe('/functions');
    expect(seen.map(({ name }) => name)).toEqual(['starting', 'ready']);
  });

  it('starts a server again that was killed', async () => {
    const { supervisor, processes, seen, reach } = supervise(['good']);
    const first = reach('ready');
    supervisor.start();
    await first;
    const second = reach('ready');

    processes[0]?.kill('SIGKILL');
    await second;

    expect(processes).toHaveLength(2);
    expect(seen.map(({ name }) => name)).toEqual(['starting', 'ready', 'restarting', 'starting', 'ready']);
  });

  it('starts a server again at once that a command restarts', async () => {
    const { supervisor, seen } = supervise(['told-to-restart', 'good'], { delayBefore: () => undefined });
    const isUpAgain = new Promise<void>((resolve) =>
      supervisor.onState(({ name }) => {
        if (name === 'ready' && seen.filter((state) => state.name === 'ready').length === 2) resolve();
      }),
    );

    supervisor.start();
    await isUpAgain;

    expect(seen.map(({ name }) => name)).toEqual(['starting', 'ready', 'starting', 'ready']);
  });

  it('does not start a server again that a command stops, and says that the app is to quit', async () => {
    const quit = Promise.withResolvers<void>();
    const { supervisor, seen, reach } = supervise(['told-to-stop'], { onQuit: () => quit.resolve() });
    const stopped = reach('stopped');

    supervisor.start();
    await Promise.all([quit.promise, stopped]);

    expect(seen.map(({ name }) => name)).toEqual(['starting', 'ready', 'stopped']);
  });

  it('waits longer before each new attempt and gives up in the end', async () => {
    const asked: number[] = [];
    const delayBefore = (attempt: number): number | undefined => {
      asked.push(attempt);
      return attempt > 3 ? undefined : 1;
    };
    const { supervisor, processes, reach } = supervise(['dies'], { delayBefore });
    const failed = reach('failed');

    supervisor.start();

    expect(await failed).toMatchObject({ code: 'start_failed', message: expect.stringContaining('status 3') });
    expect(asked).toEqual([1, 2, 3, 4]);
    expect(processes).toHaveLength(4);
  });

  it('counts attempts from one again after a steady time', async () => {
    const asked: number[] = [];
    const delayBefore = (attempt: number): number => {
      asked.push(attempt);
      return 1;
    };
    const { supervisor, processes, reach } = supervise(['good'], { delayBefore, steadyAfterMs: 0 });

    for (const index of [0, 1, 2]) {
      const ready = reach('ready');
      if (index === 0) supervisor.start();
      else processes[index - 1]?.kill('SIGKILL');
      await ready;
    }

    expect(asked).toEqual([1, 1]);
  });

  it('kills a server that does not get ready in time', async () => {
    const { supervisor, processes, reach } = supervise(['silent'], { readyLimitMs: 300 });
    const restarting = reach('restarting');

    supervisor.start();
    await restarting;

    expect(processes[0]?.signalCode).toBe('SIGKILL');
  });

  it('gives a person the time to answer the keychain, which a start may ask three times', () => {
    expect(READY_LIMIT_MS).toBeGreaterThan(3 * KEYCHAIN_LIMIT_MS);
  });

  it('shows the vault as locked on exit status 78 and does not try again', async () => {
    const { supervisor, processes, reach } = supervise(['locked']);
    const locked = reach('locked');

    supervisor.start();

    expect(await locked).toEqual({ name: 'locked', message: 'The master key does not open this data.' });
    expect(processes).toHaveLength(1);
  });

  it('does not try again where that cannot help', async () => {
    const { supervisor, processes, reach } = supervise(['port-taken']);
    const failed = reach('failed');

    supervisor.start();

    expect(await failed).toMatchObject({ code: 'port_in_use', message: 'Port 3003 is taken.' });
    expect(processes).toHaveLength(1);
  });

  it('starts afresh when a person asks', async () => {
    const { supervisor, reach } = supervise(['locked', 'good']);
    const locked = reach('locked');
    supervisor.start();
    await locked;
    const ready = reach('ready');

    await supervisor.restart();

    expect((await ready).name).toBe('ready');
  });

  it('stops a server that listens, and kills one that does not', async () => {
    for (const [behaviour, signal, stopLimitMs] of [
      ['good', null, 60_000],
      ['deaf', 'SIGKILL', 300],
    ] as const) {
      const { supervisor, processes, reach } = supervise([behaviour], { stopLimitMs });
      const ready = reach('ready');
      supervisor.start();
      await ready;

      await supervisor.stop();

      expect(supervisor.state).toEqual({ name: 'stopped' });
      expect(processes[0]?.signalCode).toBe(signal);
    }
  });

  it('stops while it waits to start again', async () => {
    const { supervisor, processes, reach } = supervise(['dies'], { delayBefore: () => 60_000 });
    const restarting = reach('restarting');
    supervisor.start();
    await restarting;

    await supervisor.stop();

    expect(supervisor.state).toEqual({ name: 'stopped' });
    expect(processes.filter(isAlive)).toEqual([]);
  });

  it('returns each login link to its caller', async () => {
    const { supervisor, reach } = supervise(['good']);
    const ready = reach('ready');
    supervisor.start();
    await ready;

    const links = await Promise.all([supervisor.requestLoginLink(), supervisor.requestLoginLink()]);

    expect(links).toEqual(['http://127.0.0.1:3003/login/1', 'http://127.0.0.1:3003/login/2']);
  });

  it('refuses a login link when the server has ended', async () => {
    const { supervisor } = supervise(['good']);

    await expect(supervisor.requestLoginLink()).rejects.toThrow('not running');
  });

  it('says so when the runtime is missing', async () => {
    const spawnMissing = () =>
      spawnServer({ runtime: '/no/such/node', entry: STAND_IN, env: {}, compileCache: '/nowhere', onLog: () => {} });
    const { supervisor, reach } = supervise([], { spawnServer: spawnMissing, delayBefore: () => undefined });
    const failed = reach('failed');

    supervisor.start();

    expect(await failed).toMatchObject({ message: expect.stringContaining('ENOENT') });
  });
});
