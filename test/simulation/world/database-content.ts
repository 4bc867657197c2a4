import { createHash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { realFiles } from '../seams/simulated-files.ts';

/** A number for everything that a database file and its log hold; the files stay as they are. */
export function contentOf(file: string): string {
  const copy = `${file}-looked-at`;
  for (const part of ['', '-wal'])
    if (realFiles.existsSync(`${file}${part}`)) realFiles.copyFileSync(`${file}${part}`, `${copy}${part}`);
  const db = new DatabaseSync(copy);
  try {
    const hash = createHash('sha256');
    const tables = db
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name")
      .all() as Array<{ name: string }>;
    for (const { name } of tables) {
      hash.update(name);
      const rows = db.prepare(`SELECT * FROM "${name}"`);
      rows.setReadBigInts(true);
      for (const row of rows.iterate()) hash.update(Object.values(row).join('\u0000'));
    }
    return hash.digest('hex');
  } finally {
    db.close();
    for (const part of ['', '-wal', '-shm']) realFiles.rmSync(`${copy}${part}`, { force: true });
  }
}

/** The data key of a database file as it is stored: sealed with the master key. */
export function wrappedKeyOf(file: string): string {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    return (db.prepare('SELECT wrapped_key FROM vault').get() as { wrapped_key: string }).wrapped_key;
  } finally {
    db.close();
  }
}
