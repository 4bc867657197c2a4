// @module-tag slow
import { connect, createServer, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type DestinationCalls, destinationCalls } from '../../support/destination-calls.ts';
import { type FunctionHub, startFunctionHub } from '../../support/function-hub.ts';
import { type Postgres, startPostgres } from '../../support/start-postgres.ts';
import { waitFor } from '../../support/wait-for.ts';
import { DashboardClient } from '../dashboard/dashboard-client.ts';

const SYNC = `import { createSync } from 'homeport';
import * as z from 'zod';

const Ticket = z.object({
  id: z.string(),
  title: z.string(),
  open: z.boolean(),
  votes: z.number().int(),
  price: z.number().nullable(),
  due: z.iso.date().optional(),
  opened: z.iso.datetime(),
  author: z.object({ name: z.string() }),
  labels: z.array(z.string()),
});

export default createSync({
  description: 'Written by a test',
  version: '1.0.0',
  frequency: 'every day',
  autoStart: false,
  models: { Ticket, Order: z.any() },
  exec: async (nango) => {
    const { data } = await nango.get({ endpoint: '/tickets' });
    if (data.tickets) await nango.batchSave(data.tickets, 'Ticket');
    if (data.orders) await nango.batchSave(data.orders, 'Order');
    if (data.gone) await nango.batchDelete(data.gone, 'Ticket');
  },
});
`;

const ticket = (id: string, more: Record<string, unknown> = {}) => ({
  id,
  title: `Ticket ${id}`,
  open: true,
  votes: Number(id),
  price: null,
  due: '2026-02-03',
  opened: '2026-01-02T03:04:05+01:00',
  author: { name: 'Kim' },
  labels: ['a', 'b'],
  ...more,
});

type Body = Record<string, unknown>;
let hub: FunctionHub;
let postgres: Postgres;
let page: DashboardClient;
let calls: DestinationCalls;
let count = 0;
let schema: string;

beforeAll(async () => {
  [hub, postgres] = await Promise.all([startFunctionHub({ 'syncs/tickets.ts': SYNC }), startPostgres()]);
  calls = destinationCalls(hub);
  page = await DashboardClient.signIn({ url: hub.server.url, signIn: hub.server });
  await hub.addConnection('c2', { tags: { team: 'blue' }, end_user: { id: 'u2' } });
});
afterAll(async () => {
  await Promise.all([hub?.stop(), postgres?.stop()]);
});
beforeEach(async () => {
  count += 1;
  schema = `s${count}`;
  await hub.renewConnection();
});

afterEach(() => calls.clear());

const run = (body: unknown, connectionId?: string) => calls.runSync('tickets', body, connectionId);
const create = (more: Body = {}) =>
  calls.create({
    ...{ name: `To ${schema}`, kind: 'postgres', connection_string: postgres.url, schema, connections: ['c1'] },
    ...more,
  });
const rows = (sql: string) => postgres.query(sql.replaceAll('@', `"${schema}".`));

describe('a PostgreSQL destination', () => {
  it('gets a table for each model, with typed columns and what every view has', { tags: ['main-path'] }, async () => {
    await run({ tickets: [ticket('1'), ticket('2', { price: 2.5 })], orders: [{ id: 'o1', items: [{ sku: 'x' }] }] });
    const one = await create();
    const now = await calls.settled(one);
    expect(now).toMatchObject({ delivered: 3, waiting: 0, lag_seconds: 0, error: null });
    expect(now['progress']).toMatchObject([
      { integration: 'acme', model: 'Order', delivered: 1, waiting: 0 },
      { integration: 'acme', model: 'Ticket', delivered: 2, waiting: 0 },
    ]);
    expect(
      await rows(
        'SELECT title, votes, price, due::text, opened, author, _deleted, _connection FROM @"acme_Ticket" ORDER BY _id',
      ),
    ).toEqual([
      {
        ...{ title: 'Ticket 1', votes: '1', price: null, due: '2026-02-03', author: { name: 'Kim' } },
        ...{ opened: new Date('2026-01-02T02:04:05Z'), _deleted: false, _connection: 'c1' },
      },
      expect.objectContaining({ title: 'Ticket 2', price: '2.5' }),
    ]);
    expect(await rows('SELECT _id, _record FROM @"acme_Order"')).toEqual([
      { _id: 'o1', _record: { id: 'o1', items: [{ sku: 'x' }] } },
    ]);
  });

  it('follows updates and deletions, and takes a record back', async () => {
    await run({ tickets: [ticket('1'), ticket('2')] });
    const one = await create();
    await calls.settled(one);
    await run({ tickets: [ticket('1', { title: 'Changed' })], gone: [{ id: '2' }] });
    await waitFor(async () => (await rows('SELECT title FROM @"acme_Ticket"')).length === 1, { what: 'the deletion' });
    expect(await rows('SELECT title FROM @"acme_Ticket"')).toEqual([{ title: 'Changed' }]);
    await run({ tickets: [ticket('2', { title: 'Back' })] });
    await waitFor(async () => (await rows('SELECT title FROM @"acme_Ticket"')).length === 2, { what: 'the record' });
  });
});

