import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { OperationsQuery } from '../../../server/log/log-queries.ts';
import type { FinalState, OperationStart } from '../../../server/log/operation.ts';
import { OperationsStore } from '../../../server/log/operations.store.ts';
import { type LogsSetup, setUpLogs } from './logs-setup.ts';

const DAY_MS = 86_400_000;

let setup: LogsSetup;
beforeEach(async () => {
  setup = await setUpLogs();
});
afterEach(() => setup.close());

/** One ended operation that took `tookMs`, identified by its message. */
async function add(
  message: string,
  more: Partial<OperationStart> = {},
  state: FinalState = 'success',
  tookMs = 10,
): Promise<string> {
  const operation = setup.logs.start({ environmentId: 1, type: 'sync', action: 'run', message, ...more });
  await setup.clock.advance(tookMs);
  operation.finish(state);
  return operation.id;
}

async function names(query: Partial<OperationsQuery> = {}): Promise<string[]> {
  await setup.logs.flush();
  const { operations, total } = await setup.logs.listOperations({ environmentId: 1, ...query });
  if (query.limit === undefined) expect(total).toBe(operations.length);
  return operations.map((operation) => operation.message ?? '');
}

describe('LogsService, filters', () => {
  it('narrows by state, type, integration, connection and function, alone and together', async () => {
    await add('a', { integrationKey: 'github', connectionId: 'c1', functionName: 'issues' });
    await add('b', { integrationKey: 'github', connectionId: 'c2' }, 'failed');
    await add('c', { type: 'auth', action: 'refresh_token', integrationKey: 'slack', connectionId: 'c1' }, 'failed');
    await add('d', { environmentId: 2 });

    expect(await names()).toEqual(['c', 'b', 'a']);
    expect(await names({ states: ['failed'] })).toEqual(['c', 'b']);
    expect(await names({ types: ['auth'] })).toEqual(['c']);
    expect(await names({ types: ['auth:create_connection', 'sync:run'] })).toEqual(['b', 'a']);
    expect(await names({ integrations: ['slack', 'other'] })).toEqual(['c']);
    expect(await names({ connections: ['c1'] })).toEqual(['c', 'a']);
    expect(await names({ functions: ['issues'] })).toEqual(['a']);
    expect(await names({ connections: ['c1'], states: ['failed'], search: 'slack' })).toEqual(['c']);
    expect(await names({ states: [] })).toEqual([]);
  });

  it('narrows by period, both ends included', async () => {
    const start = setup.clock.now();
    for (const name of ['a', 'b', 'c']) await add(name);

    expect(await names({ from: start + 10 })).toEqual(['c', 'b']);
    expect(await names({ from: start, to: start + 10 })).toEqual(['b', 'a']);
  });

  it('sorts by time and by duration, unfinished ones last', async () => {
    await add('slow', {}, 'success', 500);
    await add('fast', {}, 'success', 5);
    setup.logs.start({ environmentId: 1, type: 'sync', action: 'run', message: 'open' });

    expect(await names({ direction: 'asc' })).toEqual(['slow', 'fast', 'open']);
    expect(await names({ sort: 'duration' })).toEqual(['slow', 'fast', 'open']);
    expect(await names({ sort: 'duration', direction: 'asc' })).toEqual(['fast', 'slow', 'open']);
  });

  it('gives the same page far from the start, wherever it is read from, and nothing past the end', async () => {
    for (let index = 0; index < 2_300; index += 1) {
      setup.logs
        .start({ environmentId: 1, type: 'sync', action: 'run', message: `${index}`, integrationKey: `${index % 2}` })
        .finish('success');
      // Several operations share a millisecond, as they do in real traffic.
      if (index % 3 === 0) await setup.clock.advance(1);
    }
    const whole = { asc: await names({ direction: 'asc', limit: 5_000 }), desc: await names({ limit: 5_000 }) };
    expect(whole.desc).toEqual(whole.asc.toReversed());
    expect(whole.asc).toHaveLength(2_300);

    for (const direction of ['asc', 'desc'] as const)
      for (const offset of [999, 1_000, 1_140, 1_160, 2_290, 2_299, 2_300, 9_000])
        expect(await names({ direction, offset, limit: 20 }), `${direction} ${offset}`).toEqual(
          whole[direction].slice(offset, offset + 20),
        );
    const ofOne = whole.desc.filter((name) => Number(name) % 2 === 1);
    expect(await names({ integrations: ['1'], offset: 1_100, limit: 30 })).toEqual(ofOne.slice(1_100, 1_130));
  });
});

