import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { OperationStart } from '../../../server/log/operation.ts';
import type { Transaction } from '../../../server/platform/database/database.ts';
import { silentLogger } from '../../../server/platform/lib/logger.ts';
import { type LogsSetup, setUpLogs } from './logs-setup.ts';

const RUN: OperationStart = {
  environmentId: 1,
  type: 'sync',
  action: 'run',
  connectionId: 'c-1',
  message: 'Sync started',
};

const CONNECTIONS = [
  "INSERT INTO integrations VALUES (1, 1, 'crm', NULL)",
  `INSERT INTO connections VALUES (1, 'a', '{"id":"u-1","displayName":"Cobalt Cycles"}', '{}', NULL),
     (1, 'b', NULL, '{"end_user_display_name":"Tagged"}', NULL), (1, 'c', NULL, '{}', NULL)`,
];

let setup: LogsSetup;
beforeEach(async () => {
  setup = await setUpLogs();
});
afterEach(() => setup.close());

/** Forwards transactions, records the statements, and fails while `failure` is set. */
function watchDatabase() {
  const statements: string[] = [];
  const watched = {
    failure: undefined as Error | undefined,
    begun: 0,
    statements,
    reader: setup.database.reader,
    longReader: setup.database.longReader,
    transaction: <T>(work: (tx: Transaction) => Promise<T>): Promise<T> => {
      if (watched.failure) return Promise.reject(watched.failure);
      return setup.database.transaction((tx) =>
        work({
          ...tx,
          run: (sql, params) => {
            statements.push(sql);
            return tx.run(sql, params);
          },
        }),
      );
    },
  };
  return watched;
}

const storedStates = () => setup.database.reader.all('SELECT state FROM log_operations ORDER BY seq');

