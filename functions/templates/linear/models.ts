import * as z from 'zod';

export const Issue = z.object({
  id: z.string(),
  /** The key that people use, for example ENG-42. It changes when the issue moves to another team. */
  identifier: z.string(),
  title: z.string(),
  description: z.string().nullable(),
  /** 0 none, 1 urgent, 2 high, 3 medium, 4 low. */
  priority: z.number(),
  estimate: z.number().nullable(),
  due_date: z.string().nullable(),
  state: z.string(),
  /** Meaning of the state in every team: triage, backlog, unstarted, started, completed, canceled. */
  state_type: z.string(),
  labels: z.array(z.string()),
  team_id: z.string(),
  project_id: z.string().nullable(),
  parent_id: z.string().nullable(),
  assignee_id: z.string().nullable(),
  creator_id: z.string().nullable(),
  url: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
  completed_at: z.string().nullable(),
  archived_at: z.string().nullable(),
});

export const Team = z.object({
  id: z.string(),
  key: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  is_private: z.boolean(),
  time_zone: z.string(),
  /** The possible states of this team's issues. */
  states: z.array(z.object({ id: z.string(), name: z.string(), type: z.string() })),
});

export const User = z.object({
  id: z.string(),
  name: z.string(),
  display_name: z.string(),
  email: z.string(),
  is_admin: z.boolean(),
  is_guest: z.boolean(),
  avatar_url: z.string().nullable(),
  created_at: z.string(),
});
