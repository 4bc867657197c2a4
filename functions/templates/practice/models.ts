import * as z from 'zod';

/** Schemas that several functions share are in their own file; import it as '../models.js'. */
export const Issue = z.object({
  id: z.string(),
  number: z.number(),
  title: z.string(),
  body: z.string(),
  state: z.enum(['open', 'in_progress', 'closed']),
  labels: z.array(z.string()),
  assignee_id: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string(),
});

export const User = z.object({
  id: z.string(),
  login: z.string(),
  name: z.string(),
  email: z.string(),
  role: z.enum(['admin', 'member', 'guest']),
});
