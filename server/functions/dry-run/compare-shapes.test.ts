import { describe, expect, it } from 'vitest';
import type { FixtureApi } from '../../../functions/testing/fixture-file.ts';
import { compareShapes, isReadOnly } from './compare-shapes.ts';

const get = (response: unknown, path = '/v1/issues'): FixtureApi => ({ get: { [path]: { response } } });

describe('compareShapes', () => {
  it('finds a field that is gone and a field of another type, at any depth', () => {
    const before = get({ data: [{ id: 1, title: 'a', user: { login: 'x', age: 4 } }], next: null });
    const after = get({
      data: [
        { id: '1', user: { login: 'y' } },
        { id: '2', user: { login: 'z' } },
      ],
      next: null,
    });

    expect(compareShapes(before, after)).toEqual([
      { request: 'GET /v1/issues', field: 'data[].id', kind: 'type', before: 'number', after: 'text' },
      { request: 'GET /v1/issues', field: 'data[].title', kind: 'gone', before: 'text', after: '' },
      { request: 'GET /v1/issues', field: 'data[].user.age', kind: 'gone', before: 'number', after: '' },
    ]);
  });

  it.each([
    ['other values and more items', [{ id: 1 }], [{ id: 2 }, { id: 3 }]],
    ['a new field', { a: 1 }, { a: 1, b: 2 }],
    ['a field that was optional', [{ a: 1, b: 1 }, { a: 1 }], [{ a: 1 }]],
    ['a value that may be null', { a: null }, { a: 'x' }],
    ['a value that is null now', { a: { b: 1 } }, { a: null }],
    ['an empty list', { data: [{ id: 1 }] }, { data: [] }],
    ['a list that was empty', { data: [] }, { data: [{ id: 1 }] }],
  ])('takes %s for no change', (_what, before, after) => {
    expect(compareShapes(get(before), get(after))).toEqual([]);
  });

  it('takes all pages of a request together, and requests about another object for the same', () => {
    const pages: FixtureApi = { get: { '/v1/issues': [{ response: [{ a: 1 }] }, { response: [{ a: 2, b: 1 }] }] } };
    expect(compareShapes(pages, get([{ a: 5 }]))).toEqual([]);

    const [before, after] = ['/users/17/repos', '/users/4/repos'].map((path, at) => get(at ? {} : { name: 'x' }, path));
    expect(compareShapes(before, after)).toMatchObject([{ request: 'GET /users/{id}/repos', field: 'name' }]);
  });

  it('leaves refusals out, and requests that were not made again', () => {
    const refused: FixtureApi = { get: { '/v1/issues': { response: { message: 'no' }, status: 404 } } };
    expect(compareShapes(refused, get({ id: 1 }))).toEqual([]);
    expect(compareShapes(get({ a: 1 }), get({ b: 1 }, '/v1/others'))).toEqual([]);
    expect(compareShapes(get([1, 2]), get({ items: [] }))).toMatchObject([
      { kind: 'type', before: 'list', after: 'object' },
    ]);
  });
});

it('tells recordings that only read', () => {
  expect([{}, get(1), { get: {}, post: {} }].map((api) => isReadOnly(api))).toEqual([false, true, false]);
});
