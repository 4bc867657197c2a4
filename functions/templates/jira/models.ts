import * as z from 'zod';

export const Project = z.object({
  id: z.string(),
  key: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  /** software, service_desk, business or product_discovery. */
  type: z.string(),
  category: z.string().nullable(),
  lead_id: z.string().nullable(),
  is_private: z.boolean(),
});

export const Issue = z.object({
  id: z.string(),
  /** The key that people use, for example SHOP-42. It changes when the issue moves to another project. */
  key: z.string(),
  summary: z.string(),
  /** As plain text, with one line per paragraph. */
  description: z.string().nullable(),
  type: z.string(),
  status: z.string(),
  /** Meaning of the status in every workflow: new, indeterminate (in progress), done or undefined. */
  status_category: z.string(),
  resolution: z.string().nullable(),
  priority: z.string().nullable(),
  labels: z.array(z.string()),
  project_id: z.string(),
  parent_id: z.string().nullable(),
  assignee_id: z.string().nullable(),
  reporter_id: z.string().nullable(),
  due_date: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string(),
  resolved_at: z.string().nullable(),
});
