import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { issueText } from './issue-text.ts';

const said = (schema: z.ZodType, value: unknown): string => {
  const [issue] = schema.safeParse(value).error?.issues ?? [];
  return issueText(issue?.message ?? '');
};

describe('issueText', () => {
  it.each([
    [z.string(), undefined, 'is missing'],
    [z.string(), 1, 'must be string, not number'],
    [z.strictObject({}), { apiKey: 1 }, '"apiKey" is not known here'],
    [z.strictObject({}), { a: 1, b: 2 }, '"a", "b" is not known here'],
    [z.enum(['a', 'b']), 'c', 'must be one of a, b'],
    [z.literal('a'), 'c', 'must be "a"'],
    [z.string().min(1), '', 'must have at least 1 character'],
    [z.string().max(3), 'long', 'must have at most 3 characters'],
    [z.number().max(3), 4, 'must be at most 3'],
    [z.string().regex(/^[a-z]+$/), 'A', 'has characters or a form that is not allowed'],
    [z.union([z.string(), z.number()]), null, 'has no form that is allowed here'],
  ])('%# makes a sentence of what the schema library says', (schema, value, sentence) => {
    expect(said(schema, value)).toBe(sentence);
  });

  it('keeps what stands before it, and any other text', () => {
    expect(issueText('acme/one: Invalid input: expected string, received undefined')).toBe('acme/one: is missing');
    expect(issueText('Must be a colour such as #0B6A80.')).toBe('Must be a colour such as #0B6A80.');
  });
});