describe('values that PostgreSQL has no place for', () => {
  it('stay in _record, or are written as it can store them', async () => {
    await run({
      tickets: [
        ticket('1', { votes: 'many', due: '2026-02-30', opened: 'yesterday', title: 'nul \u0000 here', extra: [1] }),
        ticket('2', { author: { name: 'lone \ud800 half', 'nul\u0000key': true }, labels: [] }),
      ],
      orders: [{ id: 'o1', _id: 'own', __proto__x: 1, [`${'long'.repeat(40)}`]: true, 'a"b': 1 }],
    });
    await calls.settled(await create());
    expect(await rows('SELECT title, votes, due, opened, _record FROM @"acme_Ticket" WHERE _id = \'1\'')).toEqual([
      {
        ...{ title: 'nul ␀ here', votes: null, due: null, opened: null },
        _record: { votes: 'many', due: '2026-02-30', opened: 'yesterday', extra: [1] },
      },
    ]);
    expect(await rows('SELECT author, _record FROM @"acme_Ticket" WHERE _id = \'2\'')).toEqual([
      { author: { name: 'lone \ufffd half', 'nul␀key': true }, _record: null },
    ]);
    expect(await rows('SELECT _record FROM @"acme_Order"')).toMatchObject([{ _record: { _id: 'own', 'a"b': 1 } }]);
  });
});

describe('the end of a PostgreSQL destination', () => {
  it('keeps rows of deleted records when that is chosen', async () => {
    await run({ tickets: [ticket('1'), ticket('2')] });
    const one = await create({ deletions: 'mark' });
    await calls.settled(one);
    await run({ gone: [{ id: '1' }] });
    await waitFor(async () => (await rows('SELECT _id FROM @"acme_Ticket" WHERE _deleted')).length === 1, {
      what: 'the mark',
    });
    expect(await rows('SELECT _id, title, _deleted FROM @"acme_Ticket" ORDER BY _id')).toEqual([
      { _id: '1', title: 'Ticket 1', _deleted: true },
      { _id: '2', title: 'Ticket 2', _deleted: false },
    ]);
  });

  it('removes the rows of a connection that is deleted', async () => {
    await run({ tickets: [ticket('1')] });
    await run({ tickets: [ticket('1'), ticket('2')] }, 'c2');
    const one = await create({ connections: [] });
    await calls.settled(one);
    expect(await rows('SELECT _id FROM @"acme_Ticket"')).toHaveLength(3);
    await hub.renewConnection();
    await calls.act(one, 'retry');
    await waitFor(async () => (await rows('SELECT _id FROM @"acme_Ticket"')).length === 2, { what: 'the removal' });
    expect(await rows('SELECT DISTINCT _connection FROM @"acme_Ticket"')).toEqual([{ _connection: 'c2' }]);
  });

  it('delivers only what is chosen', async () => {
    await run({ tickets: [ticket('1')], orders: [{ id: 'o1' }] });
    await calls.settled(await create({ models: ['Order'], integrations: ['acme'] }));
    expect(
      await rows(`SELECT tablename FROM pg_tables WHERE schemaname = '${schema}' AND tablename LIKE 'acme%'`),
    ).toEqual([{ tablename: 'acme_Order' }]);
  });
});