describe('LogsService, writing', () => {
  it('writes nothing until 100 ms have passed', async () => {
    const { logs, clock } = setup;
    logs.start(RUN).log({ level: 'info', message: 'hello' });

    await clock.advance(99);
    const before = await storedStates();
    await clock.advance(1);
    await logs.flush();

    expect(before).toEqual([]);
    expect(await storedStates()).toEqual([{ state: 'running' }]);
  });

  it('writes what comes while it writes in the next window', async () => {
    const { events, clock } = setup;
    const watched = watchDatabase();
    const logs = setup.createService({
      database: {
        reader: watched.reader,
        longReader: watched.longReader,
        transaction: (work) => {
          const result = watched.transaction(work);
          if (watched.begun++ === 0) operation.log({ level: 'info', message: 'late' });
          return result;
        },
      },
    });
    const operation = logs.start(RUN);
    const firstStored = new Promise<void>((resolve) => events.on('operation', () => resolve()));

    await clock.advance(100);
    await firstStored;
    const afterOne = watched.begun;
    await logs.flush();

    expect(afterOne).toBe(1);
    expect(watched.begun).toBe(2);
  });

  it('stores an operation that ends within one window by a single insert', async () => {
    const database = watchDatabase();
    const logs = setup.createService({ database });
    const operation = logs.start(RUN);
    await setup.clock.advance(7);
    operation.log({ level: 'warn', message: 'careful' });
    operation.finish('success');

    await logs.flush();

    expect(database.statements.filter((sql) => sql.includes('INTO log_operations ('))).toHaveLength(1);
    // BEGIN, the operation with its search text, the written size (for the limit in bytes), COMMIT.
    expect(database.statements).toHaveLength(5);
    expect(await logs.findOperation(1, operation.id)).toMatchObject({
      state: 'success',
      durationMs: 7,
      startedAt: expect.any(Number),
    });
  });

  it('stores the end user of a connection as it is when the operation is written', async () => {
    const { logs, events, database } = setup;
    await database.transaction(async (tx) => {
      for (const statement of CONNECTIONS) await tx.run(statement);
    });
    const told: unknown[] = [];
    events.on('operation', ({ changed: { endUserName, state } }) => told.push([endUserName, state]));
    const of = (connectionId: string) => logs.start({ ...RUN, integrationKey: 'crm', connectionId });
    const operations = ['a', 'b', 'c', 'gone'].map(of);
    await logs.flush();
    await database.transaction((tx) => tx.run("UPDATE connections SET end_user = NULL, tags = '{}'"));
    operations[0]?.finish('success');
    await logs.flush();

    const rows = await database.reader.all('SELECT end_user_id AS id, end_user_name AS name FROM log_operations');
    expect(rows).toEqual([
      { id: 'u-1', name: 'Cobalt Cycles' },
      { id: null, name: 'Tagged' },
      { id: null, name: null },
      { id: null, name: null },
    ]);
    expect(told[0]).toEqual(['Cobalt Cycles', 'running']);
  });

  it('writes at once when 500 entries wait', async () => {
    const { logs, events } = setup;
    const operation = logs.start(RUN);
    const stored = new Promise<number>((resolve) => {
      events.on('message', ({ messages }) => resolve(messages.length));
    });

    for (let index = 0; index < 499; index += 1) operation.log({ level: 'debug', message: `line ${index}` });

    expect(await stored).toBe(499);
  });

  it('follows an operation from waiting to its end, which happens once', async () => {
    const { logs, clock } = setup;
    const operation = logs.start({ ...RUN, state: 'waiting', meta: { attempt: 1 } });
    const waiting = await logs.findOperation(1, operation.id);
    await clock.advance(1_000);
    operation.begin();
    await clock.advance(250);
    operation.finish('failed', {
      error: { message: 'No answer', type: 'timeout', payload: { a: 1 } },
      meta: { rows: 3 },
    });
    operation.finish('success', { message: 'too late' });

    await logs.flush();

    expect(waiting).toMatchObject({ state: 'waiting', startedAt: null, level: 'info' });
    expect(await logs.findOperation(1, operation.id)).toMatchObject({
      operation: { type: 'sync', action: 'run' },
      state: 'failed',
      level: 'error',
      message: 'Sync started',
      connectionName: 'c-1',
      durationMs: 250,
      error: { message: 'No answer', type: 'timeout', payload: { a: 1 } },
      meta: { attempt: 1, rows: 3 },
    });
  });

  it('finds an operation by its id before it was written', async () => {
    const { id } = setup.logs.start(RUN);

    expect(await setup.logs.findOperation(1, id)).toMatchObject({ id });
    expect(await setup.logs.findOperation(2, id)).toBeUndefined();
  });

  it('counts HTTP calls and changed records', async () => {
    const { logs } = setup;
    const operation = logs.start(RUN);
    operation.log({ level: 'info', type: 'http', message: 'GET /', response: { code: 200 } });
    operation.log({
      level: 'info',
      message: 'saved',
      persistResults: { added: 2, updated: 1, unchanged: 9, deleted: 1 },
    });

    expect(await logs.findOperation(1, operation.id)).toMatchObject({
      httpCalls: 1,
      recordsChanged: 4,
      recordsAdded: 2,
      recordsUpdated: 1,
      recordsDeleted: 1,
    });
  });

  it('appends to a stored operation by its id and leaves its state alone', async () => {
    const { logs } = setup;
    const operation = logs.start(RUN);
    operation.log({ level: 'info', message: 'first' });
    operation.finish('success');
    await logs.flush();

    const later = setup.createService();
    later.attach(operation.id).log({ level: 'info', message: 'second' });
    later.attach(operation.id).finish('failed');
    later.attach('unknown').log({ level: 'info', message: 'lost' });
    await later.flush();

    const found = await logs.listMessages({ environmentId: 1, operationId: operation.id });
    expect(found?.messages.map((message) => message.message)).toEqual(['first', 'second']);
    expect((await logs.findOperation(1, operation.id))?.state).toBe('success');
    expect(await setup.database.reader.get('SELECT count(*) AS n FROM log_messages')).toEqual({ n: 2 });
  });

  it('reports a disk that fails once, keeps the entries, and writes them when it can', async () => {
    const database = watchDatabase();
    const reports: string[] = [];
    const report = (_fields: object, text: string): void => void reports.push(text);
    const logs = setup.createService({ database, logger: { ...silentLogger, error: report, info: report } });
    database.failure = new Error('disk I/O error');
    const operation = logs.start(RUN);
    operation.log({ level: 'info', message: 'kept' });
    await logs.flush();
    await logs.flush();

    database.failure = undefined;
    operation.finish('success');
    await setup.clock.advance(60_000);
    await logs.flush();

    expect(reports).toEqual(['The log cannot be stored; trying again.', 'The log is stored again.']);
    expect(await storedStates()).toEqual([{ state: 'success' }]);
    expect((await logs.listMessages({ environmentId: 1, operationId: operation.id }))?.total).toBe(1);
  });

  it('leaves out rows that the database refuses instead of trying them for ever', async () => {
    const database = watchDatabase();
    const logs = setup.createService({ database });
    database.failure = Object.assign(new Error('NOT NULL constraint failed'), { code: 'SQLITE_CONSTRAINT' });
    logs.start({ ...RUN, message: 'refused' });
    await logs.flush();
    database.failure = undefined;
    logs.start({ ...RUN, message: 'fine' });
    await logs.flush();

    expect((await logs.listOperations({ environmentId: 1 })).operations.map(({ message }) => message)).toEqual([
      'fine',
    ]);
  });

  it('leaves no timer behind when it stops', async () => {
    const { logs, clock } = setup;
    await logs.resume();
    logs.start(RUN);

    await logs.stop();

    expect(clock.pendingTimers).toBe(0);
    expect(await storedStates()).toEqual([{ state: 'running' }]);
  });
});

describe('LogsService, live events', () => {
  it('tells an operation in full first and then what changed, and messages in batches', async () => {
    const { logs, events } = setup;
    const received: unknown[] = [];
    events.on('operation', (event) => received.push(event.changed));
    events.on('message', (event) => received.push(event.messages.map((message) => message.message)));
    const operation = logs.start(RUN);
    operation.log({ level: 'info', message: 'a' });
    operation.log({ level: 'info', message: 'b' });
    await logs.flush();
    operation.finish('cancelled');
    await logs.flush();

    expect(received).toHaveLength(3);
    expect(received[0]).toMatchObject({ id: operation.id, state: 'running', connectionName: 'c-1' });
    expect(received[1]).toEqual(['a', 'b']);
    expect(received[2]).toMatchObject({ state: 'cancelled' });
    expect(received[2]).not.toHaveProperty('connectionName');
  });
});
