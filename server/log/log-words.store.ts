import type { ReadHandle } from '../platform/database/database.ts';

/** The next word is the first one after the found word and the lowest character, which no word contains. */
const wordsOf = (table: string): string => `WITH RECURSIVE found (term) AS (
    SELECT (SELECT term FROM ${table} WHERE term >= ? LIMIT 1)
    UNION ALL
    SELECT (SELECT term FROM ${table} WHERE term >= found.term || char(1) LIMIT 1) FROM found
      WHERE substr(found.term, 1, ?) = ?
    LIMIT ?
  )
  SELECT term FROM found WHERE substr(term, 1, ?) = ?`;

/** The words of the log, from the word lists of its full-text indexes. */
export class LogWordsStore {
  /**
   * The first words that begin with a text of small ASCII letters and digits, of operations and of messages. May have a
   * word whose rows are deleted.
   */
  async list(db: ReadHandle, start: string, limit: number): Promise<string[]> {
    const { length } = start;
    const params = [start, length, start, limit, length, start];
    const lists = await Promise.all(
      ['log_operations_words', 'log_messages_words'].map((table) => db.all<{ term: string }>(wordsOf(table), params)),
    );
    return [...new Set(lists.flat().map(({ term }) => term))];
  }
}
