import * as z from 'zod';

export const Contact = z.object({
  id: z.string(),
  account_id: z.string().nullable(),
  first_name: z.string().nullable(),
  last_name: z.string(),
  email: z.string().nullable(),
  phone: z.string().nullable(),
  title: z.string().nullable(),
  owner_id: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
});

export const Opportunity = z.object({
  id: z.string(),
  name: z.string(),
  account_id: z.string().nullable(),
  stage: z.string(),
  /** In the currency of the organization, unless it uses several. */
  amount: z.number().nullable(),
  /** In percent. */
  probability: z.number().nullable(),
  close_date: z.string(),
  is_closed: z.boolean(),
  is_won: z.boolean(),
  owner_id: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
});
