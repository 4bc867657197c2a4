import { it } from 'vitest';

type RowTest<Row> = (row: Row, index: number) => unknown;

/**
 * A test for each row of a table that is too long for every push: `npm run test:all` runs every `every`-th row, beginning
 * with the first, `npm run test:nightly` all of them. `%s` in the title is the name of the row.
 */
export function nightlyEach<Row>(
  rows: readonly (readonly [name: string, row: Row])[],
  every: number,
  { timeout, tags = [] }: { timeout?: number; tags?: 'slow'[] } = {},
) {
  return (title: string, test: RowTest<Row>): void => {
    for (const [index, [name, row]] of rows.entries()) {
      it(
        title.replace('%s', () => name),
        { ...(timeout && { timeout }), tags: index % every === 0 ? tags : ['nightly'] },
        () => test(row, index),
      );
    }
  };
}

/** Rows whose names are themselves. */
export const named = <Name extends string>(names: readonly Name[]) => names.map((name) => [name, name] as const);
