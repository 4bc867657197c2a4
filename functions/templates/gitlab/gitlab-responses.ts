import type { HttpError } from 'homeport';
import type * as z from 'zod';
import type { Issue } from './models.js';

interface Account {
  username: string;
}

/** https://docs.gitlab.com/api/issues/ */
export interface GitlabIssue {
  id: number;
  iid: number;
  project_id: number;
  title: string;
  description: string | null;
  state: 'opened' | 'closed';
  issue_type?: string;
  labels: string[];
  author: Account;
  assignees: Account[];
  milestone: { title: string } | null;
  due_date: string | null;
  confidential: boolean;
  user_notes_count: number;
  web_url: string;
  created_at: string;
  updated_at: string;
  closed_at: string | null;
}

export function toIssue(issue: GitlabIssue): z.infer<typeof Issue> {
  return {
    id: String(issue.id),
    project_id: String(issue.project_id),
    number: issue.iid,
    title: issue.title,
    description: issue.description,
    state: issue.state,
    type: issue.issue_type ?? 'issue',
    labels: issue.labels,
    author: issue.author.username,
    assignees: issue.assignees.map(({ username }) => username),
    milestone: issue.milestone?.title ?? null,
    due_date: issue.due_date,
    is_confidential: issue.confidential,
    comments: issue.user_notes_count,
    url: issue.web_url,
    created_at: issue.created_at,
    updated_at: issue.updated_at,
    closed_at: issue.closed_at,
  };
}

/** A header contains the address of the next page: https://docs.gitlab.com/api/rest/#pagination */
export const BY_LINK = {
  type: 'link',
  link_rel_in_response_header: 'next',
  limit_name_in_request: 'per_page',
  limit: 100,
} as const;

/** GitLab's explanation of a refused request. */
export interface Refusal {
  status: number;
  message: string;
}

/** A sentence, or sentences by field name. */
interface GitlabError {
  message?: string | Record<string, string[]>;
  error?: string;
}

/** Statuses of refusals that explain the request. Errors about limits, outages and lost access are thrown unchanged. */
const EXPLAINED = [400, 404, 409, 422];

/** https://docs.gitlab.com/api/rest/troubleshooting/#status-codes */
export function readRefusal(error: unknown): Refusal | undefined {
  if (!(error instanceof Error) || !('response' in error)) return undefined;
  const { response } = error as HttpError<GitlabError>;
  if (!response || !EXPLAINED.includes(response.status)) return undefined;
  const { error: reason, message = reason ?? error.message } = response.data;
  return { status: response.status, message: typeof message === 'string' ? message : inWords(message) };
}

function inWords(problems: Record<string, string[]>): string {
  return Object.entries(problems)
    .map(([field, texts]) => `${field} ${[texts].flat().join(', ')}`)
    .join('; ');
}
