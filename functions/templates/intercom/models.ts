import * as z from 'zod';

export const Contact = z.object({
  id: z.string(),
  /** A lead is a person who has not signed up yet. */
  role: z.enum(['user', 'lead']),
  /** Id of the contact in the application that uses Intercom. */
  external_id: z.string().nullable(),
  name: z.string().nullable(),
  email: z.string().nullable(),
  phone: z.string().nullable(),
  owner_id: z.string().nullable(),
  is_unsubscribed: z.boolean(),
  custom_attributes: z.record(z.string(), z.unknown()),
  last_seen_at: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string(),
});

export const Conversation = z.object({
  id: z.string(),
  title: z.string().nullable(),
  state: z.enum(['open', 'closed', 'snoozed']),
  /** Channel of the first message: conversation, email, facebook, instagram, phone_call, ... */
  channel: z.string().nullable(),
  /** The first message, as HTML. */
  first_message: z.string().nullable(),
  is_read: z.boolean(),
  is_priority: z.boolean(),
  contact_ids: z.array(z.string()),
  assignee_id: z.string().nullable(),
  team_id: z.string().nullable(),
  tags: z.array(z.string()),
  /** Time since when the contact waits for a response; null when the contact does not wait. */
  waiting_since: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string(),
});
