import { join } from 'node:path';
import { Database } from '../../server/platform/database/database.ts';

/**
 * Opens the database of a data folder for some reads. By the library of the hub, which may run in this process: another
 * SQLite library would take away the locks of the hub's files when it closes them.
 */
export async function lookInto<T>(home: string, work: (database: Database) => Promise<T>): Promise<T> {
  const database = await Database.open({ file: join(home, 'homeport.db'), readers: 1 });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}
