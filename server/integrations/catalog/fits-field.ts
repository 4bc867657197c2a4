import { matchBounded } from '../../platform/lib/bounded-match.ts';
import type { FieldDefinition } from './field-schema.ts';

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
