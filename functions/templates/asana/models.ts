import * as z from 'zod';

export const Project = z.object({
  id: z.string(),
  workspace_id: z.string(),
  workspace_name: z.string(),
  name: z.string(),
  notes: z.string().nullable(),
  is_archived: z.boolean(),
  owner_id: z.string().nullable(),
  team_id: z.string().nullable(),
  start_on: z.string().nullable(),
  due_on: z.string().nullable(),
  url: z.string(),
  created_at: z.string(),
  modified_at: z.string(),
});

export const Task = z.object({
  id: z.string(),
  name: z.string(),
  notes: z.string().nullable(),
  is_completed: z.boolean(),
  /** The projects of the task, each with the task's section in it. */
  projects: z.array(z.object({ id: z.string(), section: z.string().nullable() })),
  parent_id: z.string().nullable(),
  assignee_id: z.string().nullable(),
  tags: z.array(z.string()),
  start_on: z.string().nullable(),
  due_on: z.string().nullable(),
  /** Due date with a time of day, if the task has one. */
  due_at: z.string().nullable(),
  url: z.string(),
  created_at: z.string(),
  modified_at: z.string(),
  completed_at: z.string().nullable(),
});
