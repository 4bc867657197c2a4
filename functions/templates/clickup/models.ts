import * as z from 'zod';

export const List = z.object({
  id: z.string(),
  name: z.string(),
  /** Null for lists that are directly in their space. */
  folder_id: z.string().nullable(),
  folder_name: z.string().nullable(),
  space_id: z.string(),
  space_name: z.string(),
  workspace_id: z.string(),
});

export const Task = z.object({
  id: z.string(),
  /** The id that people see, if the workspace has custom ids. */
  custom_id: z.string().nullable(),
  name: z.string(),
  description: z.string().nullable(),
  status: z.string(),
  /** Meaning of the status in every list: open, custom, done or closed. */
  status_type: z.string(),
  /** urgent, high, normal or low. */
  priority: z.string().nullable(),
  tags: z.array(z.string()),
  assignee_ids: z.array(z.string()),
  creator_id: z.string(),
  list_id: z.string(),
  space_id: z.string(),
  parent_id: z.string().nullable(),
  is_archived: z.boolean(),
  url: z.string(),
  start_at: z.string().nullable(),
  due_at: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string(),
  closed_at: z.string().nullable(),
});