describe('LogsService, query language', () => {
  it('runs sets, exclusions, durations and words together with the filters', async () => {
    await add('slow sync', { integrationKey: 'github', connectionId: 'c1', trigger: 'schedule' }, 'failed', 3000);
    await add('quick sync', { integrationKey: 'github', connectionId: 'c2', trigger: 'api' }, 'success', 20);
    await add('call', { type: 'proxy', action: 'call', integrationKey: 'slack' }, 'failed', 20);

    expect(await names({ search: 'state:failed -type:proxy' })).toEqual(['slow sync']);
    expect(await names({ search: 'duration>2s' })).toEqual(['slow sync']);
    expect(await names({ search: 'duration<=20 integration:github,slack' })).toEqual(['call', 'quick sync']);
    expect(await names({ search: 'trigger:api' })).toEqual(['quick sync']);
    expect(await names({ search: 'sync -quick' })).toEqual(['slow sync']);
    expect(await names({ search: 'state:failed', integrations: ['slack'] })).toEqual(['call']);
    expect(await names({ search: 'state:failed', states: ['success'] })).toEqual([]);
  });

  it('keeps what has no value of the field, and what has not ended, apart from ranges', async () => {
    await add('with', { connectionId: 'c1' });
    await add('without');
    setup.logs.start({ environmentId: 1, type: 'sync', action: 'run', message: 'open' });

    expect(await names({ search: '-connection:c1' })).toEqual(['open', 'without']);
    expect(await names({ search: 'duration<1m' })).toEqual(['without', 'with']);
  });

  it('counts the same rows by time', async () => {
    const from = setup.clock.now();
    await add('a', { integrationKey: 'github' }, 'failed');
    await add('b', { integrationKey: 'slack' });
    await setup.logs.flush();

    const { buckets } = await setup.logs.getHistogram({
      environmentId: 1,
      from,
      to: setup.clock.now(),
      bucketMs: 60_000,
      search: '-integration:slack',
    });

    expect(buckets.map(({ total, states }) => [total, states])).toContainEqual([1, { failed: 1 }]);
    expect(buckets.reduce((sum, { total }) => sum + total, 0)).toBe(1);
  });
});

