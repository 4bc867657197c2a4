import {
  type DescribedOperation,
  hasType,
  listOf,
  listOperations,
  objectOf,
  requestBody,
  responseSchema,
  textOf,
} from './operations.ts';
import { type Description, pointerPart } from './read-description.ts';
import { memberName, quoted, requiredOf } from './zod-source.ts';

type JsonObject = Record<string, unknown>;

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
/** Objects without a name of their own within each other; deeper ones stay open. */
const MAX_DEPTH = 12;

/**
 * Declarations of `'homeport'` whose context knows the paths of the description. `sdk` is the module with the SDK itself;
 * `source` is where the description is, for the next time.
 */
export function writeTypes(description: Description, { sdk, source }: { sdk: string; source: string }): string {
  const names = new SchemaNames(description);
  const operations = listOperations(description);
  const methods = METHODS.map((method) => {
    const own = operations.filter((one) => one.method === method.toUpperCase()).toSorted(bySpecificity);
    return own.map((one) => overload(description, method, one, names)).join('\n');
  });
  return [
    `// Written by "homeport types" from ${oneLine(source)}`,
    `// ${description.hash}`,
    "import type { z } from 'zod';",
    'import type {',
    ...SDK_TYPES.map((name) => `  ${name},`),
    `} from '${sdk}';`,
    '',
    `export * from '${sdk}';`,
    '',
    "type Request = Omit<ProxyConfiguration, 'endpoint' | 'method' | 'params' | 'data'>;",
    'type Typed<C> = Api & C;',
    '',
    '/** Requests by the paths of the API description, and by a configuration as in other functions. */',
    'interface Api {',
    ...methods,
    '}',
    '',
    DEFINERS,
    ...names.declarations(),
    '',
  ].join('\n');
}

const HEADER = /^\/\/ Written by "homeport types" from (.+)\n\/\/ ([0-9a-f]{64})\n/;

/** Where the description of written types is, and its hash; undefined for another text. */
export function typesOrigin(text: string | undefined): { source: string; hash: string } | undefined {
  const [, source, hash] = HEADER.exec(text ?? '') ?? [];
  return source === undefined || hash === undefined ? undefined : { source, hash };
}

const SDK_TYPES = [
  'ActionContext',
  'CheckpointSchema',
  'CreateActionProps',
  'CreateActionResponse',
  'CreateOnEventProps',
  'CreateOnEventResponse',
  'CreateSyncProps',
  'CreateSyncResponse',
  'HttpResponse',
  'MetadataSchema',
  'ModelSchemas',
  'OnEventContext',
  'ProxyConfiguration',
  'SyncContext',
];

const DEFINERS = `type SyncProps<M extends ModelSchemas, D extends MetadataSchema, C extends CheckpointSchema> = Omit<
  CreateSyncProps<M, D, C>,
  'exec' | 'onWebhook'
> & {
  exec: (nango: Typed<SyncContext<M, D, C>>) => Promise<void> | void;
  onWebhook?: (nango: Typed<SyncContext<M, D, C>>, payload: any) => Promise<void> | void;
};
export declare function createSync<
  M extends ModelSchemas,
  D extends MetadataSchema = never,
  C extends CheckpointSchema = never,
>(props: SyncProps<M, D, C>): CreateSyncResponse<M, D, C>;

type ActionProps<I extends z.core.$ZodType, O extends z.core.$ZodType, D extends MetadataSchema, C extends CheckpointSchema> = Omit<
  CreateActionProps<I, O, D, C>,
  'exec'
> & {
  exec: (nango: Typed<ActionContext<D, C>>, input: z.infer<I>) => Promise<z.infer<O>> | z.infer<O>;
};
export declare function createAction<
  I extends z.core.$ZodType,
  O extends z.core.$ZodType,
  D extends MetadataSchema = never,
  C extends CheckpointSchema = never,
>(props: ActionProps<I, O, D, C>): CreateActionResponse<I, O, D, C>;

type OnEventProps<D extends MetadataSchema, C extends CheckpointSchema> = Omit<CreateOnEventProps<D, C>, 'exec'> & {
  exec: (nango: Typed<OnEventContext<D, C>>) => Promise<void> | void;
};
export declare function createOnEvent<D extends MetadataSchema = never, C extends CheckpointSchema = never>(
  props: OnEventProps<D, C>,
): CreateOnEventResponse<D, C>;
`;

/** The first overload that fits is taken: fixed parts of a path before placeholders, longer paths before shorter ones. */
function bySpecificity(a: DescribedOperation, b: DescribedOperation): number {
  const placeholders = ({ path }: DescribedOperation): number => path.split('{').length;
  const depth = ({ path }: DescribedOperation): number => path.split('/').length;
  return depth(b) - depth(a) || placeholders(a) - placeholders(b) || a.path.localeCompare(b.path);
}

