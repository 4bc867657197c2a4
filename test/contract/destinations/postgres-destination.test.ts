import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type FunctionHub, startFunctionHub } from '../../support/function-hub.ts';
import { type Postgres, startPostgres } from '../../support/start-postgres.ts';
import { waitFor } from '../../support/wait-for.ts';
import { waitForSync } from '../../support/wait-for-sync.ts';

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
interface Destination extends Body {
  id: string;
  state: string;
  waiting: number;
  error: { code: string; message: string } | null;
}

let hub: FunctionHub;
let postgres: Postgres;
let count = 0;
let schema: string;

beforeAll(async () => {
  [hub, postgres] = await Promise.all([startFunctionHub({ 'syncs/tickets.ts': SYNC }), startPostgres()]);
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

async function run(body: unknown, connectionId = 'c1'): Promise<void> {
  hub.provider.on('GET /tickets', { body });
  const { nango } = hub.connection;
  const previous = (await nango.syncStatus('acme', ['tickets'], connectionId)).syncs[0];
  await nango.triggerSync('acme', ['tickets'], connectionId);
  await waitForSync(
    { ...hub.connection, connectionId },
    'tickets',
    ({ finishedAt }) => finishedAt !== undefined && finishedAt !== previous?.finishedAt,
  );
}

async function create(more: Body = {}): Promise<Destination> {
  const body = { name: `To ${schema}`, kind: 'postgres', connection_string: postgres.url, schema, ...more };
  const answer = await hub.call('POST', '/records/destinations', { body });
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return answer.body.data as Destination;
}
const read = async ({ id }: Destination): Promise<Destination> =>
  (await hub.call('GET', `/records/destinations/${id}`)).body.data;
const act = (one: Destination, name: string, body?: Body) =>
  hub.call('POST', `/records/destinations/${one.id}/${name}`, body ? { body } : {});

async function settled(one: Destination): Promise<Destination> {
  return waitFor(
    async () => {
      const now = await read(one);
      return now.state === 'up_to_date' && now.checked_at !== null ? now : undefined;
    },
    { what: 'everything to be delivered' },
  );
}
async function failed(one: Destination): Promise<{ code: string; message: string }> {
  const { error } = await waitFor(
    async () => {
      const now = await read(one);
      return now.error ? now : undefined;
    },
    { what: 'a failure' },
  );
  return error as { code: string; message: string };
}
const rows = (sql: string) => postgres.query(sql.replaceAll('@', `"${schema}".`));

describe('a PostgreSQL destination', () => {
  it('gets a table for each model, with typed columns and what every view has', { tags: ['main-path'] }, async () => {
    await run({ tickets: [ticket('1'), ticket('2', { price: 2.5 })], orders: [{ id: 'o1', items: [{ sku: 'x' }] }] });
    const one = await create();
    const now = await settled(one);
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
    await settled(one);
    await run({ tickets: [ticket('1', { title: 'Changed' })], gone: [{ id: '2' }] });
    await waitFor(async () => (await rows('SELECT title FROM @"acme_Ticket"')).length === 1, { what: 'the deletion' });
    expect(await rows('SELECT title FROM @"acme_Ticket"')).toEqual([{ title: 'Changed' }]);
    await run({ tickets: [ticket('2', { title: 'Back' })] });
    await waitFor(async () => (await rows('SELECT title FROM @"acme_Ticket"')).length === 2, { what: 'the record' });
  });
});

describe('a PostgreSQL destination that was touched', () => {
  it('says that a table is gone, and fills it again by a replay', async () => {
    await run({ tickets: [ticket('1')] });
    const one = await create();
    await settled(one);
    await rows('DROP TABLE @"acme_Ticket"');
    await run({ tickets: [ticket('2')] });
    expect(await failed(one)).toMatchObject({
      code: 'destination_changed',
      message: expect.stringContaining(`"${schema}"."acme_Ticket" is gone`),
    });
    expect((await act(one, 'replay', {})).status).toBe(200);
    await settled(one);
    expect(await rows('SELECT _id FROM @"acme_Ticket" ORDER BY _id')).toEqual([{ _id: '1' }, { _id: '2' }]);
  });
});
