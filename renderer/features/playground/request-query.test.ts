import { describe, expect, it } from 'vitest';
import { queryRows, withQueryRows } from './request-query.ts';

const row = (key: string, value: string) => ({ key, value });

describe('the parameters of a request', () => {
  it.each([
    ['/v1/users', []],
    ['/v1/users?limit=10&cursor=', [row('limit', '10'), row('cursor', '')]],
    [
      '/v1?fields=id,name&filter[age]=7&a=1&a=2',
      [row('fields', 'id,name'), row('filter[age]', '7'), row('a', '1'), row('a', '2')],
    ],
    ['/q?$filter=a%20eq%201&name=J%C3%BCrg%26Co', [row('$filter', 'a eq 1'), row('name', 'Jürg&Co')]],
    [
      '/v1?flag&a=b+c&d=%&e=%7e&f=1=2',
      [row('flag', ''), row('a', 'b+c'), row('d', '%'), row('e', '~'), row('f', '1=2')],
    ],
    ['/v1?a=1&', [row('a', '1'), row('', '')]],
  ])('of %s are its pairs, and put together they are the same address', (address, rows) => {
    expect(queryRows(address)).toEqual(rows);
    expect(withQueryRows(address, rows)).toBe(address);
  });

  it('are written into the path, where a changed one is encoded and the others stay as they are', () => {
    expect(withQueryRows('/v1', [row('', '')])).toBe('/v1?');
    expect(withQueryRows('/v1?', [row('q', 'a b&c')])).toBe('/v1?q=a%20b%26c');
    expect(withQueryRows('/v1?flag&x=%7e&y=1', [row('flag', ''), row('x', '~'), row('y', '2')])).toBe(
      '/v1?flag&x=%7e&y=2',
    );
    expect(withQueryRows('/v1?flag&x=%7e', [row('x', '~')])).toBe('/v1?x=%7e');
    expect(withQueryRows('/v1?a=1', [])).toBe('/v1');
  });

  it('keep references to variables, which the hub fills in and encodes', () => {
    const address = '/v1?q={{NAME}}&r=a%20{{ X Y }}';
    expect(queryRows(address)).toEqual([row('q', '{{NAME}}'), row('r', 'a {{ X Y }}')]);
    expect(withQueryRows('/v1', queryRows(address))).toBe(address);
  });
});
