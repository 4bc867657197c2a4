import { describe, expect, it } from 'vitest';
import { type ListOptions, readSnapshot, takePage } from './list-page.ts';

interface Row {
  id: number;
  name: string;
  size: number | null;
}

const ROWS: Row[] = [
  { id: 1, name: 'beta', size: 2 },
  { id: 2, name: 'Alpha', size: null },
  { id: 3, name: 'gamma', size: 1 },
];

function page(query: Partial<ListOptions<Row>['query']>) {
  const found = takePage(ROWS, {
    query: { offset: 0, limit: 10, ...query },
    defaultSort: 'name',
    rowId: (row) => row.id,
    texts: (row) => [row.name],
    value: (row, key) => (key === 'name' ? row.name : row.size),
  });
  return { ...found, rows: found.rows.map((row) => row.name) };
}

describe('takePage', () => {
  it('orders texts without regard to case, either way', () => {
    expect(page({}).rows).toEqual(['Alpha', 'beta', 'gamma']);
    expect(page({ sort: '-name' }).rows).toEqual(['gamma', 'beta', 'Alpha']);
  });

  it('puts missing values last in either direction', () => {
    expect(page({ sort: 'size' }).rows).toEqual(['gamma', 'beta', 'Alpha']);
    expect(page({ sort: '-size' }).rows).toEqual(['beta', 'gamma', 'Alpha']);
  });

  it('counts what the search found and cuts the page out of it', () => {
    expect(page({ search: 'A', limit: 1, offset: 1 })).toEqual({ rows: ['beta'], total: 3, snapshot: '3' });
    expect(page({ search: 'gam' })).toMatchObject({ rows: ['gamma'], total: 1 });
  });

  it('leaves out what came after the snapshot', () => {
    expect(page({ snapshot: '2' })).toEqual({ rows: ['Alpha', 'beta'], total: 2, snapshot: '2' });
  });
});

describe('readSnapshot', () => {
  it('takes only numbers', () => {
    expect([readSnapshot('12'), readSnapshot('x'), readSnapshot(''), readSnapshot(undefined)]).toEqual([
      12,
      undefined,
      undefined,
      undefined,
    ]);
  });
});
