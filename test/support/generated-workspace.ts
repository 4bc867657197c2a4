import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** As in the public collection of functions: about 30 functions per integration, one sync for every five of them. */
const FUNCTIONS_PER_INTEGRATION = 32;
const ONE_SYNC_IN = 5;
/** One of this many functions imports a file of its integration. */
const ONE_IMPORT_IN = 30;
/** Fields of a model: gives files of about 3 kB, the size of the collection's. */
const FIELDS = 18;

export interface GeneratedFile {
  /** Relative to the workspace. */
  path: string;
  text: string;
}

/** A workspace of any size; the same count always gives the same files. Returns the paths of the functions. */
export async function generateWorkspace(workspace: string, functions: number): Promise<string[]> {
  const files = Array.from({ length: functions }, (_, index) => generatedFunction(index));
  const integrations = Math.ceil(functions / FUNCTIONS_PER_INTEGRATION);
  const mappers = Array.from({ length: integrations }, (_, index) => generatedMapper(integrationOf(index)));
  for (const { path, text } of [...mappers, ...files]) {
    await mkdir(dirname(join(workspace, path)), { recursive: true });
    await writeFile(join(workspace, path), text);
  }
  return files.map(({ path }) => path);
}

export function generatedFunction(index: number): GeneratedFile {
  const integration = integrationOf(Math.floor(index / FUNCTIONS_PER_INTEGRATION));
  const hasImport = index % ONE_IMPORT_IN === 0;
  return index % ONE_SYNC_IN === 0
    ? { path: `${integration}/syncs/fetch-items-${index}.ts`, text: syncText(index, hasImport) }
    : { path: `${integration}/actions/create-item-${index}.ts`, text: actionText(index, hasImport) };
}

function integrationOf(index: number): string {
  return `generated-${index}`;
}

function generatedMapper(integration: string): GeneratedFile {
  const text = `/** Text of a field that the provider may leave out. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
`;
  return { path: `${integration}/mappers/text-of.ts`, text };
}

function head(definer: string, hasImport: boolean): string {
  const mapper = hasImport ? "import { textOf } from '../mappers/text-of.js';\n" : '';
  return `import { ${definer} } from 'homeport';\nimport { z } from 'zod';\n${mapper}`;
}

function fieldNames(): string[] {
  return Array.from({ length: FIELDS }, (_, field) => `field_${field}`);
}

function providerSchema(): string {
  const kinds = ['z.string()', 'z.string().nullish()', 'z.number().optional()', 'z.array(z.string()).optional()'];
  const fields = fieldNames().map((name, index) => `  ${name}: ${kinds[index % kinds.length]},`);
  return `const ProviderItem = z.object({\n  id: z.union([z.string(), z.number()]),\n${fields.join('\n')}\n});\n`;
}

function itemSchema(name: string): string {
  const kinds = ['z.string()', 'z.string().optional()', 'z.number().optional()', 'z.array(z.string())'];
  const fields = fieldNames().map(
    (field, index) => `  ${field}: ${kinds[index % kinds.length]}.describe('What ${field} of the item holds'),`,
  );
  return `const ${name} = z.object({\n  id: z.string(),\n${fields.join('\n')}\n});\n`;
}

function mapping(source: string, hasImport: boolean): string {
  const values = fieldNames().map((field, index) => {
    const value = `${source}.${field}`;
    const optional = `...(${value} != null && { ${field}: ${hasImport ? `textOf(${value}) ?? ''` : value} }),`;
    return [
      `${field}: ${value},`,
      optional,
      `...(${value} !== undefined && { ${field}: ${value} }),`,
      `${field}: ${value} ?? [],`,
    ][index % 4];
  });
  return `{\n        id: String(${source}.id),\n        ${values.join('\n        ')}\n      }`;
}

function syncText(index: number, hasImport: boolean): string {
  const model = `Item${index}`;
  return `${head('createSync', hasImport)}
${providerSchema()}
${itemSchema(model)}
export default createSync({
  description: 'Fetches the items of list ${index}',
  version: '1.0.0',
  frequency: 'every hour',
  autoStart: false,
  models: { ${model} },
  checkpoint: z.object({ updated_after: z.string() }),
  exec: async (nango) => {
    const checkpoint = await nango.getCheckpoint();
    await nango.trackDeletesStart('${model}');
    const pages = nango.paginate({
      endpoint: '/v1/lists/${index}/items',
      params: { ...(checkpoint && { updated_after: checkpoint.updated_after }) },
      paginate: { type: 'cursor', cursor_path_in_response: 'next', cursor_name_in_request: 'cursor', response_path: 'items' },
      retries: 3,
    });
    for await (const page of pages) {
      const items = page.map((raw) => {
        const item = ProviderItem.parse(raw);
        return ${mapping('item', hasImport)};
      });
      await nango.batchSave(items, '${model}');
    }
    await nango.trackDeletesEnd('${model}');
  },
});
`;
}

function actionText(index: number, hasImport: boolean): string {
  return `${head('createAction', hasImport)}
const Input = z.object({ list: z.string(), title: z.string().min(1), tags: z.array(z.string()).optional() });

${providerSchema()}
${itemSchema('Output')}
export default createAction({
  description: 'Creates an item in list ${index}',
  version: '1.0.0',
  input: Input,
  output: Output,
  scopes: ['items:write'],
  exec: async (nango, input): Promise<z.infer<typeof Output>> => {
    const response = await nango.post({
      endpoint: \`/v1/lists/\${encodeURIComponent(input.list)}/items/${index}\`,
      data: { title: input.title, ...(input.tags && { tags: input.tags }) },
      retries: 3,
    });
    if (!response.data) {
      throw new nango.ActionError({ type: 'not_created', message: 'The provider did not answer with the item' });
    }
    const item = ProviderItem.parse(response.data);
    return ${mapping('item', hasImport)};
  },
});
`;
}
