import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { writeShape } from './schema-shape.ts';
import { readTypeText } from './type-text.ts';

const MODELS = new Set(['User', 'Team']);

/** The schema of a type, and the types that have none. */
function schemaOf(text: string): { code: string; unknown: string[] } {
  const unknown: string[] = [];
  const shape = readTypeText(text, { isModel: (name) => MODELS.has(name), onUnknown: (one) => unknown.push(one) });
  return { code: writeShape(shape), unknown };
}

/** Whether the schema of a type accepts values. */
function accepts(text: string, ...values: unknown[]): boolean[] {
  const User = z.object({ id: z.string(), login: z.string() });
  const schema = new Function('z', 'User', `return ${schemaOf(text).code};`)(z, User) as z.ZodType;
  return values.map((value) => schema.safeParse(value).success);
}

describe('the types of nango.yaml', () => {
  it.each([
    ['string', 'z.string()'],
    ['char', 'z.string()'],
    ['int', 'z.number()'],
    ['integer', 'z.number()'],
    ['number', 'z.number()'],
    ['bool', 'z.boolean()'],
    ['boolean', 'z.boolean()'],
    ['date', 'z.date()'],
    ['Date', 'z.date()'],
    ['any', 'z.any()'],
    ['unknown', 'z.unknown()'],
    ['null', 'z.null()'],
    ['undefined', 'z.void()'],
    ['object', 'z.record(z.string(), z.any())'],
    ['User', 'User'],
    ['User[]', 'z.array(User)'],
    ['string[][]', 'z.array(z.array(z.string()))'],
    ['string | null', 'z.string().nullable()'],
    ['string | undefined', 'z.string().optional()'],
    ['User | null | undefined', 'User.nullable().optional()'],
    ['string?', 'z.string().optional()'],
    ['string | number', 'z.union([z.string(), z.number()])'],
    ['(string | number)[]', 'z.array(z.union([z.string(), z.number()]))'],
    ['Array<string | null>', 'z.array(z.string().nullable())'],
    ['Record<string, any>', 'z.record(z.string(), z.any())'],
    ['Record<string, User[]>', 'z.record(z.string(), z.array(User))'],
    ["Omit<User, 'id'>", 'User.omit({ id: true })'],
    ["Pick<User, 'id' | 'login'>", 'User.pick({ id: true, login: true })'],
    ['Partial<User>', 'User.partial()'],
    ['[string, number]', 'z.tuple([z.string(), z.number()])'],
    ['User & Team', "z.literal('User & Team')"],
  ])('%s becomes %s', (text, code) => expect(schemaOf(text)).toEqual({ code, unknown: [] }));

  it.each([
    ['open', "z.literal('open')"],
    ['"a b"', "z.literal('a b')"],
    ['\'open\' | "closed"', "z.enum(['open', 'closed'])"],
    ['open | in-progress | closed', "z.enum(['open', 'in-progress', 'closed'])"],
    ['open | null', "z.literal('open').nullable()"],
    ['1 | 2', 'z.union([z.literal(1), z.literal(2)])'],
    ['true', 'z.literal(true)'],
    ["it's", `z.literal("it's")`],
  ])('%s is a literal: %s', (text, code) => expect(schemaOf(text).code).toBe(code));

  it('accepts objects that are written as types', () => {
    const text = '{ id: string; tags?: string[]; [key: string]: unknown }';

    expect(accepts(text, { id: 'a' }, { id: 'a', tags: ['b'], more: 1 }, { tags: [] })).toEqual([true, true, false]);
  });

  it('accepts what the words meant', () => {
    expect(accepts('open | closed', 'open', 'shut')).toEqual([true, false]);
    expect(accepts('User[] | null', [{ id: '1', login: 'a' }], null, [{}])).toEqual([true, true, false]);
  });

  it('names the types that have no schema', () => {
    expect(schemaOf('Map<string, number>')).toEqual({ code: 'z.any()', unknown: ['Map<string, number>'] });
    expect(schemaOf('Array<Missing>')).toEqual({ code: 'z.array(z.any())', unknown: ['Missing'] });
  });
});
