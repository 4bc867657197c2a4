import { LRUCache } from 'lru-cache';
import { isJsonObject } from '../platform/lib/json-object.ts';
import type { McpTool, ObjectSchema } from './mcp-tool.ts';
import type { ToolResult } from './toolbox.ts';

/** What is wrong with a value; undefined when it fits. */
type Check = (value: unknown) => string | undefined;

const checks = new LRUCache<string, Check>({ max: 500 });

/** What does not fit the schema, by the same library as in official clients; undefined when all does. */
async function findMisfit(schema: ObjectSchema, value: unknown): Promise<string | undefined> {
  const key = JSON.stringify(schema);
  const check = checks.get(key) ?? (await compile(schema));
  checks.set(key, check);
  return check(value);
}

/** A schema that cannot be read checks nothing, as in `check-input.ts`. */
async function compile(schema: ObjectSchema): Promise<Check> {
  const { AjvJsonSchemaValidator } = await import('@modelcontextprotocol/server/validators/ajv');
  try {
    const validate = new AjvJsonSchemaValidator().getValidator(schema);
    return (value) => validate(value).errorMessage;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return () => undefined;
  }
}

/** Clients throw away a structured result that breaks its schema, so such an output is a failure whose text has the data. */
export async function outputResult({ name, outputSchema }: McpTool, output: string): Promise<ToolResult> {
  const value: unknown = JSON.parse(output);
  const content: ToolResult['content'] = [{ type: 'text', text: JSON.stringify(value, null, 2) }];
  if (!outputSchema) return { content };
  const misfit = await findMisfit(outputSchema, value);
  if (misfit === undefined && isJsonObject(value)) return { content, structuredContent: value };
  const text =
    `${name} ran, but its output does not fit the schema that it declares (${misfit ?? 'it is no object'}). ` +
    'The output follows as it came. A repeat does not help, and may take effect twice.';
  return { content: [{ type: 'text', text }, ...content], isError: true };
}
