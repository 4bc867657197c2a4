import * as z from 'zod';

export const Repository = z.object({
  id: z.string(),
  full_name: z.string(),
  description: z.string().nullable(),
  owner: z.string(),
  private: z.boolean(),
  fork: z.boolean(),
  archived: z.boolean(),
  default_branch: z.string(),
  language: z.string().nullable(),
  topics: z.array(z.string()),
  stars: z.number(),
  open_issues: z.number(),
  url: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
  pushed_at: z.string().nullable(),
});

export const Issue = z.object({
  id: z.string(),
  /** `octocat/Hello-World` */
  repository: z.string(),
  number: z.number(),
  title: z.string(),
  body: z.string().nullable(),
  state: z.enum(['open', 'closed']),
  state_reason: z.string().nullable(),
  labels: z.array(z.string()),
  /** Null when the account was deleted. */
  author: z.string().nullable(),
  assignees: z.array(z.string()),
  comments: z.number(),
  url: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
  closed_at: z.string().nullable(),
});

export const PullRequest = z.object({
  id: z.string(),
  /** `octocat/Hello-World` */
  repository: z.string(),
  number: z.number(),
  title: z.string(),
  body: z.string().nullable(),
  draft: z.boolean(),
  author: z.string().nullable(),
  reviewers: z.array(z.string()),
  labels: z.array(z.string()),
  /** The branch with the changes, and the branch into which they are merged. */
  head: z.string(),
  base: z.string(),
  url: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
});

export const Comment = z.object({
  id: z.string(),
  body: z.string(),
  author: z.string().nullable(),
  url: z.string(),
  created_at: z.string(),
});

/** The repository of an action: `{ owner: 'octocat', repository: 'Hello-World' }`. */
export const RepositoryRef = z.object({ owner: z.string().min(1), repository: z.string().min(1) });

export function pathOf({ owner, repository }: z.infer<typeof RepositoryRef>): string {
  return `/repos/${encodeURIComponent(owner)}/${encodeURIComponent(repository)}`;
}