describe('a PostgreSQL destination that is away', () => {
  it('loses nothing, and says what is wrong once', async () => {
    await run({ tickets: [ticket('1')] });
    const one = await create();
    await calls.settled(one);
    await postgres.crash();
    await run({ tickets: [ticket('1', { title: 'While it was away' }), ticket('2')] });
    expect((await calls.failed(one)).code).toBe('destination_unreachable');
    const { data } = await waitFor(
      async () => {
        const found = await page.call('GET /api/v1/overview/attention');
        return found.data.some(({ kind }) => kind === 'destination') ? found : undefined;
      },
      { what: 'its line in the overview' },
    );
    expect(data.find(({ kind }) => kind === 'destination')).toMatchObject({ destinationId: one.id });
    const notices = async () =>
      (await page.call('GET /api/v1/notifications')).data.filter(({ kind }) => kind === 'destination');
    expect(await waitFor(async () => (await notices())[0], { what: 'the notification' })).toMatchObject({
      title: `Records do not reach To ${schema}`,
      link: `/dev/destinations?destination=${one.id}`,
    });
    await postgres.start();
    await calls.act(one, 'retry');
    await calls.settled(one);
    expect(await rows('SELECT _id, title FROM @"acme_Ticket" ORDER BY _id')).toEqual([
      { _id: '1', title: 'While it was away' },
      { _id: '2', title: 'Ticket 2' },
    ]);
    await waitFor(async () => (await notices()).every(({ isOver }) => isOver), { what: 'the end of the notification' });
    expect(await notices()).toHaveLength(1);
  });

  it('waits while it is paused', async () => {
    await run({ tickets: [ticket('1')] });
    const one = await create();
    await calls.settled(one);
    await calls.act(one, 'pause');
    await run({ tickets: [ticket('2')] });
    expect(await calls.read(one)).toMatchObject({ state: 'paused', waiting: 1 });
    expect(await rows('SELECT _id FROM @"acme_Ticket"')).toHaveLength(1);
    await calls.act(one, 'resume');
    await calls.settled(one);
    expect(await rows('SELECT _id FROM @"acme_Ticket"')).toHaveLength(2);
  });
});

describe('a connection to PostgreSQL that is half open', () => {
  it('does not keep the hub from stopping, and loses nothing', async () => {
    const sockets = new Set<Socket>();
    let isFrozen = false;
    const proxy = createServer((near) => {
      const far = connect(postgres.port, '127.0.0.1');
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        sockets.add(from);
        from.on('data', (chunk) => isFrozen || to.write(chunk));
        from.on('error', () => {});
        from.on('close', () => to.destroy());
      }
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const at = proxy.address();
    const port = typeof at === 'object' && at ? at.port : 0;
    await run({ tickets: [ticket('1')] });
    const one = await create({ connection_string: postgres.url.replace(`:${postgres.port}`, `:${port}`) });
    await calls.settled(one);
    isFrozen = true;
    const before = sockets.size;
    await run({ tickets: [ticket('2')] });
    await waitFor(() => sockets.size > before, { what: 'the next connection' });
    await hub.server.end();
    isFrozen = false;
    await hub.server.restart();
    await calls.settled(one);
    expect(await rows('SELECT _id FROM @"acme_Ticket" ORDER BY _id')).toEqual([{ _id: '1' }, { _id: '2' }]);
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => proxy.close(resolve));
  });
});

