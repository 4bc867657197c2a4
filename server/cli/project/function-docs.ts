import type { CompiledFunction } from '../../../functions/compiler/compiled-function.ts';
import type { JsonSchema, ParsedDefinition } from '../../../functions/compiler/parsed-definition.ts';

/** The text below this line belongs to the author and is kept. */
export const DOCS_DIVIDER = '<!-- END GENERATED CONTENT -->';

/** Writes the page of a function from its definition. `previous` is the existing page. */
export function writeDocs({ name, integration, path, definition }: CompiledFunction, previous = ''): string {
  const kept = previous.includes(DOCS_DIVIDER) ? previous.slice(previous.indexOf(DOCS_DIVIDER)) : `${DOCS_DIVIDER}\n`;
  const sections = [
    '<!-- BEGIN GENERATED CONTENT -->',
    `# ${titleOf(name)}`,
    definition.description,
    '## General information',
    bullets(factsOf(integration, path, definition)),
    ...endpointsOf(definition),
    ...modelsOf(definition),
  ];
  return `${sections.filter((text) => text !== '').join('\n\n')}\n\n${kept}`;
}

function titleOf(name: string): string {
  const words = name.replace(/[-_]+/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function factsOf(integration: string, path: string, definition: ParsedDefinition): Array<[string, string]> {
  const facts: Array<[string, string]> = [
    ['Integration', integration],
    ['Type', definition.type],
    ['Source', `\`${path}\``],
  ];
  if (definition.version) facts.push(['Version', definition.version]);
  if (definition.type === 'on-event') return [...facts, ['Event', definition.event]];
  if (definition.scopes.length > 0) facts.push(['Scopes', definition.scopes.map((scope) => `\`${scope}\``).join(', ')]);
  if (definition.type === 'action') return facts;
  return [
    ...facts,
    ['Frequency', definition.runs],
    ['Sync type', definition.sync_type],
    ['Starts by itself', definition.auto_start ? 'yes' : 'no'],
    ['Models', definition.output.join(', ')],
  ];
}

function bullets(facts: Array<[string, string]>): string {
  return facts.map(([name, value]) => `- **${name}:** ${value}`).join('\n');
}

function endpointsOf(definition: ParsedDefinition): string[] {
  if (definition.type === 'on-event') return [];
  const endpoints =
    definition.type === 'sync' ? definition.endpoints : [definition.endpoint].filter((one) => one !== null);
  if (endpoints.length === 0) return [];
  return ['## Endpoints', endpoints.map(({ method, path }) => `- \`${method} ${path}\``).join('\n')];
}

function modelsOf(definition: ParsedDefinition): string[] {
  if (definition.type === 'on-event') return [];
  const { definitions } = definition.json_schema;
  const section = (title: string, model: string): string[] => {
    const schema = definitions[model];
    return schema ? [`## ${title}`, describeSchema(schema)] : [];
  };
  if (definition.type === 'action')
    return [...section('Input', definition.input), ...section('Output', definition.output[0])];
  return [
    ...definition.output.flatMap((model) => section(`Model ${model}`, model)),
    ...(definition.input ? section('Metadata', definition.input) : []),
  ];
}

function describeSchema(schema: JsonSchema): string {
  const properties = schema['properties'] as Record<string, JsonSchema> | undefined;
  if (!properties)
    return schema['type'] === 'null' ? '_None_' : `\`\`\`json\n${JSON.stringify(schema, null, 2)}\n\`\`\``;
  const required = new Set((schema['required'] as string[] | undefined) ?? []);
  const rows = Object.entries(properties).map(
    ([name, property]) =>
      `| \`${name}\` | ${typeOf(property)} | ${required.has(name) ? 'yes' : 'no'} | ${cell(property['description'])} |`,
  );
  return ['| Field | Type | Required | Description |', '|---|---|---|---|', ...rows].join('\n');
}

function typeOf(schema: JsonSchema): string {
  const variants = (schema['anyOf'] ?? schema['oneOf']) as JsonSchema[] | undefined;
  if (variants) return variants.map(typeOf).join(' or ');
  if (schema['enum']) return (schema['enum'] as unknown[]).map((value) => `\`${JSON.stringify(value)}\``).join(', ');
  if (schema['type'] === 'array') return `list of ${typeOf((schema['items'] ?? {}) as JsonSchema)}`;
  return String(schema['format'] ?? schema['type'] ?? 'any');
}

function cell(text: unknown): string {
  return typeof text === 'string' ? text.replaceAll('|', '\\|').replaceAll('\n', ' ') : '';
}
