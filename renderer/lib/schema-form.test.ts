import { describe, expect, it } from 'vitest';
import { exampleOf, findProblems, problemOf, schemaFieldsOf, withMember } from './schema-form.ts';

const SCHEMA = {
  type: 'object',
  required: ['title', 'owner'],
  properties: {
    title: { type: 'string', minLength: 3, description: 'One line' },
    state: { enum: ['open', 'closed'] },
    count: { anyOf: [{ type: 'integer', minimum: 1 }, { type: 'null' }] },
    owner: { $ref: '#/definitions/Person' },
    labels: { type: 'array', items: { type: 'string' } },
    extra: {},
  },
  definitions: {
    Person: { type: 'object', required: ['mail'], properties: { mail: { type: 'string', format: 'email' } } },
  },
};
const field = (name: string) => {
  const found = schemaFieldsOf(SCHEMA, SCHEMA).find((one) => one.name === name);
  if (!found) throw new Error(name);
  return found;
};

describe('schemaFieldsOf', () => {
  it('describes each member, through references and null', () => {
    expect(schemaFieldsOf(SCHEMA, SCHEMA).map(({ name, kind, isRequired }) => [name, kind, isRequired])).toEqual([
      ['title', 'text', true],
      ['state', 'choice', false],
      ['count', 'number', false],
      ['owner', 'group', true],
      ['labels', 'list', false],
      ['extra', 'json', false],
    ]);
  });
});

describe('problemOf', () => {
  it.each([
    ['title', undefined, 'This is required.'],
    ['title', 'ab', 'At least 3 characters are needed.'],
    ['title', 'abc', undefined],
    ['state', 'gone', 'Choose one of open, closed.'],
    ['count', 0, 'The minimum is 1.'],
    ['count', 1.5, 'This has to be a whole number.'],
    ['count', null, undefined],
  ])('%s = %j → %s', (name, value, problem) => {
    expect(problemOf(field(name), value)).toBe(problem);
  });
});

describe('withMember', () => {
  it('keeps the order of members and takes one away for undefined', () => {
    expect(Object.keys(withMember({ a: 1, b: 2 }, 'a', 3))).toEqual(['a', 'b']);
    expect(withMember({ a: 1, b: 2 }, 'a', undefined)).toEqual({ b: 2 });
  });
});

describe('exampleOf', () => {
  it('has the required members', () => {
    expect(exampleOf(SCHEMA, SCHEMA)).toEqual({ title: 'text', owner: { mail: 'user@example.com' } });
  });

  it.each<[schema: Record<string, unknown>, example: unknown]>([
    [{ type: 'string', minLength: 6 }, 'texttt'],
    [{ type: 'string', maxLength: 2 }, 'te'],
    [{ type: 'string', format: 'uuid' }, '00000000-0000-4000-8000-000000000000'],
    [{ type: 'string', format: 'uri' }, 'https://example.com'],
    [{ type: 'integer', exclusiveMinimum: 5 }, 6],
    [{ type: 'number', maximum: -2 }, -2],
    [{ type: 'integer', exclusiveMaximum: 0 }, -1],
    [{ type: 'integer', multipleOf: 5, minimum: 7 }, 10],
    [{ type: 'array', items: { type: 'string' } }, []],
    [{ type: 'array', items: { type: 'string' }, minItems: 2 }, ['text', 'text']],
    [{ enum: [3, 4] }, 3],
    [
      { oneOf: [{ type: 'object', required: ['a'], properties: { a: { type: 'string' } } }, { type: 'null' }] },
      { a: 'text' },
    ],
    [{ anyOf: [{ type: 'number' }, { type: 'boolean' }] }, 1],
  ])('keeps the limits of %j', (schema, example) => {
    expect(exampleOf(schema, schema)).toEqual(example);
  });
});

describe('findProblems', () => {
  const text = { type: 'string' };
  const person = {
    type: 'object',
    properties: { name: text, born: { type: 'string', format: 'date' } },
    required: ['name'],
  };
  const schema = {
    type: 'object',
    properties: { owner: person, helper: person, tags: { type: 'array', items: person }, done: { type: 'boolean' } },
    required: ['owner', 'done'],
  };

  it.each([
    [undefined, ['owner.name', 'done']],
    [{ owner: {}, done: false }, ['owner.name']],
    [{ owner: { name: 'Ada' }, done: false }, []],
    [{ owner: { name: 'Ada', born: 'May' }, done: 'no' }, ['owner.born', 'done']],
    [{ owner: { name: 'Ada' }, helper: {}, done: true }, ['helper.name']],
    [{ owner: { name: 'Ada' }, tags: [{ name: 'x' }, {}], done: true }, ['tags[1].name']],
    [{ owner: 'Ada', tags: {}, done: true }, ['owner', 'tags']],
  ])('finds what a form would mark in %j', (value, found) => {
    expect(findProblems(schema, value).map(({ path }) => path)).toEqual(found);
  });

  it('finds the problem of a value without members, and none where anything fits', () => {
    expect(findProblems(text, 1)).toEqual([{ path: '', text: 'This has to be text.' }]);
    expect([findProblems(text, undefined).length, findProblems(text, 'a').length]).toEqual([1, 0]);
    expect([findProblems({}, undefined), findProblems({}, 1)]).toEqual([[], []]);
  });
});
