import { actionFixture, syncFixture } from './example-fixture.ts';
import { camel, pascal, plural } from './function-names.ts';
import {
  type DescribedOperation,
  type DescribedParameter,
  findOperation,
  hasType,
  listOf,
  listOperations,
  objectOf,
  propertiesOf,
  requestBody,
  responseSchema,
} from './operations.ts';
import { type ActionPlan, planFunction, type SyncPlan, type WantedFunction } from './plan-function.ts';
import type { Description } from './read-description.ts';
import { memberName, quoted, requiredOf, zodSource } from './zod-source.ts';

type JsonObject = Record<string, unknown>;

export interface WrittenFunction {
  kind: 'sync' | 'action';
  name: string;
  source: string;
  /** A recording with the description's examples; undefined when the function has to be completed first. */
  fixture: JsonObject | undefined;
  /** What a person should look at. */
  notes: string[];
}

export interface FunctionWish extends WantedFunction {
  /** `GET /v1/issues`, or the operation's id. */
  operation: string;
}

const WRITES: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);
/** Writes one function for an operation of the description, as a person would. Throws `invalid_body`. */
export function writeFunction(description: Description, { operation: wanted, ...wish }: FunctionWish): WrittenFunction {
  const operation = findOperation(listOperations(description), wanted);
  const plan = planFunction(description, operation, wish);
  return plan.kind === 'sync' ? writeSync(description, operation, plan) : writeAction(description, operation, plan);
}

function writeSync(description: Description, operation: DescribedOperation, plan: SyncPlan): WrittenFunction {
  const { idField, item, list, name, notes, noun, paging, required, since } = plan;
  const model = pascal(noun);
  const metadata = required.map((one) => one.name);
  const members = new Map(propertiesOf(description, item));
  const isPlain = idField === 'id' && hasType(members.get('id') ?? {}, 'string');
  const items = camel(plural(noun));
  const saved = isPlain ? items : `${items}.map(toRecord)`;
  const endpoint = endpointSource(operation.path, 'metadata');
  const params = [
    ...required
      .filter(({ in: place }) => place === 'query')
      .map((one) => `${memberName(one.name)}: metadata[${quoted(one.name)}]`),
    ...(since ? [`...(since ? { ${memberName(since.name)}: since } : {})`] : []),
  ];
  const itemType = isPlain ? `z.infer<typeof ${model}>` : 'Item';
  const request = [
    `      endpoint: ${endpoint},`,
    ...(params.length > 0 ? [`      params: { ${params.join(', ')} },`] : []),
  ];
  const pagesSource = (way: Record<string, string | number>): string[] => [
    `    const pages = nango.paginate<${itemType}>({`,
    ...request,
    `      paginate: ${objectSource(way)},`,
    '      retries: 3,',
    '    });',
    '',
    `    for await (const ${items} of pages) {`,
    `      await nango.batchSave(${saved}, ${quoted(model)});`,
    '    }',
    '',
  ];
  const onePageSource = (): string[] => [
    `    const { data } = await nango.get<${answerType(list, `${itemType}[]`)}>({`,
    ...request,
    '      retries: 3,',
    '    });',
    `    await nango.batchSave(${isPlain ? listIn('data', list) : `${listIn('data', list)}.map(toRecord)`}, ${quoted(model)});`,
    '',
  ];
  const lines = [
    "import { createSync } from 'homeport';",
    "import * as z from 'zod';",
    '',
    `const ${model} = ${modelSource(description, item, idField)};`,
    ...(isPlain
      ? []
      : ['', '/** As the API returns it. */', `type Item = ${itemTypeSource(model, members, idField)};`]),
    ...(metadata.length > 0
      ? ['', `const Metadata = z.object({ ${metadata.map((one) => `${memberName(one)}: z.string()`).join(', ')} });`]
      : []),
    '',
    since
      ? '/** Every run reads only what changed since the previous run. */'
      : '/** Every run reads the whole list: what is missing was deleted. */',
    'export default createSync({',
    `  description: ${quoted(sentenceOf(operation, `Keeps a copy of ${plural(noun)}`))},`,
    "  version: '1.0.0',",
    `  syncType: '${since ? 'incremental' : 'full'}',`,
    "  frequency: 'every hour',",
    '  // With true it starts by itself for every connection, as soon as this file is saved.',
    '  autoStart: false,',
    ...scopesSource(description, operation),
    `  models: { ${model} },`,
    ...(metadata.length > 0 ? ['  metadata: Metadata,'] : []),
    ...(since ? ['  checkpoint: z.object({ since: z.string() }),'] : []),
    '',
    '  exec: async (nango) => {',
    ...(metadata.length > 0 ? ['    const metadata = await nango.getMetadata();'] : []),
    ...(since
      ? ['    const since = (await nango.getCheckpoint())?.since;', '    const startedAt = new Date().toISOString();']
      : [`    await nango.trackDeletesStart(${quoted(model)});`]),
    '',
    ...(paging ? pagesSource({ ...paging, response_path: list }) : onePageSource()),
    ...(since
      ? ['    await nango.saveCheckpoint({ since: startedAt });']
      : [
          '    // Reached only when every page was read: a run that fails deletes nothing.',
          `    await nango.trackDeletesEnd(${quoted(model)});`,
        ]),
    '  },',
    '});',
    ...(isPlain
      ? []
      : [
          '',
          `function toRecord(item: Item): z.infer<typeof ${model}> {`,
          `  return { ...item, id: String(${idField === undefined ? "''" : `item${access(idField)}`}) };`,
          '}',
        ]),
    '',
  ];
  return {
    kind: 'sync',
    name,
    source: lines.join('\n'),
    fixture:
      idField === undefined ? undefined : syncFixture(description, operation, { list, model, idField, metadata }),
    notes,
  };
}