describe('LogsService, pages of a search', () => {
  /** Of 60 operations every third fails, every fourth has the word of the second message. */
  beforeEach(async () => {
    for (let index = 0; index < 60; index += 1) {
      const operation = setup.logs.start({ environmentId: 1, type: 'sync', action: 'run', message: `n${index}` });
      operation.log({ level: 'info', type: 'log', source: 'user', message: 'stored slowly' });
      if (index % 4 === 0) operation.log({ level: 'info', type: 'log', source: 'user', message: 'Slowness of one' });
      await setup.clock.advance(10);
      operation.finish(index % 3 === 0 ? 'failed' : 'success');
    }
  });
  const newest = (isMeant: (index: number) => boolean): string[] =>
    Array.from({ length: 60 }, (_, index) => 59 - index)
      .filter(isMeant)
      .map((index) => `n${index}`);

  it.each([
    ['a word of all', 'slowly', () => true],
    ['a start of two words', 'slow', () => true],
    ['a word of some, in capitals', 'SLOWNESS', (index: number) => index % 4 === 0],
    ['two words of different messages', 'slown stored', (index: number) => index % 4 === 0],
    ['a word and a state', 'slowly state:failed', (index: number) => index % 3 === 0],
    ['a word that must not occur', 'slowly -slowness', (index: number) => index % 4 !== 0],
    ['a word of the operation', 'n59', (index: number) => index === 59],
    ['no word of the log', 'slowest', () => false],
  ])('are the same rows as in the whole list: %s', async (_, search, isMeant) => {
    const all = newest(isMeant);

    expect(await names({ search, limit: 100 })).toEqual(all);
    for (const page of [
      { offset: 0, limit: 3 },
      { offset: 1, limit: 2 },
      { offset: 3, limit: 20 },
    ])
      expect(await names({ search, ...page })).toEqual(all.slice(page.offset, page.offset + page.limit));
    expect(await names({ search, limit: 3, direction: 'asc' })).toEqual(all.toReversed().slice(0, 3));
  });

  it('count up to 10,000 in the newest operations', async () => {
    await setup.logs.flush();
    const store = new OperationsStore();
    const filter = { environmentId: 1, terms: ['"slowly"'] };
    const { reader } = setup.database;

    const part = await store.findNewestPart(reader, filter, 20);

    // The oldest of the 20 is left out, because others may have its time.
    expect(await store.count(reader, { ...filter, part })).toEqual({ total: 19 });
    expect(await store.findNewestPart(reader, filter, 61)).toBeUndefined();
  });
});

describe('LogsService, search', () => {
  it('finds words of an operation, of its messages, and of both together', async () => {
    await add('Sync of issues', { integrationKey: 'git-hub', connectionId: 'Zoë' });
    const failed = setup.logs.start({
      environmentId: 1,
      type: 'sync',
      action: 'run',
      message: 'Another',
      integrationKey: 'git-hub',
    });
    failed.log({ level: 'error', message: 'The rate limit was reached', error: { message: 'ETIMEDOUT' } });
    failed.finish('failed', { error: { message: 'quota exceeded' } });

    expect(await names({ search: 'issu' })).toEqual(['Sync of issues']);
    expect(await names({ search: 'zoe' })).toEqual(['Sync of issues']);
    expect(await names({ search: '"rate limit" git-hub' })).toEqual(['Another']);
    expect(await names({ search: '"limit rate"' })).toEqual([]);
    expect(await names({ search: 'quota etimedout' })).toEqual(['Another']);
    expect(await names({ search: 'git-hub' })).toHaveLength(2);
  });

  it('follows the text of an operation that changes after it was stored', async () => {
    const operation = setup.logs.start({ environmentId: 1, type: 'sync', action: 'run', message: 'Before' });
    await setup.logs.flush();
    operation.finish('success', { message: 'After' });

    expect(await names({ search: 'after' })).toEqual(['After']);
    expect(await names({ search: 'before' })).toEqual([]);
  });
});

describe('LogsService, pages', () => {
  it('stay where they are while new operations arrive', async () => {
    for (const name of ['a', 'b', 'c', 'd']) await add(name);
    await setup.logs.flush();
    const first = await setup.logs.listOperations({ environmentId: 1, limit: 2 });
    for (const name of ['e', 'f', 'g']) await add(name);
    await setup.logs.flush();

    const second = await setup.logs.listOperations({ environmentId: 1, limit: 2, offset: 2, snapshot: first.snapshot });

    expect(first.operations.map((operation) => operation.message)).toEqual(['d', 'c']);
    expect(second.operations.map((operation) => operation.message)).toEqual(['b', 'a']);
    expect([first.total, second.total]).toEqual([4, 4]);
    expect((await setup.logs.listOperations({ environmentId: 1 })).total).toBe(7);
  });
});

