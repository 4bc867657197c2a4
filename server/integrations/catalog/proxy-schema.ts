import { z } from 'zod';
import { isUsablePattern } from '../../platform/lib/bounded-match.ts';
import { UNUSABLE_PATTERN } from './field-schema.ts';

/** Headers that neither an entry nor a caller may set: they belong to the transport, or (`host`) name the receiver. */
export const TRANSPORT_HEADERS: ReadonlySet<string> = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'keep-alive',
  'upgrade',
  'te',
  'trailer',
  'expect',
  'proxy-connection',
]);

/** Header names have no case; the rest of the program compares them in lower case. */
const headerName = z
  .string()
  .toLowerCase()
  .regex(/^[a-z0-9!#$%&'*+.^_`|~-]+$/, 'is not a header name');
const headerNames = z.union([headerName, z.array(headerName)]);
const dotPath = z.string().min(1);
const oneOrMoreDigits = z.union([z.number(), z.string().regex(/^\d+$/)]);

/** A scalar of the file. YAML turns unquoted text into numbers and booleans, so these are converted back. */
const textSchema = z.union([z.string(), z.number(), z.boolean()]).transform(String);
export const textMapSchema = z.record(z.string(), textSchema);

/** Members of a token request: texts, or objects and lists of them if the body is JSON or XML. */
export type ParamTemplate = string | ParamTemplate[] | { [name: string]: ParamTemplate };
const paramTemplateSchema: z.ZodType<ParamTemplate> = z.lazy(() =>
  z.union([textSchema, z.array(paramTemplateSchema), z.record(z.string(), paramTemplateSchema)]),
);
export const paramMapSchema = z.record(z.string(), paramTemplateSchema);

/** Pagination defaults of a provider (providers.md 7). */
const paginateSchema = z.strictObject({
  type: z.enum(['cursor', 'link', 'offset']).optional(),
  response_path: z.string().optional(),
  limit_name_in_request: z.string().optional(),
  limit: oneOrMoreDigits.optional(),
  in_body: z.boolean().optional(),
  cursor_name_in_request: z.string().optional(),
  cursor_path_in_response: dotPath.optional(),
  link_rel_in_response_header: z.string().optional(),
  link_path_in_response_body: dotPath.optional(),
  offset_name_in_request: z.string().optional(),
  offset_start_value: z.number().optional(),
  offset_calculation_method: z.enum(['by-response-size', 'per-page']).optional(),
});

/** Retry rules of a provider (providers.md 6). */
const retrySchema = z.strictObject({
  after: headerNames.optional(),
  at: headerNames.optional(),
  remaining: headerName.optional(),
  error_code: z.array(z.string().regex(/^(\d{3}|\dxx|\d{3}-\d{3})$/)).optional(),
  in_body: z
    .strictObject({
      path: dotPath,
      value: z.string().refine(isUsablePattern, UNUSABLE_PATTERN).optional(),
      strategy: z.enum(['at', 'after']),
    })
    .optional(),
});

const verificationSchema = z.strictObject({
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).optional(),
  endpoints: z.array(z.string().min(1)).min(1),
  base_url_override: z.string().optional(),
  headers: z.record(headerName, textSchema).optional(),
  data: z.unknown().optional(),
});

export type BodyTemplate = { [name: string]: string | BodyTemplate };
const bodyTemplateSchema: z.ZodType<BodyTemplate> = z.lazy(() =>
  z.record(z.string(), z.union([z.string(), bodyTemplateSchema])),
);

export const proxySchema = z.strictObject({
  base_url: z.string().min(1).optional(),
  headers: z.record(headerName, textSchema).optional(),
  query: textMapSchema.optional(),
  body: bodyTemplateSchema.optional(),
  connection_config: textMapSchema.optional(),
  retry: retrySchema.optional(),
  paginate: paginateSchema.optional(),
  verification: verificationSchema.optional(),
  decompress: z.boolean().optional(),
  forward_headers_on_redirect: z.boolean().optional(),
});

export type RetryRules = z.infer<typeof retrySchema>;
export type Verification = z.infer<typeof verificationSchema>;
