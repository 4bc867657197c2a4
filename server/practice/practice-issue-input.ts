import * as z from 'zod';
import { PracticeError } from './practice-error.ts';
import { ISSUE_STATES, type IssueState } from './practice-issue.ts';

const fields = {
  title: z.string().trim().min(1).max(200),
  body: z.string().max(10_000),
  state: z.enum(ISSUE_STATES),
  labels: z.array(z.string().min(1).max(50)).max(10),
  assignee_id: z.string().min(1).nullable(),
};

const newIssue = z.strictObject(fields).partial().required({ title: true });
const issuePatch = z.strictObject(fields).partial();

/** What a caller may set. Missing members stay unchanged. */
export interface IssueInput {
  title?: string;
  body?: string;
  state?: IssueState;
  labels?: string[];
  assignee_id?: string | null;
}

export function parseNewIssue(body: unknown): IssueInput & { title: string } {
  const input = parsed(newIssue, body);
  return { ...withoutUndefined(input), title: input.title };
}

export function parseIssuePatch(body: unknown): IssueInput {
  return withoutUndefined(parsed(issuePatch, body));
}

function parsed<T>(schema: z.ZodType<T>, body: unknown): T {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const fields = result.error.issues.map((issue) => ({ field: issue.path.join('.'), message: issue.message }));
  throw new PracticeError(422, 'validation_failed', 'Some fields are not valid.', { members: { fields } });
}

function withoutUndefined(input: object): IssueInput {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
}
