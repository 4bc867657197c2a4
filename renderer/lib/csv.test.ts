import { describe, expect, it } from 'vitest';
import { csvLine, csvOfObjects, parseCsv } from './csv.ts';

describe('a line of a table', () => {
  it('quotes text that would end a cell, and doubles its quotes', () => {
    expect(csvLine(['a', 'b, "c"', 'two\nlines', 3, true, null])).toBe('a,"b, ""c""","two\nlines",3,true,\r\n');
  });

  it('never begins a formula', () => {
    expect(csvLine(['=1+1', '@x', -5])).toBe("'=1+1,'@x,-5\r\n");
  });

  it('keeps members that no column has', () => {
    expect(csvOfObjects(['id'], { id: 1, tags: { plan: 'pro' } })).toBe('1,"{""tags"":{""plan"":""pro""}}"\r\n');
    expect(csvOfObjects(['id'], { id: 1 })).toBe('1,\r\n');
  });
});

describe('parseCsv', () => {
  it('reads quotes, line breaks inside them, and empty cells', () => {
    expect(parseCsv('\uFEFFid,note\r\n1,"a ""b"",\nc"\r\n2,\r\n\r\n')).toEqual([
      { id: '1', note: 'a "b",\nc' },
      { id: '2', note: '' },
    ]);
  });

  it('reads semicolons and tabs, and removes the apostrophe that an export adds', () => {
    expect(parseCsv("id;key\n1;'=x\n")).toEqual([{ id: '1', key: '=x' }]);
    expect(parseCsv('id\tkey\n1\tx')).toEqual([{ id: '1', key: 'x' }]);
  });
});
