import type { Submission } from '../client/auth-calls.ts';
import type { Translate } from '../texts/translate.ts';
import type { FormField, FormValues } from './form-field.ts';

const FORMATS: Record<string, (value: string) => boolean> = {
  hostname: (value) => /^[a-zA-Z0-9.-]+$/.test(value),
  uri: (value) => URL.canParse(value),
  uuid: (value) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value),
  email: (value) => /^[^\s@]+@(?:[^\s@.]+\.)+[^\s@.]+$/.test(value),
};

export const initialValues = (fields: FormField[]): FormValues =>
  Object.fromEntries(fields.map(({ id, initial }) => [id, initial]));

export const typedValue = (field: FormField, values: FormValues): string => values[field.id] ?? field.initial;

/** The value to send for the typed one: copied text often contains blanks, or the part that the form already shows. */
export function cleanFieldValue(field: FormField, typed: string): string {
  // A password may begin or end with a blank.
  if (field.secret === true && field.key === 'password') return typed;
  let value = typed.trim();
  const { prefix, suffix } = field;
  if (prefix && value.toLowerCase().startsWith(prefix.toLowerCase())) value = value.slice(prefix.length);
  if (suffix && value.toLowerCase().endsWith(suffix.toLowerCase())) value = value.slice(0, -suffix.length);
  return value;
}

/** The problem of a value, as a sentence; undefined when it is valid. */
export function fieldProblem(field: FormField, typed: string, t: Translate): string | undefined {
  const value = cleanFieldValue(field, typed);
  if (value === '') return field.isRequired ? t('error.required', { field: field.title }) : undefined;
  if (field.enum && !field.enum.includes(value)) return t('error.choice');
  if (field.format !== undefined && FORMATS[field.format]?.(value) === false) return formatProblem(field.format, t);
  if (fits(field.pattern, value)) return undefined;
  return field.example ? t('error.pattern.example', { example: field.example }) : t('error.pattern');
}

function formatProblem(format: string, t: Translate): string {
  switch (format) {
    case 'hostname':
      return t('error.hostname');
    case 'uri':
      return t('error.uri');
    case 'uuid':
      return t('error.uuid');
    default:
      return t('error.email');
  }
}

/** An invalid pattern is the author's mistake and must not block a person. */
function fits(pattern: string | undefined, value: string): boolean {
  if (pattern === undefined) return true;
  try {
    return new RegExp(pattern).test(value);
  } catch (error) {
    if (error instanceof SyntaxError) return true;
    throw error;
  }
}

/** Problems that a person can fix, by field id. */
export function formProblems(fields: FormField[], values: FormValues, t: Translate): Record<string, string> {
  const found = fields
    .filter(({ isShown }) => isShown)
    .map((field) => [field.id, fieldProblem(field, typedValue(field, values), t)] as const);
  return Object.fromEntries(found.flatMap(([id, problem]) => (problem === undefined ? [] : [[id, problem]])));
}

/** Fields whose value the session fixed to an invalid one: only the app's owner can fix that. */
export function wrongPresets(fields: FormField[], t: Translate): FormField[] {
  return fields.filter((field) => field.isPreset && fieldProblem(field, field.initial, t) !== undefined);
}

/** Whether leaving would lose typed values. */
export const isDirty = (fields: FormField[], values: FormValues): boolean =>
  fields.some((field) => field.isShown && typedValue(field, values) !== field.initial);

/** Values by the part of the request they belong to; empty ones only where the definition allows them. */
export function toSubmission(fields: FormField[], values: FormValues): Submission {
  const submission: Submission = { credentials: {}, params: {}, assertionOption: {} };
  for (const field of fields) {
    const value = field.isPreset ? field.initial : cleanFieldValue(field, typedValue(field, values));
    if (value === '' && field.default_value === undefined) continue;
    submission[field.part === 'assertion_option' ? 'assertionOption' : field.part][field.key] = value;
  }
  return submission;
}
