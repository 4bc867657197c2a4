import type { FieldDefinition } from '../../catalog/field-schema.ts';
import { fitsField } from '../../catalog/fits-field.ts';

type Fields = Record<string, FieldDefinition>;
type Values = Record<string, string>;

/**
 * What is wrong with the values of an entry's `integration_config` (providers.md 2.4), as a sentence. Fields that
 * `visible_when` hides are neither required nor checked.
 */
export function findConfigProblem(
  fields: Fields,
  values: Values,
  options: { requiresAll: boolean },
): string | undefined {
  const unknown = Object.keys(values).find((name) => !Object.hasOwn(fields, name));
  if (unknown !== undefined) return `This provider has no integration_config field "${unknown}".`;
  for (const [name, field] of Object.entries(fields)) {
    if (!isVisible(name, fields, values)) continue;
    const value = values[name];
    if (value ? !fits(value, field) : options.requiresAll && isRequired(field)) {
      return value
        ? `integration_config.${name} does not have the expected form.`
        : `integration_config.${name} is required.`;
    }
  }
  return undefined;
}

function fits(value: string, field: FieldDefinition): boolean {
  return fitsField(value, field) && (field.format !== 'uri' || /^https?:\/\//i.test(value));
}

function isRequired(field: FieldDefinition): boolean {
  return !field.optional && !field.automated && !field.hidden && field.default_value === undefined;
}

/** Cascades: a field that hangs on a hidden one is hidden too. */
function isVisible(name: string, fields: Fields, values: Values, trail: string[] = []): boolean {
  const rule = fields[name]?.visible_when;
  if (!rule || trail.includes(name)) return true;
  const value = values[rule.field] ?? fields[rule.field]?.default_value;
  return [rule.equals].flat().includes(value ?? '') && isVisible(rule.field, fields, values, [...trail, name]);
}