function writeAction(
  description: Description,
  operation: DescribedOperation,
  { name, notes }: ActionPlan,
): WrittenFunction {
  const { method, path } = operation;
  const body = requestBody(description, operation)?.schema;
  const parameters = operation.parameters.filter(({ in: place }) => place === 'path' || place === 'query');
  const bodyMembers = body ? [...propertiesOf(description, body)] : [];
  const taken = new Set(parameters.map((one) => one.name));
  const isWhole = body !== undefined && (bodyMembers.length === 0 || bodyMembers.some(([one]) => taken.has(one)));
  const required = requiredOf(description, body);
  const isWrite = WRITES.has(method);
  const input = [
    ...parameters.map(
      (one) =>
        `${memberName(one.name)}: ${zodSource(description, one.schema, 2)}${one.isRequired ? '' : '.optional()'}`,
    ),
    ...(isWhole
      ? [`body: ${zodSource(description, body, 2)}`]
      : bodyMembers.map(
          ([one, schema]) =>
            `${memberName(one)}: ${zodSource(description, schema, 2)}${required.has(one) ? '' : '.optional()'}`,
        )),
  ];
  const response = responseSchema(description, operation);
  const query = parameters.filter(({ in: place }) => place === 'query');
  const hasInput = input.length > 0;
  const data = isWhole
    ? 'input.body'
    : `{ ${bodyMembers.map(([one]) => `${memberName(one)}: input${access(one)}`).join(', ')} }`;
  const output = response ? zodSource(description, response) : 'z.void()';
  const lines = [
    "import { createAction } from 'homeport';",
    "import * as z from 'zod';",
    '',
    ...(hasInput ? [`const Input = z.object({\n${input.map((one) => `  ${one},`).join('\n')}\n});`, ''] : []),
    ...(response ? [`const Output = ${output};`, ''] : []),
    'export default createAction({',
    `  description: ${quoted(sentenceOf(operation, `Calls ${method} ${path}`))},`,
    "  version: '1.0.0',",
    ...scopesSource(description, operation),
    ...(isWrite ? [] : ['  readOnly: true,']),
    `  input: ${hasInput ? 'Input' : 'z.void()'},`,
    `  output: ${response ? 'Output' : 'z.void()'},`,
    '',
    `  exec: async (nango${hasInput ? ', input' : ''}) => {`,
    ...(isWrite ? ['    // No retries: after a lost response, a repeated request could write twice.'] : []),
    `    ${response ? 'const response = ' : ''}await nango.${method.toLowerCase()}${response ? '<z.infer<typeof Output>>' : ''}({`,
    `      endpoint: ${endpointSource(path, 'input')},`,
    ...(query.length > 0 ? [`      params: { ${query.map(paramSource).join(', ')} },`] : []),
    ...(body ? [`      data: ${data},`] : []),
    ...(isWrite ? [] : ['      retries: 3,']),
    '    });',
    ...(response ? ['', '    return response.data;'] : []),
    '  },',
    '});',
    '',
  ];
  return {
    kind: 'action',
    name,
    source: lines.join('\n'),
    fixture: actionFixture(description, operation, { body, isWhole }),
    notes,
  };
}