describe('LogsService, messages', () => {
  it('come oldest first by their own time, with filters, search and pages', async () => {
    const { logs, clock } = setup;
    const now = clock.now();
    const operation = logs.start({ environmentId: 1, type: 'sync', action: 'run' });
    operation.log({ level: 'info', message: 'second', at: now + 2, source: 'user', meta: { page: 2 } });
    operation.log({ level: 'error', message: 'third line', at: now + 3 });
    operation.log({ level: 'debug', message: 'first', at: now + 1, type: 'http', durationMs: 1.6 });
    const query = { environmentId: 1, operationId: operation.id };
    const texts = async (more: object): Promise<string[] | undefined> =>
      (await logs.listMessages({ ...query, ...more }))?.messages.map((message) => message.message);
    await logs.flush();

    expect(await texts({})).toEqual(['first', 'second', 'third line']);
    expect(await texts({ offset: 1, limit: 1 })).toEqual(['second']);
    expect(await texts({ levels: ['error', 'debug'] })).toEqual(['first', 'third line']);
    expect(await texts({ source: 'user' })).toEqual(['second']);
    expect(await texts({ type: 'http' })).toEqual(['first']);
    expect(await texts({ search: 'LINE' })).toEqual(['third line']);
    expect((await logs.listMessages(query))?.messages[1]).toMatchObject({
      meta: { page: 2 },
      error: null,
      createdAt: now + 2,
    });
    expect(await logs.listMessages({ environmentId: 2, operationId: operation.id })).toBeUndefined();
  });

  it('keep to a snapshot and to their own operation', async () => {
    const { logs } = setup;
    const [one, two] = ['one', 'two'].map((message) =>
      logs.start({ environmentId: 1, type: 'sync', action: 'run', message }),
    );
    one!.log({ level: 'info', message: 'a' });
    two!.log({ level: 'info', message: 'b' });
    await logs.flush();
    const first = await logs.listMessages({ environmentId: 1, operationId: one!.id });
    one!.log({ level: 'info', message: 'c' });
    await logs.flush();

    const again = await logs.listMessages({ environmentId: 1, operationId: one!.id, snapshot: first!.snapshot });

    expect(again?.messages.map((message) => message.message)).toEqual(['a']);
    expect((await logs.listMessages({ environmentId: 1, operationId: one!.id }))?.total).toBe(2);
  });
});

describe('LogsService, figures', () => {
  it('counts the values of a filter, most frequent first', async () => {
    for (const integrationKey of ['slack', 'github', 'github', 'gitlab']) await add('x', { integrationKey });
    await add('none');
    await setup.logs.flush();

    expect(await setup.logs.listFilterValues({ environmentId: 1, category: 'integration' })).toEqual([
      { key: 'github', count: 2 },
      { key: 'gitlab', count: 1 },
      { key: 'slack', count: 1 },
    ]);
    expect(await setup.logs.listFilterValues({ environmentId: 1, category: 'integration', search: 'LAB' })).toEqual([
      { key: 'gitlab', count: 1 },
    ]);
  });

  it('draws a histogram of the filtered operations', async () => {
    const from = setup.clock.now();
    await add('a', {}, 'failed', 60_000);
    await add('b', {}, 'success', 0);
    await add('c', { type: 'proxy', action: 'call' });
    await setup.logs.flush();

    const { bucketMs, buckets } = await setup.logs.getHistogram({
      environmentId: 1,
      from,
      to: from + 120_000,
      types: ['sync'],
    });

    expect(bucketMs).toBe(60_000);
    expect(buckets).toEqual([
      { at: from, total: 1, states: { failed: 1 } },
      { at: from + 60_000, total: 1, states: { success: 1 } },
      { at: from + 120_000, total: 0, states: {} },
    ]);
  });

  it('counts the days of a zone, of which one has 25 hours', async () => {
    const moments = ['2026-10-24T21:30:00Z', '2026-10-24T22:30:00Z', '2026-10-25T22:30:00Z', '2026-10-25T23:30:00Z'];
    for (const moment of moments) {
      await setup.clock.advance(Date.parse(moment) - setup.clock.now());
      await add(moment);
    }
    await setup.logs.flush();
    const days = { environmentId: 1, from: Date.parse('2026-10-23T22:00:00Z'), to: Date.parse('2026-10-26T22:59:59Z') };

    const { buckets, end } = await setup.logs.getHistogram({ ...days, bucketMs: DAY_MS, timeZone: 'Europe/Berlin' });

    expect(buckets.map(({ at, total }) => [new Date(at).toISOString(), total])).toEqual([
      ['2026-10-23T22:00:00.000Z', 1],
      ['2026-10-24T22:00:00.000Z', 2],
      ['2026-10-25T23:00:00.000Z', 1],
    ]);
    expect(new Date(end).toISOString()).toBe('2026-10-26T23:00:00.000Z');
  });

  it('gives the last 14 UTC days, today last', async () => {
    await add('long ago', {}, 'success', 13 * DAY_MS);
    await add('a', {}, 'timeout');
    setup.logs.start({ environmentId: 1, type: 'sync', action: 'run' });
    await setup.logs.flush();

    const days = await setup.logs.getInsights(1, 'sync:run');

    expect(days).toHaveLength(14);
    expect(days[0]).toMatchObject({ key: '2026-06-01', total: 1, success: 1 });
    expect(days[13]).toEqual({
      key: '2026-06-14',
      total: 2,
      success: 0,
      failure: 0,
      expired: 1,
      cancelled: 0,
      running: 1,
    });
  });
});

