import fc from 'fast-check';
import type { OpenApiSchema } from '../../../server/contract/openapi/schema-writer.ts';

export interface Words {
  /** Existing values, by the name of a member; drawn often. */
  known: Record<string, unknown[]>;
  /** Values for members where any other value would end the test or leave the computer. */
  only: Record<string, unknown[]>;
}

const HUGE = [1e308, -1, 0.5, Number.MAX_SAFE_INTEGER, 2 ** 31, 2 ** 53 + 2, -0];
const ODD_TEXT = [
  '',
  ' ',
  '\u0000',
  '\u202e',
  '💥',
  '../..',
  '%',
  "' OR 1=1 --",
  '${env}',
  '__proto__',
  'constructor',
  'null',
  '*',
  '{{x}}',
  'é'.repeat(300),
  'a'.repeat(5000),
];
/** Percentage of members that are broken on purpose. */
const BROKEN_WEIGHT = 3;

/** Values that a schema allows, with some parts replaced by invalid ones. */
export function arbitraryOf(schema: OpenApiSchema, words: Words, name = ''): fc.Arbitrary<unknown> {
  const only = words.only[name];
  if (only) return fc.constantFrom(...only);
  const known = words.known[name] ?? [];
  return fc.oneof(
    { weight: 100, arbitrary: valid(schema, words) },
    { weight: known.length === 0 ? 0 : 300, arbitrary: fc.constantFrom(...(known.length === 0 ? [null] : known)) },
    { weight: BROKEN_WEIGHT, arbitrary: broken() },
  );
}

/** A value of any type and size. */
export function broken(): fc.Arbitrary<unknown> {
  return fc.oneof(fc.constantFrom(...HUGE), fc.constantFrom(...ODD_TEXT), fc.jsonValue({ maxDepth: 2 }), deep());
}

function deep(): fc.Arbitrary<unknown> {
  return fc.integer({ min: 1, max: 40 }).map((depth) => {
    let value: unknown = 1;
    for (let level = 0; level < depth; level++) value = level % 2 ? [value] : { a: value };
    return value;
  });
}

function valid(schema: OpenApiSchema, words: Words): fc.Arbitrary<unknown> {
  const {
    const: constant,
    enum: values,
    anyOf,
    oneOf,
    type,
  } = schema as {
    const?: unknown;
    enum?: unknown[];
    anyOf?: OpenApiSchema[];
    oneOf?: OpenApiSchema[];
    type?: string | string[];
  };
  if (constant !== undefined) return fc.constant(constant);
  if (values) return fc.constantFrom(...values);
  const choices = anyOf ?? oneOf ?? (Array.isArray(type) ? type.map((one) => ({ ...schema, type: one })) : undefined);
  if (choices) return fc.oneof(...choices.map((choice) => valid(choice, words)));
  switch (type) {
    case 'string':
      return text(schema);
    case 'integer':
    case 'number':
      return number(schema);
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(arbitraryOf((schema['items'] ?? {}) as OpenApiSchema, words), { maxLength: 4 });
    case 'object':
      return object(schema, words);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function text({ pattern, format, minLength = 0, maxLength = 20 }: OpenApiSchema): fc.Arbitrary<string> {
  if (format === 'date-time') return fc.date({ noInvalidDate: true }).map((date) => date.toISOString());
  if (format === 'email') return fc.emailAddress();
  if (format === 'uuid') return fc.uuid();
  if (typeof pattern === 'string') return fc.stringMatching(new RegExp(pattern)).map((value) => value.slice(0, 80));
  const longest = Math.max(Number(minLength), Math.min(Number(maxLength), 20));
  return fc.string({ minLength: Number(minLength), maxLength: longest, unit: 'grapheme' });
}

function number({ minimum = -1000, maximum = 100_000, type }: OpenApiSchema): fc.Arbitrary<number> {
  const range = { min: Number(minimum), max: Math.max(Number(minimum), Number(maximum)) };
  return type === 'integer'
    ? fc.integer({ ...range, max: Math.min(range.max, 2 ** 31 - 1) })
    : fc.double({ ...range, noNaN: true });
}

function object(schema: OpenApiSchema, words: Words): fc.Arbitrary<unknown> {
  const {
    properties = {},
    required = [],
    additionalProperties,
    propertyNames,
  } = schema as {
    properties?: Record<string, OpenApiSchema>;
    required?: string[];
    additionalProperties?: OpenApiSchema | false;
    propertyNames?: OpenApiSchema;
  };
  const members = Object.fromEntries(
    Object.entries(properties).map(([name, member]) => {
      const arbitrary = arbitraryOf(member, words, name);
      return [name, maybe(arbitrary, required.includes(name) ? 98 : 35)];
    }),
  );
  const extra = additionalProperties
    ? fc.dictionary(
        valid(propertyNames ?? { type: 'string' }, words) as fc.Arbitrary<string>,
        arbitraryOf(additionalProperties, words),
        { maxKeys: 12 },
      )
    : fc.oneof({ weight: 30, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: fc.constant({ surplus: 1 }) });
  return fc.tuple(fc.record(members), extra).map(([own, more]) => {
    const present = Object.entries(own).filter(([, value]) => value !== undefined);
    return { ...more, ...Object.fromEntries(present) };
  });
}

/** Present in this percentage of cases. */
export function maybe<T>(arbitrary: fc.Arbitrary<T>, percent: number): fc.Arbitrary<T | undefined> {
  return fc.oneof({ weight: percent, arbitrary }, { weight: 100 - percent, arbitrary: fc.constant(undefined) });
}
