import { z } from 'zod';

/** Inputs of the meta tools of a session (agents.md 4). */

const integration = z.string().min(1).max(255).describe('ID of an integration of the session');

export const searchInput = z.strictObject({
  queries: z
    .array(z.string().min(1).max(500))
    .min(1)
    .max(5)
    .describe('One per tool that you need: a few keywords each, such as "send email"'),
  goal: z.string().max(2000).optional().describe('The whole task in one sentence; decides between equal tools'),
});

export const executeInput = z.strictObject({
  tool: z.string().min(1).max(255).describe('Name of a tool as nango_tool_search gave it'),
  input: z.record(z.string(), z.unknown()).optional().describe('Arguments of the tool, as its schema says'),
});

const MAX_VALUES = 100;
const atMost = (value: object): boolean => Object.keys(value).length <= MAX_VALUES;
const TOO_MANY = `At most ${MAX_VALUES}.`;

/** The hub sets them, or they would lead elsewhere. */
const RESERVED_HEADERS =
  /^(authorization|cookie|host|connection|content-length|transfer-encoding|upgrade|proxy-.*|base-url-override)$/i;

export const proxyInput = z.strictObject({
  integration,
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']),
  path: z
    .string()
    .max(8000)
    .regex(/^\/(?![/\\])[^\s\\#]*$/, 'Write a path below the address of the provider, such as /v1/items; no host.'),
  query: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
    .refine(atMost, TOO_MANY)
    .optional(),
  headers: z
    .record(
      z
        .string()
        .regex(/^[\w!#$%&'*+.^`|~-]+$/, 'This is no name of a header.')
        .refine((name) => !RESERVED_HEADERS.test(name), 'The hub sets this header.'),
      z.string().regex(/^[^\r\n\0]*$/, 'A header is one line.'),
    )
    .refine(atMost, TOO_MANY)
    .optional(),
  body: z.unknown().optional().describe('JSON value; a text is sent as it is'),
});

export const connectInput = z.strictObject({ integration });
