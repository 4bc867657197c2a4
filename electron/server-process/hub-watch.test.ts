import { afterEach, describe, expect, it } from 'vitest';
import type { HubEvent } from './hub-session.ts';
import { type HubStatus, HubWatch } from './hub-watch.ts';

const HEALTH = { running: 1, pausedSchedules: null, vault: 'locked' };
const LOST = { kind: 'sign-in', integrationKey: 'github', connectionId: 'c' };

/** A hub whose responses and events the test decides. */
function fakeHub() {
  const responses = {
    attention: [] as unknown[],
    approvals: [] as unknown[],
    failed: [] as unknown[],
  };
  const asked: string[] = [];
  const streams = new Map<string, { send: (event: HubEvent) => void; end: () => void }>();
  const client = {
    call: async (key: string) => {
      asked.push(key);
      if (key === 'GET /api/v1/meta') return { environments: [{ name: 'dev' }, { name: 'prod' }], health: HEALTH };
      if (key.endsWith('attention')) return { data: responses.attention, total: responses.attention.length };
      return { data: key.endsWith('approvals') ? responses.approvals : responses.failed };
    },
    followEvents: (env: string, use: { onOpen: () => void; onEvent: (event: HubEvent) => void; signal: AbortSignal }) =>
      new Promise<void>((resolve) => {
        streams.set(env, { send: use.onEvent, end: resolve });
        use.signal.addEventListener('abort', () => resolve());
        use.onOpen();
      }),
  };
  return { answers: responses, asked, streams, client: client as never };
}

describe('the watch of a hub', () => {
  let watch: HubWatch;
  afterEach(() => watch.stop());

  function start(hub = fakeHub()) {
    const seen: { status: HubStatus[]; notifications: Array<[string, number]> } = { status: [], notifications: [] };
    watch = new HubWatch({
      client: hub.client,
      quietMs: 1,
      retryMs: 1,
      onStatus: (status) => seen.status.push(status),
      onNotification: (env, { notification }) => seen.notifications.push([env, notification.id]),
    });
    return { hub, seen };
  }

  it('adds up every environment', async () => {
    const { hub } = start();
    hub.answers.attention = [LOST];
    hub.answers.approvals = [{ id: 'a' }];
    await watch.start();
    await expect.poll(() => watch.status.attention).toBe(2);

    expect(watch.status).toMatchObject({ running: 1, pausedSchedules: null, isVaultLocked: true });
    expect(watch.status.approvals.map(({ env }) => env).sort()).toEqual(['dev', 'prod']);
  });

  it('names the operation that failed last, and its page', async () => {
    const { hub } = start();
    const row = { id: 'op 1', integrationName: 'GitHub', syncConfigName: 'issues', operation: { action: 'run' } };
    hub.answers.failed = [{ ...row, createdAt: '2026-03-01T10:00:00Z' }];
    await watch.start();

    await expect.poll(() => watch.status.lastFailure?.title).toBe('GitHub · issues');
    expect(watch.status.lastFailure?.path).toMatch(/^\/app\/(dev|prod)\/logs\?operationId=op%201$/);
  });

  it('reads an environment again once after a burst of events', async () => {
    const { hub } = start();
    await watch.start();
    const reads = () => hub.asked.filter((key) => key.endsWith('attention')).length;
    await expect.poll(reads).toBe(2);
    await expect.poll(() => watch.status.attention).toBe(0);
    const before = hub.asked.length;

    hub.answers.attention = [LOST];
    const connection = { integrationKey: 'github', connectionId: 'c', change: 'updated' } as const;
    for (let count = 0; count < 5; count++) hub.streams.get('dev')?.send({ name: 'connection', data: connection });
    await expect.poll(() => watch.status.attention).toBe(1);

    expect(hub.asked.length - before).toBe(4);
  });

  it('passes notifications and health on at once', async () => {
    const { hub, seen } = start();
    await watch.start();
    hub.streams
      .get('dev')
      ?.send({ name: 'notification', data: { notification: { id: 7 }, isNative: true, hasSound: false } as never });
    hub.streams.get('dev')?.send({ name: 'health', data: { ...HEALTH, running: 7 } as never });

    expect(seen.notifications).toEqual([['dev', 7]]);
    expect(seen.status.at(-1)?.running).toBe(7);
  });

  it('reopens a stream that ended, but not after the stop', async () => {
    const { hub } = start();
    await watch.start();
    await expect.poll(() => hub.asked.filter((key) => key.endsWith('attention')).length).toBe(2);

    const first = hub.streams.get('dev');
    first?.end();
    await expect.poll(() => hub.streams.get('dev') !== first).toBe(true);
    watch.stop();
    const count = hub.asked.length;
    hub.streams.get('dev')?.end();
    await expect.poll(() => hub.asked.length).toBe(count);
    expect(watch.status).toMatchObject({ attention: 0, approvals: [] });
  });
});
