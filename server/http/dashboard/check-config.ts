import type { Issue } from '../../contract/issue.ts';
import { HomeportError } from '../../lib/homeport-error.ts';
import type { FieldView } from './provider-view.ts';

/** The values of an integration's form, if every one names a field and fits its rules; an empty value empties it. */
export function checkConfig<Value extends string | null>(
  fields: readonly FieldView[],
  config: Record<string, Value>,
): Record<string, Value> {
  const issues = Object.entries(config).flatMap(([name, value]) =>
    findIssue(
      fields.find((field) => field.name === name),
      name,
      value,
    ),
  );
  if (issues.length > 0) throw new HomeportError('invalid_body', 'The fields do not fit.', { issues });
  return config;
}

function findIssue(field: FieldView | undefined, name: string, value: string | null): Issue[] {
  const path = ['config', name];
  if (!field || field.automated) return [{ code: 'unrecognized_keys', message: `There is no field "${name}".`, path }];
  if (value === null || value === '') return [];
  if (field.enum && !field.enum.includes(value))
    return [{ code: 'invalid_value', message: `Choose one of ${field.enum.join(', ')}.`, path }];
  if (field.pattern && !new RegExp(field.pattern).test(value)) {
    return [{ code: 'invalid_format', message: `${field.title} does not have the expected form.`, path }];
  }
  return [];
}
