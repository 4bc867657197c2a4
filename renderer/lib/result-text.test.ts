import { describe, expect, it } from 'vitest';
import { barsOf, resultCsv } from './result-text.ts';

const table = (rows: Array<Record<string, unknown>>, ...names: string[]) => ({
  columns: names.map((name) => ({ name, type: 'VARCHAR' })),
  rows,
});

describe('a result', () => {
  it('is CSV with quotes where they are needed', () => {
    expect(
      resultCsv(
        table(
          [
            { a: 'x,y', b: null },
            { a: 'say "hi"', b: { c: 1 } },
          ],
          'a',
          'b',
        ),
      ),
    ).toBe('a,b\r\n"x,y",\r\n"say ""hi""","{""c"":1}"\r\n');
  });

  it('has bars when a number stands beside a label', () => {
    expect(
      barsOf(
        table(
          [
            { n: 3, s: 'open' },
            { n: 0, s: null },
          ],
          'n',
          's',
        ),
      ),
    ).toEqual({
      of: 'n',
      bars: [
        { label: 'open', value: 3 },
        { label: 'null', value: 0 },
      ],
    });
  });

  it.each([
    ['one row', table([{ n: 3, s: 'open' }], 'n', 's')],
    [
      'no number',
      table(
        [
          { a: 'x', s: 'open' },
          { a: 'y', s: 'b' },
        ],
        'a',
        's',
      ),
    ],
    [
      'a negative number',
      table(
        [
          { n: -1, s: 'a' },
          { n: 2, s: 'b' },
        ],
        'n',
        's',
      ),
    ],
    ['numbers only', table([{ n: 1 }, { n: 2 }], 'n')],
  ])('has no bars with %s', (_, result) => {
    expect(barsOf(result)).toBeUndefined();
  });
});
