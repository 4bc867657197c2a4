import { z } from 'zod';

/** Messages of `/mcp` (http-api.md 16). The MCP library validates them; these schemas only document them. */

const id = z.union([z.string(), z.number()]);

export const rpcMessage = z.looseObject({
  jsonrpc: z.literal('2.0'),
  id: id.optional(),
  method: z.string(),
  params: z.record(z.string(), z.unknown()).optional(),
});

export const rpcResponse = z.looseObject({
  jsonrpc: z.literal('2.0'),
  id: id.nullish(),
  result: z.looseObject({}).optional(),
  error: z.looseObject({ code: z.number(), message: z.string() }).optional(),
});
