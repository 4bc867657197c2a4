import * as z from 'zod';

export const Project = z.object({
  id: z.string(),
  /** Path with groups, for example acme/shop/web. The other functions take it. */
  path: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  visibility: z.enum(['private', 'internal', 'public']),
  /** Null for an empty repository. */
  default_branch: z.string().nullable(),
  topics: z.array(z.string()),
  is_archived: z.boolean(),
  stars: z.number(),
  /** Null if issues are switched off in the project. */
  open_issues: z.number().nullable(),
  url: z.string(),
  created_at: z.string(),
  last_activity_at: z.string(),
});

export const Issue = z.object({
  id: z.string(),
  project_id: z.string(),
  /** The number that people see: #42. Unique within the project. */
  number: z.number(),
  title: z.string(),
  /** Markdown. */
  description: z.string().nullable(),
  state: z.enum(['opened', 'closed']),
  /** For example issue, incident, task. */
  type: z.string(),
  labels: z.array(z.string()),
  author: z.string(),
  assignees: z.array(z.string()),
  milestone: z.string().nullable(),
  due_date: z.string().nullable(),
  is_confidential: z.boolean(),
  comments: z.number(),
  url: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
  closed_at: z.string().nullable(),
});

/** The path or the id of a project. */
export const ProjectRef = z.string().min(1);

/** A path is one segment of the address: https://docs.gitlab.com/api/rest/#namespaced-paths */
export function pathOf(project: string): string {
  return `/api/v4/projects/${encodeURIComponent(project)}`;
}
