import type { Database, ReadHandle } from '../../server/platform/database/database.ts';

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * Lets a program that uses a database continue until it waits for something else. One turn is over when every transaction
 * that was queued before it has ended and no read is running, however slow the machine is.
 */
export class DatabaseTurns {
  readonly #database: Database;
  #readsUnderWay = 0;

  constructor(database: Database) {
    this.#database = database;
    const { all, get } = database.reader;
    const counting: ReadHandle = {
      all: (sql, params) => this.#count(all(sql, params)),
      get: (sql, params) => this.#count(get(sql, params)),
    };
    Object.assign(database.reader, counting);
  }

  async pass(turns: number): Promise<void> {
    for (let turn = 0; turn < turns; turn++) {
      await this.#database.transaction(async (tx) => tx.get('SELECT 1'));
      do await nextTurn();
      while (this.#readsUnderWay > 0);
    }
  }

  #count<T>(read: Promise<T>): Promise<T> {
    this.#readsUnderWay += 1;
    return read.finally(() => {
      this.#readsUnderWay -= 1;
    });
  }
}
