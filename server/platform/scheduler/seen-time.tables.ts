/** Up to when the clock was believed, in one row. */
export const seenTimeTables: readonly string[] = [
  `CREATE TABLE seen_time (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      seen_at INTEGER NOT NULL,
      doubted_ms INTEGER NOT NULL
    )`,
];