describe('LogsService, requests to providers', () => {
  const request = { method: 'GET', url: 'https://a.test/items?page=2', headers: { accept: '*/*', 'x-own': 'a' } };
  const response = { code: 200, headers: { 'content-type': 'application/json', etag: '"1"', 'x-other': '' } };
  const detailsOf = async (id: string) => {
    await setup.logs.flush();
    const found = await setup.logs.listMessages({ environmentId: 1, operationId: id });
    return found?.messages.map(({ request, response, retry, error }) => ({ request, response, retry, error }));
  };
  const NOTHING = { request: null, response: null, retry: null, error: null };

  it('are read as they were logged, whichever parts they have', async () => {
    const operation = setup.logs.start({ environmentId: 1, type: 'proxy', action: 'call' });
    const message = 'GET https://a.test/items?page=2';
    const retry = { attempt: 1, max: 2, waitedMs: 10 };
    const noHeaders = { method: 'GET', url: request.url };
    operation.log({ level: 'info', type: 'http', message, request, response, retry });
    operation.log({ level: 'error', type: 'http', message, request, error: { message: 'no answer' } });
    operation.log({ level: 'info', type: 'http', message: 'another text', request, response: { code: 204 } });
    operation.log({ level: 'info', type: 'http', message, request: noHeaders, response: { code: 200, headers: {} } });

    expect(await detailsOf(operation.id)).toEqual([
      { ...NOTHING, request, response, retry },
      { ...NOTHING, request, error: { message: 'no answer' } },
      { ...NOTHING, request, response: { code: 204 } },
      { ...NOTHING, request: noHeaders, response: { code: 200, headers: {} } },
    ]);
  });

  it('are stored with the address once, and without the names of common headers', async () => {
    const operation = setup.logs.start({ environmentId: 1, type: 'proxy', action: 'call' });
    operation.log({ level: 'info', type: 'http', message: `GET ${request.url}`, request, response });
    await setup.logs.flush();

    expect(await setup.database.reader.get('SELECT message, details FROM log_messages')).toEqual({
      message: `GET ${request.url}`,
      details: '{"request":[2,"x-own","a"],"response":[200,7,-3,"\\"1\\"","x-other",""]}',
    });
  });

  it('are read as an older version stored them', async () => {
    const operation = setup.logs.start({ environmentId: 1, type: 'proxy', action: 'call' });
    operation.log({ level: 'info', type: 'http', message: `GET ${request.url}`, request, response });
    await setup.logs.flush();
    await setup.database.transaction((tx) =>
      tx.run('UPDATE log_messages SET details = ?', [JSON.stringify({ request, response })]),
    );

    expect(await detailsOf(operation.id)).toEqual([{ ...NOTHING, request, response }]);
  });
});