/** Optional values are left out; the request writes numbers and booleans as text. */
function paramSource({ name, isRequired, schema }: DescribedParameter): string {
  const value = `input${access(name)}`;
  const isText = hasType(schema, 'string') || hasType(schema, 'number') || hasType(schema, 'integer');
  const written = isText ? value : `String(${value})`;
  if (isRequired) return `${memberName(name)}: ${written}`;
  return `...(${value} === undefined ? {} : { ${memberName(name)}: ${written} })`;
}

/** Records have an `id` of text. */
function modelSource(description: Description, item: JsonObject, idField: string | undefined): string {
  const source = zodSource(description, item);
  if (!source.startsWith('z.object({\n')) return 'z.looseObject({ id: z.string() })';
  if (idField === 'id') return source.replace(/^( {2}id: ).*$/m, '$1z.string(),');
  const others = source.replace(/^ {2}id: .*\n/m, '');
  return others.replace('z.object({\n', 'z.object({\n  id: z.string(),\n');
}

function itemTypeSource(model: string, members: Map<string, JsonObject>, idField: string | undefined): string {
  const base = `Omit<z.infer<typeof ${model}>, 'id'>`;
  if (idField !== 'id') return base;
  const isNumber = !hasType(members.get('id') ?? {}, 'string');
  return `${base} & { id: ${isNumber ? 'number' : 'string'} }`;
}

/** The type of a response with the list at the path. */
function answerType(path: string, list: string): string {
  return path === '' ? list : path.split('.').reduceRight((inner, name) => `{ ${memberName(name)}: ${inner} }`, list);
}

const listIn = (variable: string, path: string): string =>
  path === '' ? variable : `${variable}${path.split('.').map(access).join('')}`;

function endpointSource(path: string, from: 'input' | 'metadata'): string {
  if (!path.includes('{')) return quoted(path);
  const filled = path
    .replaceAll('`', '')
    .replaceAll(/\{([^{}]+)\}/g, (_, name: string) => `\${encodeURIComponent(${from}${access(name)})}`);
  return `\`${filled}\``;
}

const access = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? `.${name}` : `[${quoted(name)}]`);

function objectSource(value: Record<string, string | number>): string {
  const members = Object.entries(value).filter(([, one]) => one !== '');
  return `{ ${members.map(([name, one]) => `${memberName(name)}: ${typeof one === 'string' ? quoted(one) : one}`).join(', ')} }`;
}

function scopesSource(description: Description, { security }: DescribedOperation): string[] {
  const all = security ?? listOf(description.document['security']).map(objectOf);
  const scopes = all.flatMap((one) => Object.values(one).flatMap(listOf)).filter((one) => typeof one === 'string');
  const own = [...new Set(scopes)].slice(0, 12);
  return own.length > 0 ? [`  scopes: [${own.map(quoted).join(', ')}],`] : [];
}

function sentenceOf({ summary }: DescribedOperation, otherwise: string): string {
  const [line = ''] = summary.split(/[\n.]/);
  const text = line.replaceAll(/[`*_]/g, '').replaceAll(/\s+/g, ' ').trim();
  return text.length >= 8 && text.length <= 160 ? text : otherwise;
}
