import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffRecords, type RecordChange } from './record-history.ts';

describe('diffRecords', () => {
  it('names what changed by JSON Pointer, at every depth', () => {
    const from = { id: 'a', status: 'open', lines: [{ qty: 1 }, { qty: 2 }], gone: { x: 1 }, same: [1] };
    const to = { id: 'a', status: 'paid', lines: [{ qty: 1, sku: 'x' }], same: [1], 'a/b~c': null };

    expect(diffRecords(from, to)).toEqual([
      { path: '/status', kind: 'changed', from: 'open', to: 'paid' },
      { path: '/lines/0/sku', kind: 'added', to: 'x' },
      { path: '/lines/1', kind: 'removed', from: { qty: 2 } },
      { path: '/a~1b~0c', kind: 'added', to: null },
      { path: '/gone', kind: 'removed', from: { x: 1 } },
    ]);
  });

  it.each([
    [{ v: {} }, { v: [] }],
    [{ v: null }, { v: {} }],
    [{ v: 1 }, { v: '1' }],
    [{ v: [0] }, { v: { 0: 0 } }],
  ])('tells %j from %j as one change', (from, to) => {
    expect(diffRecords(from, to)).toEqual([{ path: '/v', kind: 'changed', from: from.v, to: to.v }]);
  });

  it('finds no changes in equal values with members in another order', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(diffRecords(value, JSON.parse(JSON.stringify(value)))).toEqual([]);
      }),
    );
    expect(diffRecords({ a: 1, b: { c: 1, d: 2 } }, { b: { d: 2, c: 1 }, a: 1 })).toEqual([]);
  });

  it('holds all that is needed to make the newer value of the older one', () => {
    const object = fc.dictionary(fc.string(), fc.jsonValue());
    fc.assert(
      fc.property(object, object, (from, to) => {
        const made = diffRecords(from, to).reduce(apply, JSON.parse(JSON.stringify({ root: from })));
        expect(JSON.parse(JSON.stringify(made.root))).toEqual(JSON.parse(JSON.stringify(to)));
      }),
    );
  });
});

type Holder = Record<string, unknown>;

function apply(holder: Holder, change: RecordChange): Holder {
  const steps = ['root', ...change.path.split('/').slice(1).map(unescapeKey)];
  const last = steps.pop() ?? '';
  const parent = steps.reduce<unknown>((value, step) => (value as Holder)[step], holder) as Holder;
  if (change.kind !== 'removed')
    Object.defineProperty(parent, last, { value: change.to, enumerable: true, configurable: true, writable: true });
  else if (Array.isArray(parent)) parent.length = Math.min(parent.length, Number(last));
  else delete parent[last];
  return holder;
}

function unescapeKey(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}