describe('a PostgreSQL destination that was touched', () => {
  it('says that a table is gone, and fills it again by a replay', async () => {
    await run({ tickets: [ticket('1')] });
    const one = await create();
    await calls.settled(one);
    await rows('DROP TABLE @"acme_Ticket"');
    await run({ tickets: [ticket('2')] });
    expect(await calls.failed(one)).toMatchObject({
      code: 'destination_changed',
      message: expect.stringContaining(`"${schema}"."acme_Ticket" is gone`),
    });
    expect((await calls.act(one, 'replay', {})).status).toBe(200);
    await calls.settled(one);
    expect(await rows('SELECT _id FROM @"acme_Ticket" ORDER BY _id')).toEqual([{ _id: '1' }, { _id: '2' }]);
  });

  it('says that a column was changed, and goes on beside it after a replay', async () => {
    await run({ tickets: [ticket('1')] });
    const one = await create();
    await calls.settled(one);
    await rows('ALTER TABLE @"acme_Ticket" ALTER COLUMN votes TYPE text');
    await run({ tickets: [ticket('2')] });
    expect(await calls.failed(one)).toMatchObject({
      code: 'destination_changed',
      message: expect.stringContaining('is text now; it was made as bigint'),
    });
    await calls.act(one, 'replay', { from: null });
    await calls.settled(one);
    expect(await rows('SELECT votes, votes__bigint FROM @"acme_Ticket" ORDER BY _id')).toEqual([
      { votes: '1', votes__bigint: '1' },
      { votes: null, votes__bigint: '2' },
    ]);
  });

  it('leaves a table that it did not make as it is', async () => {
    await run({ tickets: [ticket('1')] });
    await rows(`CREATE SCHEMA "${schema}"`);
    await rows('CREATE TABLE @"acme_Ticket" (mine text)');
    expect((await calls.failed(await create())).code).toBe('destination_taken');
    expect(await rows('SELECT mine FROM @"acme_Ticket"')).toEqual([]);
  });

  it('is refused to a second destination, of this hub or another', async () => {
    await run({ tickets: [ticket('1')] });
    const first = await create();
    await calls.settled(first);
    const second = await create({ name: `Second to ${schema}` });
    expect(await calls.failed(second)).toMatchObject({
      code: 'destination_taken',
      message: expect.stringContaining('belongs to another destination'),
    });
    await calls.settled(first);
  });

  it('delivers again from a moment on', async () => {
    await run({ tickets: [ticket('1')] });
    const one = await create();
    await calls.settled(one);
    const [{ at } = { at: '' }] = await postgres.query<{ at: string }>(
      `SELECT to_char(max(_last_changed) + interval '1 ms', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS at FROM "${schema}"."acme_Ticket"`,
    );
    await waitFor(() => new Date().toISOString() > at, { what: 'the next millisecond' });
    await run({ tickets: [ticket('2')] });
    await calls.settled(one);
    await rows('UPDATE @"acme_Ticket" SET title = \'by hand\'');
    await calls.act(one, 'replay', { from: at });
    await waitFor(async () => (await calls.read(one))['delivered'] === 3, { what: 'the replay' });
    await calls.settled(one);
    expect(await rows('SELECT title FROM @"acme_Ticket" ORDER BY _id')).toEqual([
      { title: 'by hand' },
      { title: 'Ticket 2' },
    ]);
  });
});

describe('requests about destinations', () => {
  it('are refused with what to do', async () => {
    const post = async (body: Body) => {
      const answer = await hub.call('POST', '/records/destinations', { body });
      return [answer.status, answer.body.error.errors?.[0]?.path?.[0] ?? answer.body.error.code];
    };
    const to = { name: 'x', kind: 'postgres', connection_string: postgres.url };
    expect(await post({ ...to, connection_string: 'host=localhost' })).toEqual([400, 'connection_string']);
    expect(await post({ ...to, connection_string: 'postgres://localhost/data' })).toEqual([400, 'connection_string']);
    expect(await post({ ...to, schema: 'pg_catalog' })).toEqual([400, 'schema']);
    expect(await post({ name: 'x', kind: 'ndjson', folder: 'relative' })).toEqual([400, 'folder']);
    expect(await post({ name: 'x', kind: 'ndjson', folder: hub.server.home })).toEqual([400, 'folder']);
    expect(await post({ name: 'x', kind: 'http', url: hub.server.url })).toEqual([400, 'url']);
    const one = await create();
    expect(await post({ ...to, name: `To ${schema}`, schema })).toEqual([400, 'name']);
    expect(JSON.stringify(await calls.read(one))).not.toContain('postgres://');
  });

  it('test a connection without writing anything', async () => {
    const test = async (more: Body) =>
      (
        await hub.call('POST', '/records/destinations/test', {
          body: { name: 'x', kind: 'postgres', connection_string: postgres.url, schema, ...more },
        })
      ).body.data;
    expect(await test({})).toMatchObject({ ok: true, message: expect.stringContaining('will be made') });
    expect(await rows(`SELECT nspname FROM pg_namespace WHERE nspname = '${schema}'`)).toEqual([]);
    const wrong = postgres.url.replace('/data', '/nowhere');
    expect(await test({ connection_string: wrong })).toEqual({
      ok: false,
      message: `There is no database nowhere at 127.0.0.1:${postgres.port}.`,
    });
    expect(await test({ tls: 'verify' })).toMatchObject({
      ok: false,
      message: expect.stringContaining('no encryption'),
    });
  });
});