function overload(description: Description, method: string, operation: DescribedOperation, names: SchemaNames): string {
  const { parameters, path, summary } = operation;
  const query = parameters.filter(({ in: place }) => place === 'query');
  const params = query.map(
    (one) =>
      `${memberName(one.name)}${one.isRequired ? '' : '?'}: ${names.typeOf(one.schema)}${one.isRequired ? '' : ' | undefined'}`,
  );
  const isNeeded = query.some(({ isRequired }) => isRequired);
  const body = requestBody(description, operation);
  const members = [
    ...(params.length > 0 ? [`params${isNeeded ? '' : '?'}: { ${params.join('; ')} }`] : []),
    ...(body ? [`data${body.isRequired ? '' : '?'}: ${names.typeOf(body.schema)}`] : ['data?: any']),
    ...(params.length > 0 ? [] : ["params?: ProxyConfiguration['params']"]),
  ];
  const isOptional = !(isNeeded || body?.isRequired);
  // With its reference, so that the type has the name of the schema.
  const response = responseSchema(description, operation);
  const answer = response ? names.typeOf(response) : 'any';
  const [line = ''] = summary.split('\n');
  const comment = line === '' ? '' : `  /** ${line.replaceAll('*/', '* /').slice(0, 160)} */\n`;
  return `${comment}  ${method}(endpoint: ${pathType(path)}, request${isOptional ? '?' : ''}: Request & { ${members.join('; ')} }): Promise<HttpResponse<${answer}>>;`;
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').slice(0, 500);

function pathType(path: string): string {
  if (!path.includes('{')) return quoted(path);
  const fixed = path.split(/\{[^{}]*\}/).map((part) => part.replaceAll(/[\\`$]/g, '\\$&'));
  return `\`${fixed.join('${string | number}')}\``;
}

/** Names of the schemas that types refer to, and their declarations. */
class SchemaNames {
  readonly #description: Description;
  readonly #byReference = new Map<string, string>();
  readonly #taken = new Set([
    ...SDK_TYPES,
    'Api',
    'Request',
    'Typed',
    'SyncProps',
    'ActionProps',
    'OnEventProps',
    'Promise',
    'Record',
  ]);

  constructor(description: Description) {
    this.#description = description;
  }

  typeOf(schema: unknown, depth = 0): string {
    const reference = textOf(objectOf(schema)['$ref']);
    if (reference !== '') return this.#nameOf(reference);
    const own = this.#description.resolve(schema);
    if (!own || depth > MAX_DEPTH) return 'unknown';
    const isNullable = own['nullable'] === true || hasType(own, 'null');
    const plain = this.#plain(own, depth + 1);
    return isNullable && plain !== 'unknown' && plain !== 'null' ? `${plain} | null` : plain;
  }

  /** Declared as types are read: a declaration may need further ones. */
  declarations(): string[] {
    const written: string[] = [];
    for (const [reference, name] of this.#byReference)
      written.push(`\ntype ${name} = ${this.typeOf(this.#description.resolve({ $ref: reference }))};`);
    return written;
  }

  #nameOf(reference: string): string {
    const known = this.#byReference.get(reference);
    if (known !== undefined) return known;
    const last = pointerPart(reference.split('/').at(-1) ?? '');
    const words = last.split(/[^A-Za-z0-9]+/).map((word) => `${word[0]?.toUpperCase() ?? ''}${word.slice(1)}`);
    const base = `Api${words.join('') || 'Schema'}`;
    let name = base;
    for (let at = 2; this.#taken.has(name); at += 1) name = `${base}${at}`;
    this.#taken.add(name);
    this.#byReference.set(reference, name);
    return name;
  }

  #plain(own: JsonObject, depth: number): string {
    const fixed = own['const'];
    if (fixed !== undefined) return literal(fixed) ?? 'unknown';
    const values = listOf(own['enum']);
    if (values.length > 0) {
      const literals = values.map(literal);
      return literals.includes(undefined) ? 'unknown' : [...new Set(literals)].join(' | ');
    }
    const choices = [...listOf(own['oneOf']), ...listOf(own['anyOf'])];
    const all = listOf(own['allOf']);
    const object = own['properties'] || own['additionalProperties'] ? this.#object(own, depth) : undefined;
    if (choices.length > 0 || all.length > 0) {
      const union = [...new Set(choices.map((one) => this.typeOf(one, depth)))].join(' | ');
      const parts = [
        ...(object ? [object] : []),
        ...all.map((one) => this.typeOf(one, depth)),
        ...(union ? [`(${union})`] : []),
      ];
      const known = [...new Set(parts.filter((one) => one !== 'unknown'))];
      return known.length > 0
        ? known.map((one) => (/ \| /.test(one) && !one.startsWith('(') ? `(${one})` : one)).join(' & ')
        : 'unknown';
    }
    if (object) return object;
    if (hasType(own, 'array')) return `Array<${this.typeOf(own['items'], depth)}>`;
    if (hasType(own, 'object')) return 'Record<string, unknown>';
    const scalars = ['string', 'number', 'integer', 'boolean', 'null'].filter((type) => hasType(own, type));
    return [...new Set(scalars.map((type) => (type === 'integer' ? 'number' : type)))].join(' | ') || 'unknown';
  }

  #object(own: JsonObject, depth: number): string {
    const required = requiredOf(this.#description, { required: own['required'] });
    const members = Object.entries(objectOf(own['properties'])).map(([name, member]) => {
      const type = this.typeOf(member, depth);
      return required.has(name) ? `${memberName(name)}: ${type}` : `${memberName(name)}?: ${type} | undefined`;
    });
    const further = own['additionalProperties'];
    if (members.length === 0)
      return `{ [name: string]: ${typeof further === 'object' && further !== null ? this.typeOf(further, depth) : 'unknown'} }`;
    return `{ ${members.join('; ')} }`;
  }
}

function literal(value: unknown): string | undefined {
  if (typeof value === 'string') return quoted(value);
  return value === null || typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}
