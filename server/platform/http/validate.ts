import type { z } from 'zod';
import type { ErrorCode } from '../../contract/error-codes.ts';
import type { Issue } from '../../contract/issue.ts';
import { HomeportError } from '../lib/homeport-error.ts';

/** Limits the response to a body with a hundred thousand wrong values. */
const MAX_ISSUES = 50;

/** Checks one part of a request. Only the first failing part is reported, with its issues (http-api.md 1.1). */
function validate<T>(schema: z.ZodType<T>, value: unknown, code: ErrorCode): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new HomeportError(code, 'The request is not valid.', {
    issues: result.error.issues.slice(0, MAX_ISSUES).map(toIssue),
  });
}

export const validateBody = <T>(schema: z.ZodType<T>, value: unknown): T => validate(schema, value, 'invalid_body');
export const validateQuery = <T>(schema: z.ZodType<T>, value: unknown): T =>
  validate(schema, value, 'invalid_query_params');
/**
 * Returns `validateQuery` for a busy route: the pipeline hands over the same object for the same text, and its checked
 * form is kept as long as that. Handlers must not change it.
 */
export function queryCheck<T extends object>(schema: z.ZodType<T>): (query: unknown) => Readonly<T> {
  const checked = new WeakMap<object, Readonly<T>>();
  return (query) => {
    const known = checked.get(query as object);
    if (known) return known;
    const result = Object.freeze(validateQuery(schema, query));
    checked.set(query as object, result);
    return result;
  };
}
export const validateParams = <T>(schema: z.ZodType<T>, value: unknown): T =>
  validate(schema, value, 'invalid_uri_params');
export const validateHeaders = <T>(schema: z.ZodType<T>, value: unknown): T =>
  validate(schema, value, 'invalid_headers');

function toIssue(issue: z.core.$ZodIssue): Issue {
  return { code: issue.code, message: messageOf(issue), path: issue.path.map(String) };
}

/** A pattern without a sentence of its own is not shown: it is for programs. */
function messageOf({ message }: z.core.$ZodIssue): string {
  return message.startsWith('Invalid string: must match pattern')
    ? 'Has characters or a form that is not allowed.'
    : message;
}
