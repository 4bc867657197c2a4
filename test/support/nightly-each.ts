import { it } from 'vitest';

type RowTest<Row> = (row: Row, index: number) => unknown;

/**
 * A test for each row of a table that is too long for every push: `npm run test:all` runs every `every`-th row, beginning
 * with the first, `npm run test:nightly` all of them. `%s` in the title is the name of the row.
 */
export function nightlyEach<Row>(
  rows: readonly (readonly [name: string, row: Row])[],
  every: number,
  options: { timeout?: number } = {},
) {
  return (title: string, test: RowTest<Row>): void => {
    for (const [index, [name, row]] of rows.entries()) {
      const tags = index % every === 0 ? [] : ['nightly' as const];
      it(
        title.replace('%s', () => name),
        { ...options, tags },
        () => test(row, index),
      );
    }
  };
}
