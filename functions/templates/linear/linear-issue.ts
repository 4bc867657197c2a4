import type * as z from 'zod';
import type { Issue } from './models.js';

/** Fields of an issue in every query and mutation. */
export const ISSUE_FIELDS = `
  fragment IssueFields on Issue {
    id identifier title description priority estimate dueDate url
    createdAt updatedAt completedAt archivedAt trashed
    state { name type }
    labels(first: 50) { nodes { name } }
    team { id } project { id } parent { id } assignee { id } creator { id }
  }
`;

export interface LinearIssue {
  id: string;
  identifier: string;
  title: string;
  description: string | null;
  priority: number;
  estimate: number | null;
  dueDate: string | null;
  url: string;
  createdAt: string;
  updatedAt: string;
  completedAt: string | null;
  archivedAt: string | null;
  trashed: boolean | null;
  state: { name: string; type: string };
  labels: { nodes: Array<{ name: string }> };
  team: { id: string };
  project: { id: string } | null;
  parent: { id: string } | null;
  assignee: { id: string } | null;
  creator: { id: string } | null;
}

export function toIssue(issue: LinearIssue): z.infer<typeof Issue> {
  return {
    id: issue.id,
    identifier: issue.identifier,
    title: issue.title,
    description: issue.description,
    priority: issue.priority,
    estimate: issue.estimate,
    due_date: issue.dueDate,
    state: issue.state.name,
    state_type: issue.state.type,
    labels: issue.labels.nodes.map(({ name }) => name),
    team_id: issue.team.id,
    project_id: issue.project?.id ?? null,
    parent_id: issue.parent?.id ?? null,
    assignee_id: issue.assignee?.id ?? null,
    creator_id: issue.creator?.id ?? null,
    url: issue.url,
    created_at: issue.createdAt,
    updated_at: issue.updatedAt,
    completed_at: issue.completedAt,
    archived_at: issue.archivedAt,
  };
}
