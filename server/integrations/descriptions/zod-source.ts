import { hasType, listOf, objectOf, propertiesOf } from './operations.ts';
import type { Description } from './read-description.ts';

type JsonObject = Record<string, unknown>;

/** Deeper values stay open: nobody reads a longer model. */
const MAX_DEPTH = 2;
/** More values are any text. */
const MAX_CHOICES = 12;

/** A schema of a description as the source of a zod schema, indented by `indent` spaces after its first line. */
export function zodSource(description: Description, schema: unknown, indent = 0): string {
  return render(description, schema, { depth: 0, indent, above: [] });
}

/** Members of an object's schema that must be there. */
export function requiredOf(description: Description, schema: unknown, above: unknown[] = []): Set<string> {
  const own = description.resolve(schema);
  if (!own || above.includes(own)) return new Set();
  const parts = listOf(own['allOf']).flatMap((part) => [...requiredOf(description, part, [...above, own])]);
  return new Set([...listOf(own['required']).filter((one): one is string => typeof one === 'string'), ...parts]);
}

interface Place {
  depth: number;
  indent: number;
  /** The schemas around this one: a schema within itself stays open. */
  above: readonly unknown[];
}

function render(description: Description, schema: unknown, place: Place): string {
  const own = description.resolve(schema);
  if (!own || place.above.includes(own) || place.depth > MAX_DEPTH) return 'z.unknown()';
  const inner = { ...place, above: [...place.above, own] };
  const choices = [...listOf(own['anyOf']), ...listOf(own['oneOf'])];
  if (choices.length > 0 && !own['properties']) return union(description, choices, inner);
  const isNullable = own['nullable'] === true || hasType(own, 'null');
  const plain = plainSource(description, own, inner);
  return isNullable && plain !== 'z.unknown()' ? `${plain}.nullable()` : plain;
}

function plainSource(description: Description, own: JsonObject, place: Place): string {
  const values = listOf(own['enum']).filter((one) => one !== null);
  const fixed = own['const'];
  if (typeof fixed === 'string') return `z.literal(${quoted(fixed)})`;
  const texts = [...new Set(values.filter((one) => typeof one === 'string'))];
  if (texts.length === 1 && values.length === 1) return `z.literal(${texts.map(quoted)[0]})`;
  if (texts.length > 0 && texts.length <= MAX_CHOICES && texts.length === values.length)
    return `z.enum([${texts.map(quoted).join(', ')}])`;
  if (texts.length > 0) return 'z.string()';
  if (hasType(own, 'array'))
    return `z.array(${render(description, own['items'], { ...place, depth: place.depth + 1 })})`;
  if (hasType(own, 'object') || own['properties'] || own['allOf']) return objectSource(description, own, place);
  const scalars = (['string', 'number', 'integer', 'boolean'] as const).filter((type) => hasType(own, type));
  const names = [...new Set(scalars.map((type) => `z.${type === 'integer' ? 'number' : type}()`))];
  if (names.length > 1) return `z.union([${names.join(', ')}])`;
  return names[0] ?? 'z.unknown()';
}

function objectSource(description: Description, own: JsonObject, place: Place): string {
  const members = [...propertiesOf(description, own)];
  const further = own['additionalProperties'];
  const inner = { ...place, depth: place.depth + 1, indent: place.indent + 2 };
  if (members.length === 0)
    return `z.record(z.string(), ${typeof further === 'object' ? render(description, further, { ...place, depth: place.depth + 1 }) : 'z.unknown()'})`;
  if (place.depth >= MAX_DEPTH) return 'z.unknown()';
  const required = requiredOf(description, own);
  const lines = members.map(([name, member]) => {
    const source = render(description, member, inner);
    return `${' '.repeat(inner.indent)}${memberName(name)}: ${source}${required.has(name) ? '' : '.optional()'},`;
  });
  return `z.object({\n${lines.join('\n')}\n${' '.repeat(place.indent)}})`;
}

function union(description: Description, choices: unknown[], place: Place): string {
  const all = choices.map((one) => description.resolve(one)).filter((one) => one !== undefined);
  const isNullable = all.some((one) => one['type'] === 'null');
  const others = all.filter((one) => one['type'] !== 'null');
  const sources = [...new Set(others.map((one) => render(description, one, { ...place, depth: place.depth + 1 })))];
  const [only = 'z.unknown()'] = sources;
  const isReadable = sources.length <= 4 && sources.every((one) => /^z\.(?!unknown|object|union)/.test(one));
  const source = sources.length === 1 ? only : isReadable ? `z.union([${sources.join(', ')}])` : 'z.unknown()';
  return isNullable && source !== 'z.unknown()' ? `${source}.nullable()` : source;
}

/** A value of the schema: the description's own example, else one made from the types. */
export function exampleValue(description: Description, schema: unknown, above: readonly unknown[] = []): unknown {
  const own = description.resolve(schema);
  if (!own || above.includes(own) || above.length > 12) return null;
  const given = [own['example'], listOf(own['examples'])[0], own['const'], own['default']].find(
    (one) => one !== undefined,
  );
  if (given !== undefined) return given;
  const inner = [...above, own];
  const values = listOf(own['enum']).filter((one) => one !== null);
  if (values.length > 0) return values[0];
  const [choice] = [...listOf(own['oneOf']), ...listOf(own['anyOf'])];
  if (choice !== undefined && !own['properties']) return exampleValue(description, choice, inner);
  if (hasType(own, 'array')) {
    const item = exampleValue(description, own['items'], inner);
    return item === null ? [] : [item];
  }
  const members = [...propertiesOf(description, own)];
  if (members.length > 0) {
    const required = requiredOf(description, own);
    const pairs = members.map(([name, member]) => [name, exampleValue(description, member, inner)] as const);
    // A value in a circle is left out where it may be.
    return Object.fromEntries(pairs.filter(([name, value]) => value !== null || required.has(name)));
  }
  return exampleScalar(own);
}

function exampleScalar(own: JsonObject): unknown {
  if (hasType(own, 'string')) return EXAMPLES[String(own['format'])] ?? 'text';
  if (hasType(own, 'integer') || hasType(own, 'number')) return Number(own['minimum'] ?? 1);
  if (hasType(own, 'boolean')) return true;
  return hasType(own, 'object') ? objectOf(undefined) : null;
}

const EXAMPLES: Readonly<Record<string, string>> = {
  date: '2026-01-31',
  'date-time': '2026-01-31T12:00:00Z',
  email: 'person@example.com',
  uri: 'https://example.com',
  url: 'https://example.com',
  uuid: '123e4567-e89b-42d3-a456-426614174000',
};

/** The name of a member, in quotation marks where it must be. */
export const memberName = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name));

/** A text in single quotation marks. */
export function quoted(text: string): string {
  const inner = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  return `'${inner.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')}'`;
}
