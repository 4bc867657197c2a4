import { describe, expect, it } from 'vitest';
import { placeholdersOf, sqlName, sqlValueOf, sqlView } from './sql-text.contract.ts';

describe('a name in a statement', () => {
  it('stands in quotes when it has other characters, or is a word of the language', () => {
    expect(['Issue', 'state_2', 'my-crm', '2nd', 'a"b', 'order', 'LEFT'].map(sqlName)).toEqual([
      ...['Issue', 'state_2', '"my-crm"', '"2nd"', '"a""b"', '"order"', '"LEFT"'],
    ]);
    expect(sqlView({ schema: 'my-crm', name: 'Deal' })).toBe('"my-crm".Deal');
  });
});

describe('placeholders', () => {
  it('are found outside of texts, names and comments, each once', () => {
    const sql = `SELECT '$no', "$no", 'it''s $no' -- $no
      FROM x WHERE a = $state AND b = $since AND c = $state AND d = $1`;
    expect(placeholdersOf(sql)).toEqual(['state', 'since']);
  });

  it('take numbers, switches and null as such', () => {
    expect(['5', '-1.5', '007', 'true', 'null', 'open', ''].map(sqlValueOf)).toEqual([
      ...[5, -1.5, '007', true, null, 'open', ''],
    ]);
  });
});
