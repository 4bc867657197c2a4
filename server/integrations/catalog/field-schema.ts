import { z } from 'zod';
import { isUsablePattern, matchBounded } from '../../platform/lib/bounded-match.ts';

export const UNUSABLE_PATTERN = 'is not a regular expression of at most 20 repetitions and alternatives';

/** One value that a person enters or a flow fills (providers.md 2.4). */
const fieldSchema = z
  .strictObject({
    type: z.literal('string'),
    title: z.string(),
    description: z.string(),
    example: z.string().optional(),
    pattern: z.string().refine(isUsablePattern, UNUSABLE_PATTERN).optional(),
    format: z.enum(['hostname', 'uri', 'uuid', 'email']).optional(),
    enum: z.array(z.string()).min(1).optional(),
    order: z.number().optional(),
    optional: z.boolean().optional(),
    default_value: z.string().optional(),
    prefix: z.string().optional(),
    suffix: z.string().optional(),
    hidden: z.boolean().optional(),
    automated: z.boolean().optional(),
    secret: z.boolean().optional(),
    doc_section: z.string().startsWith('#').optional(),
    warnings: z.record(z.string(), z.string()).optional(),
    visible_when: z.strictObject({ field: z.string(), equals: z.union([z.string(), z.array(z.string())]) }).optional(),
  })
  // The title of a hidden field is not shown, and many existing entries leave it empty.
  .refine(({ hidden, title }) => hidden === true || title !== '', { path: ['title'], message: 'write a title' });

export type FieldDefinition = z.infer<typeof fieldSchema>;

/**
 * Fields by name. Names of configuration fields may contain dots, dashes and digits; names of credential fields only
 * letters and `_`.
 */
export const configFieldsSchema = z.record(z.string().regex(/^[a-zA-Z0-9_.-]+$/), fieldSchema);
export const credentialFieldsSchema = z.record(z.string().regex(/^[a-zA-Z_]+$/), fieldSchema);

/** Whether a value matches the `pattern`, `enum` and `format` of its field (providers.md 2.4). */
export function fitsField(value: string, field: FieldDefinition | undefined): boolean {
  if (!field) return true;
  if (field.enum && !field.enum.includes(value)) return false;
  if (field.pattern !== undefined && !matchBounded(field.pattern, value)) return false;
  if (field.format === 'hostname') return /^[a-zA-Z0-9.-]+$/.test(value);
  if (field.format === 'uuid') return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value);
  if (field.format === 'email') return /^[^\s@]+@[^\s@]+$/.test(value);
  return field.format !== 'uri' || URL.canParse(value);
}
