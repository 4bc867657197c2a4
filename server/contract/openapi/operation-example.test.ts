import { expect, it } from 'vitest';
import { operationExample, valueFor } from './operation-example.ts';

it('an example has its parts, with values in the place of variables', () => {
  const example = {
    path: '/things/a%20b/parts/$PART_ID/left/over?tags[x]=1&tags[y]=2&since=$NOW&limit=5',
    headers: { Accept: 'application/json', authorization: 'Bearer $ACCESS_TOKEN' },
    body: { id: '$KEY_ID as number', name: 'it is $NAME' },
  };
  expect(operationExample('/things/:thing/parts/:id/*path', example)).toEqual({
    body: { id: 1, name: 'it is name' },
    path: { thing: 'a b', id: expect.stringMatching(/^[0-9a-f-]{36}$/), path: 'left/over' },
    query: { tags: { x: '1', y: '2' }, since: '2026-11-28T12:00:00.000Z', limit: '5' },
    headers: { accept: 'application/json', authorization: 'Bearer access-token' },
  });
  expect(operationExample('/things')).toEqual({ body: undefined, path: {}, query: {}, headers: {} });
});

it('a value has the type of its schema', () => {
  expect(valueFor({ type: 'integer' }, '5')).toBe(5);
  expect(valueFor({ type: 'boolean' }, 'true')).toBe(true);
  expect(valueFor({ type: 'array' }, 'a')).toEqual(['a']);
  expect(valueFor({ anyOf: [] }, 'a')).toBe('a');
  expect(valueFor({ type: 'object' }, { a: 'b' })).toEqual({ a: 'b' });
});
