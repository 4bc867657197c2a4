import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { McpTool } from './mcp-tool.ts';

const MAX_ISSUES = 20;

/** The value in the form of the schema. Throws `invalid_action_input`, which names each field. */
export function readInput<T>(schema: z.ZodType<T>, value: unknown, tool: string): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new HomeportError('invalid_action_input', `The input of ${tool} is not valid.`, {
    issues: result.error.issues
      .slice(0, MAX_ISSUES)
      .map(({ code, message, path }) => ({ code, message, path: path.map(String) })),
  });
}

/** By version of the tool. */
const schemas = new LRUCache<string, z.ZodType>({ max: 500 });

/** Throws `invalid_action_input` for arguments that do not fit the schema of the tool. `name`: what its client calls it. */
export function checkArguments(tool: McpTool, given: Record<string, unknown>, name = tool.name): void {
  if (!tool.takesInput) return;
  const known = schemas.get(tool.fingerprint) ?? readSchema(tool.inputSchema);
  schemas.set(tool.fingerprint, known);
  readInput(known, given, name);
}

/** A schema that cannot be read checks nothing: the tool itself does. */
function readSchema(schema: McpTool['inputSchema']): z.ZodType {
  try {
    return z.fromJSONSchema(schema as z.core.JSONSchema.BaseSchema, { defaultTarget: 'draft-7' });
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return z.record(z.string(), z.unknown());
  }
}
