import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { detached } from '../lib/detached.ts';
import { Database, DiskFullError, isUniqueViolation, type Transaction } from './database.ts';

let folder: string;
let database: Database;
let logged: unknown[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'homeport-database-'));
  database = await Database.open({
    file: join(folder, 'test.db'),
    logger: { error: (fields) => logged.push(fields) },
  });
  logged = [];
  await database.transaction((tx) =>
    tx.run('CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT'),
  );
});

afterEach(async () => {
  await database.close();
  await rm(folder, { recursive: true });
});

const insert = (tx: Transaction, name: string): Promise<unknown> =>
  tx.run('INSERT INTO things (name) VALUES (?)', [name]);
const names = async (): Promise<string[]> =>
  (await database.reader.all<{ name: string }>('SELECT name FROM things ORDER BY id')).map((row) => row.name);

describe('Database', () => {
  it('shows readers nothing of a transaction before it commits', async () => {
    let seen: string[] = ['unread'];

    await database.transaction(async (tx) => {
      await insert(tx, 'a');
      seen = await names();
    });

    expect(seen).toEqual([]);
    expect(await names()).toEqual(['a']);
  });

  it('answers short reads while a long one runs', async () => {
    const ended: string[] = [];
    const many = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000000)';
    const long = database.longReader.get(`${many} SELECT count(*) FROM n`).then(() => ended.push('long'));

    await Promise.all(Array.from({ length: 4 }, () => names().then(() => ended.push('short'))));
    await long;

    expect(ended).toEqual(['short', 'short', 'short', 'short', 'long']);
  });

  it('waits for the disk in durable transactions only, in any order', async () => {
    const mode = (durable: boolean): Promise<{ synchronous: number } | undefined> =>
      database.transaction((tx) => tx.get<{ synchronous: number }>('PRAGMA synchronous'), { durable });
    const modes = [];
    for (const isDurable of [true, true, false, false, true]) modes.push((await mode(isDurable))?.synchronous);

    // 1 = NORMAL, 2 = FULL.
    expect(modes).toEqual([2, 2, 1, 1, 2]);
  });

  it('rolls back the statements that still run when another one of their transaction fails', async () => {
    const failWith = (work: (tx: Transaction) => Promise<unknown>) =>
      expect(
        database.transaction((tx) => Promise.all([work(tx), Promise.reject(new Error('no'))]).then(() => undefined)),
      ).rejects.toThrow('no');
    // From the second time on the rollback is prepared already, and the new statement below is not.
    await failWith((tx) => insert(tx, 'a'));
    await failWith((tx) => tx.run("INSERT INTO things (name) VALUES ('b')"));

    await database.transaction((tx) => insert(tx, 'c'));

    expect(await names()).toEqual(['c']);
  });

  it('rolls back when the work throws, and runs the next transaction', async () => {
    const failing = database.transaction(async (tx) => {
      await insert(tx, 'a');
      throw new Error('no');
    });

    await expect(failing).rejects.toThrow('no');
    await database.transaction((tx) => insert(tx, 'b'));
    expect(await names()).toEqual(['b']);
  });

  it('closes while others read, and refuses what comes later', async () => {
    const other = await Database.open({ file: join(folder, 'other.db') });
    const read = async (text: number): Promise<unknown> => other.reader.all(`SELECT ${text} AS one`);
    const early = [1, 2, 3, 4].map(read);

    const closing = other.close();
    const late = Array.from({ length: 20 }, async (_, index) => {
      for (let turn = 0; turn < index; turn += 1) await Promise.resolve();
      return read(100 + index);
    });

    const settled = await Promise.allSettled(late);
    await closing;
    expect(await Promise.all(early)).toHaveLength(4);
    expect(settled.at(-1)).toMatchObject({
      status: 'rejected',
      reason: expect.objectContaining({ code: 'server_error', status: 503 }),
    });
  });

  it('runs transactions one after the other', async () => {
    const order: string[] = [];
    const work = (name: string) =>
      database.transaction(async (tx) => {
        order.push(`${name} begins`);
        await insert(tx, name);
        order.push(`${name} ends`);
      });

    await Promise.all([work('a'), work('b'), work('c')]);

    expect(order).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
  });

  it('refuses a handle whose transaction has ended', async () => {
    let kept: Transaction | undefined;
    await database.transaction(async (tx) => {
      kept = tx;
    });

    await expect(kept?.run('DELETE FROM things')).rejects.toThrow('has ended');
  });

  it('calls what waits for the commit only after one', async () => {
    const calls: string[] = [];
    await database.transaction(async (tx) => tx.afterCommit(() => calls.push('kept')));
    const failing = database.transaction(async (tx) => {
      tx.afterCommit(() => calls.push('undone'));
      throw new Error('no');
    });

    await expect(failing).rejects.toThrow('no');
    expect(calls).toEqual(['kept']);
  });

  it('keeps what is stored when a callback throws, and runs the others', async () => {
    const calls: string[] = [];

    const value = await database.transaction(async (tx) => {
      await insert(tx, 'a');
      tx.afterCommit(() => calls.push('before'));
      tx.afterCommit(() => {
        throw new Error('a callback failed');
      });
      tx.afterCommit(() => calls.push('after'));
      return 'stored';
    });

    expect(value).toBe('stored');
    expect(calls).toEqual(['before', 'after']);
    expect(logged).toMatchObject([{ err: { message: 'a callback failed' } }]);
    expect(await names()).toEqual(['a']);
  });

  it.each([
    ['a transaction', () => database.transaction((tx) => insert(tx, 'inner'))],
    ['maintenance', () => database.maintenance('PRAGMA wal_checkpoint')],
  ])('refuses %s inside a transaction at once, also behind an await, and goes on', async (_name, inner) => {
    const caught: string[] = [];
    const nested = database.transaction(async (tx) => {
      await insert(tx, 'outer');
      // A rejection, which a handler of the promise sees, not a thrown error, which only an `await` turns into one.
      const promise = inner();
      promise.catch((error: Error) => caught.push(error.message));
      await promise;
    });

    await expect(nested).rejects.toThrow('Transactions cannot be nested');
    expect(caught).toEqual([expect.stringContaining('cannot be nested')]);
    await database.transaction((tx) => insert(tx, 'later'));
    expect(await names()).toEqual(['later']);
  });

  it('runs what a transaction started and did not wait for after it', async () => {
    const started: Array<Promise<unknown>> = [];
    await database.transaction(async (tx) => {
      started.push(detached(() => database.transaction((later) => insert(later, 'detached'))));
      tx.afterCommit(() => started.push(database.transaction((later) => insert(later, 'after the commit'))));
      await insert(tx, 'first');
    });

    await Promise.all(started);
    expect(await names()).toEqual(['first', 'detached', 'after the commit']);
  });

  it('says that the disk is full and what to do, and stores again when there is space', async () => {
    await database.maintenance('PRAGMA max_page_count=20');
    const full = database.transaction(async (tx) => {
      for (let row = 0; row < 100; row += 1) await insert(tx, `${row}`.padEnd(4000));
    });

    const error = await full.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(DiskFullError);
    expect(error).toMatchObject({ message: expect.stringMatching(/disk is full.*Free some space/s) });
    await database.maintenance('PRAGMA max_page_count=1000000');
    await database.transaction((tx) => insert(tx, 'b'));
    expect(await names()).toEqual(['b']);
  });

  it('names a violated uniqueness, stays usable and can be closed', async () => {
    await database.transaction((tx) => insert(tx, 'a'));

    const error = await database.transaction((tx) => insert(tx, 'a')).catch((reason: unknown) => reason);

    expect(isUniqueViolation(error, 'things.name')).toBe(true);
    expect(isUniqueViolation(error, 'things.id')).toBe(false);
    await database.transaction((tx) => insert(tx, 'b'));
    expect(await names()).toEqual(['a', 'b']);
  });

  it('rejects a text that is no SQL, every time', async () => {
    await expect(database.reader.all('NOT SQL')).rejects.toThrow('syntax error');
    await expect(database.transaction((tx) => tx.run('NOT SQL'))).rejects.toThrow('syntax error');
    await database.transaction((tx) => insert(tx, 'a'));
    expect(await names()).toEqual(['a']);
  });

  it('refuses writes through the reader', async () => {
    await expect(database.reader.all("INSERT INTO things (name) VALUES ('x') RETURNING id")).rejects.toThrow(
      /readonly/,
    );
  });

  it('shows every read the last commit, however many reads overlap', async () => {
    await database.transaction((tx) => tx.run('CREATE TABLE counter (id INTEGER PRIMARY KEY, value INTEGER)'));
    await database.transaction((tx) => tx.run('INSERT INTO counter VALUES (1, 0), (2, 0)'));
    const read = () => database.reader.get<{ value: number }>('SELECT value FROM counter WHERE id = ?', [1]);
    let isOver = false;
    const overlapping = Array.from({ length: 8 }, async (_, index) => {
      while (!isOver) await database.reader.get(`SELECT value, ${index} FROM counter WHERE id > ?`, [0]);
    });

    const seen: Array<number | undefined> = [];
    for (let value = 1; value <= 100; value += 1) {
      await database.transaction((tx) => tx.run('UPDATE counter SET value = ? WHERE id = 1', [value]));
      seen.push((await read())?.value);
    }
    isOver = true;
    await Promise.all(overlapping);

    expect(seen).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
  });

  describe('with shared transactions', () => {
    const shared = <T>(work: (tx: Transaction) => Promise<T>, durable = false): Promise<T> =>
      database.transaction(work, { shared: true, durable });

    it('commits transactions that wait at the same time together, and resolves each after that', async () => {
      const seen: string[][] = [];
      const calls: string[] = [];

      await Promise.all(
        ['a', 'b', 'c'].map((name) =>
          shared(async (tx) => {
            await insert(tx, name);
            seen.push(await names());
            tx.afterCommit(() => calls.push(name));
          }).then(async () => {
            calls.push(`${name} is told`);
            expect(await names()).toEqual(['a', 'b', 'c']);
          }),
        ),
      );

      expect(seen).toEqual([[], [], []]);
      expect(calls).toEqual(['a', 'b', 'c', 'a is told', 'b is told', 'c is told']);
    });

    it('rolls back the failed transaction only, at any position', async () => {
      const calls: string[] = [];
      const run = (name: string, fails: boolean): Promise<string> =>
        shared(async (tx) => {
          await insert(tx, name);
          tx.afterCommit(() => calls.push(name));
          if (fails) throw new Error(`no ${name}`);
          return name;
        });

      for (const failing of ['abc', 'a', 'b', 'c', 'ac', ''])
        expect(
          await Promise.allSettled(['a', 'b', 'c'].map((name) => run(`${failing}:${name}`, failing.includes(name)))),
        ).toEqual(
          ['a', 'b', 'c'].map((name) =>
            failing.includes(name)
              ? { status: 'rejected', reason: new Error(`no ${failing}:${name}`) }
              : { status: 'fulfilled', value: `${failing}:${name}` },
          ),
        );

      const kept = ['a:b', 'a:c', 'b:a', 'b:c', 'c:a', 'c:b', 'ac:b', ':a', ':b', ':c'];
      expect(await names()).toEqual(kept);
      expect(calls).toEqual(kept);
    });

    it('sees what those before it wrote, and is committed before one that does not share begins', async () => {
      const inOwn = (tx: Transaction): Promise<unknown> => tx.all('SELECT name FROM things ORDER BY id');
      const work = async (tx: Transaction, name: string): Promise<unknown> => {
        await insert(tx, name);
        return { own: await inOwn(tx), others: await names() };
      };

      const [, second, alone, later] = await Promise.all([
        shared((tx) => work(tx, 'a')),
        shared((tx) => work(tx, 'b')),
        database.transaction((tx) => work(tx, 'c')),
        shared((tx) => work(tx, 'd')),
      ]);

      expect(second).toEqual({ own: [{ name: 'a' }, { name: 'b' }], others: [] });
      expect(alone).toMatchObject({ others: ['a', 'b'] });
      expect(later).toMatchObject({ others: ['a', 'b', 'c'] });
    });

    it('waits for the disk for all when one asks for it, also one that comes while another runs', async () => {
      const mode = async (tx: Transaction): Promise<unknown> =>
        (await tx.get<{ synchronous: number }>('PRAGMA synchronous'))?.synchronous;
      const late: Array<Promise<unknown>> = [];
      const first = shared(async (tx) => {
        late.push(detached(() => shared(mode, true)));
        return mode(tx);
      });

      // 1 = NORMAL, 2 = FULL.
      expect(await first).toBe(1);
      expect(await Promise.all(late)).toEqual([2]);
      const before = database.transaction(mode);
      expect(await Promise.all([before, shared(mode), shared(mode, true), shared(mode)])).toEqual([1, 2, 2, 2]);
    });

    it('reports the result of each when the disk is full, and stores again when there is space', async () => {
      await database.maintenance('PRAGMA max_page_count=20');
      const small = shared((tx) => insert(tx, 'small'));
      const large = shared(async (tx) => {
        for (let row = 0; row < 100; row += 1) await insert(tx, `${row}`.padEnd(4000));
      });
      const ignoring = shared(async (tx) => {
        await insert(tx, 'ignoring');
        await insert(tx, 'x'.padEnd(1_000_000)).catch(() => {});
      });

      const settled = await Promise.allSettled([small, large, ignoring]);

      const stored = await names();
      const told = (name: string): string => (stored.some((one) => one.startsWith(name)) ? 'fulfilled' : 'rejected');
      expect(settled[0].status).toBe(told('small'));
      expect(settled[1]).toMatchObject({ status: 'rejected', reason: { name: 'DiskFullError' } });
      expect(settled[2].status).toBe(told('ignoring'));
      await database.maintenance('PRAGMA max_page_count=1000000');
      await shared((tx) => insert(tx, 'b'));
      expect(await names()).toContain('b');
    });

    it('commits in parts when many wait, and closes after the last', async () => {
      const committed: number[] = [];
      const all = Array.from({ length: 70 }, (_, index) =>
        shared(async (tx) => {
          committed.push((await names()).length);
          await insert(tx, `${index}`);
        }),
      );
      await database.close();

      await Promise.all(all);
      expect([...new Set(committed)]).toEqual([0, 20, 40, 60]);
      database = await Database.open({ file: join(folder, 'test.db') });
      expect(await names()).toHaveLength(70);
    });
  });
});
