import { describe, expect, it } from 'vitest';
import { csvLine, csvOfObjects } from './csv.ts';

describe('a line of a table', () => {
  it('quotes what would end a cell and doubles its quotes', () => {
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
